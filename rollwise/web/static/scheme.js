// Light, dark, or as the system has it: kept on this device. It stands in the head, so that no page flashes.
(() => {
  "use strict";
  const root = document.documentElement, KEY = "scheme";
  const kept = () => { try { return localStorage.getItem(KEY) || ""; } catch { return ""; } };
  const show = (scheme) => { scheme ? root.setAttribute("data-scheme", scheme) : root.removeAttribute("data-scheme"); };
  show(kept());
  document.addEventListener("DOMContentLoaded", () => {
    const choice = document.getElementById("scheme");
    choice.value = kept();
    choice.closest("[hidden]").hidden = false;
    choice.addEventListener("change", () => {
      try { localStorage.setItem(KEY, choice.value); } catch { /* for this page then */ }
      show(choice.value);
    });
  });
})();

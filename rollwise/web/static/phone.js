// What the phone keeps and hands on: the names of players, who are seats for the server, and the address of a page.
(() => {
  "use strict";
  const KEPT = "rollwise-names";
  let names = {};
  try { names = JSON.parse(localStorage.getItem(KEPT)) || {}; } catch { /* a browser that keeps nothing */ }

  const show = () => {
    for (const seat of document.querySelectorAll("[data-seat]")) {
      seat.dataset.said ??= seat.textContent;
      seat.textContent = names[seat.dataset.seat] || seat.dataset.said;
    }
    for (const input of document.querySelectorAll("input[data-name]")) {
      input.hidden = false;
      if (input !== document.activeElement) input.value = names[input.dataset.name] || "";
    }
    for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false;
  };

  document.addEventListener("input", ({ target }) => {
    if (!target.matches("input[data-name]")) return;
    names[target.dataset.name] = target.value.trim();
    try { localStorage.setItem(KEPT, JSON.stringify(names)); } catch { /* the same */ }
    show();
  });

  // An address is copied; on plain HTTP, where that may not be, it is shown to be copied by hand.
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("button[data-copy]");
    if (!button) return;
    const address = new URL(button.dataset.copy || location.href, location.href).href;
    try {
      await navigator.clipboard.writeText(address);
      button.textContent = button.dataset.done;
    } catch {
      const field = document.createElement("input");
      field.className = "line";
      field.readOnly = true;
      field.value = address;
      field.setAttribute("aria-label", button.textContent);
      button.replaceWith(field);
      field.focus();
      field.select();
    }
  });

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", show);
  else show();
  document.addEventListener("htmx:afterSwap", show);
  document.addEventListener("htmx:oobAfterSwap", show);
  document.addEventListener("htmx:historyRestore", show);
})();

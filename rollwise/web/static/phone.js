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

  // An address is copied; on plain HTTP, where that may not be, it stands in a field, chosen, to be copied by hand.
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("button[data-copy]");
    if (!button) return;
    const { href } = new URL(button.dataset.copy || location.href, location.href);
    try {
      await navigator.clipboard.writeText(href);
      button.textContent = button.dataset.done;
    } catch {
      const field = document.querySelector(".address") || document.createElement("input");
      Object.assign(field, { className: "line address", readOnly: true, value: href, ariaLabel: button.textContent });
      if (!field.isConnected) button.after(field);
      field.select();
      field.scrollIntoView({ block: "nearest" });
    }
  });

  // The picture of an answer is saved as PNG, which is shown wherever it is sent to.
  document.addEventListener("click", ({ target }) => {
    const link = target.closest("a[data-png]"), drawn = document.querySelector("img.picture");
    if (!link || !drawn.naturalWidth) return;
    const canvas = Object.assign(document.createElement("canvas"), { width: drawn.naturalWidth, height: drawn.naturalHeight });
    canvas.getContext("2d").drawImage(drawn, 0, 0);
    Object.assign(link, { href: canvas.toDataURL(), download: link.dataset.png });
  });

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", show);
  else show();
  for (const name of ["afterSwap", "oobAfterSwap", "historyRestore"]) document.addEventListener(`htmx:${name}`, show);
})();

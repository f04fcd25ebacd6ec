// Taps: dice that are put on the table and taken away, numbers in steps, tiles that can be let go. All works typed too.
(() => {
  "use strict";
  const changed = (input) => {
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const faces = (input) => (input.value.match(/[1-6]/g) || []).map(Number);
  const typed = (tray) => tray.querySelector("input.typed");

  // The dice that lie there, as buttons that take them away.
  const lay = (tray) => {
    const lying = tray.querySelector("[data-lying]");
    const dice = faces(typed(tray));
    const full = dice.length >= Number(tray.dataset.most);
    tray.querySelectorAll("[data-face]").forEach((button) => button.toggleAttribute("disabled", full));
    if (lying.dataset.lain === dice.join()) return; // as they lie already, and one of them may have the focus
    lying.dataset.lain = dice.join();
    lying.replaceChildren(
      ...dice.map((face, place) => {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "face";
        button.dataset.take = place;
        button.dataset.lies = face;
        button.setAttribute("aria-label", lying.dataset.remove.replace("{face}", face));
        button.append(tray.querySelector(`[data-face="${face}"] svg`).cloneNode(true));
        return button;
      }),
    );
  };

  const put = (tray, dice) => {
    const input = typed(tray);
    input.value = dice.join(",");
    lay(tray);
    changed(input);
    const full = dice.length >= Number(tray.dataset.most);
    if (full && tray.hasAttribute("data-go")) input.form.requestSubmit();
    else if (full || !tray.contains(document.activeElement)) { // what had the focus rests now, or is gone
      (tray.querySelector("[data-take]:last-child") || tray.querySelector("[data-face]")).focus({ preventScroll: true });
    }
  };

  const step = (button) => {
    const input = button.parentElement.querySelector("input");
    const by = Number(input.step) || 1;
    const low = input.min === "" ? -Infinity : Number(input.min);
    const high = input.max === "" ? Infinity : Number(input.max);
    const up = Number(button.dataset.step);
    const said = input.value !== "" ? input.value : input.placeholder;
    const start = low === -Infinity ? 0 : low; // what a field without a number begins with
    const next = said === "" ? (up > 0 ? start : NaN) : (Number(said) || 0) + by * up;
    const emptied = Number.isNaN(next) || (next < low && input.placeholder === ""); // not said, as before the first step
    const now = emptied ? "" : String(Math.round(Math.min(high, Math.max(low, next)) * 100) / 100);
    if (now === input.value) return;
    input.value = now;
    changed(input);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button || button.disabled) return;
    const tray = button.closest("[data-dice]");
    if (button.dataset.step) step(button);
    else if (tray && button.dataset.face) {
      put(tray, [...faces(typed(tray)), Number(button.dataset.face)]);
    } else if (tray && button.dataset.take) {
      const left = faces(typed(tray));
      left.splice(Number(button.dataset.take), 1);
      put(tray, left);
    }
  });

  // While dice have the focus digits put more of them there, and Backspace takes the last one away.
  document.addEventListener("keydown", (event) => {
    const tray = event.target.closest("[data-dice]");
    if (!tray || event.target.matches("input") || event.ctrlKey || event.metaKey || event.altKey) return;
    const dice = faces(typed(tray));
    if (/^[1-6]$/.test(event.key) && dice.length < Number(tray.dataset.most)) put(tray, [...dice, Number(event.key)]);
    else if (event.key === "Backspace" && dice.length) put(tray, dice.slice(0, -1));
    else return;
    event.preventDefault();
  });

  // The dice that the best move keeps are lit.
  const light = () => {
    const kept = (document.getElementById("lit") || { dataset: {} }).dataset.lit || "";
    const left = kept.split(",");
    document.querySelectorAll("#field-roll [data-lies]").forEach((die) => {
      const place = left.indexOf(die.dataset.lies);
      die.classList.toggle("lit", place >= 0);
      die.classList.toggle("dim", kept !== "" && place < 0);
      if (place >= 0) left.splice(place, 1);
    });
  };

  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-one]:checked")) { // a box is in one column
      event.target.closest("tr").querySelectorAll(":checked").forEach((one) => { one.checked = one === event.target; });
    }
    const tray = event.target.closest("[data-dice]");
    if (tray && event.target === typed(tray)) lay(tray);
  });

  // A field is marked as wrong while its reason stands beside it.
  const mark = () => {
    document.querySelectorAll("[data-field]").forEach((field) => {
      const wrong = [...field.querySelectorAll(".error")].some((error) => error.textContent.trim() !== "");
      field.querySelectorAll("input:not([type=hidden]), select").forEach((input) => {
        if (wrong) input.setAttribute("aria-invalid", "true");
        else input.removeAttribute("aria-invalid");
      });
    });
  };

  // What had the focus has it again when its part of the page is new, or else the first thing there that can.
  let held = null;
  const rooms = ({ detail: { target } }) => (target.id === "answer" ? [target, document.getElementById("verdict")] : [target]);
  document.addEventListener("htmx:beforeSwap", (event) => {
    const here = document.activeElement;
    held = rooms(event).some((room) => room.contains(here)) ? here.getAttribute("href") || "" : null;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (held === null || document.activeElement !== document.body) return;
    const parts = rooms(event).flatMap((room) => [...room.querySelectorAll("a[href], button, summary")]);
    const same = parts.find((one) => held && one.getAttribute("href") === held) || parts[0];
    if (same) same.focus({ preventScroll: true });
    held = null;
  });

  const ready = () => {
    document.querySelectorAll("[data-dice]").forEach((tray) => {
      typed(tray).placeholder = tray.dataset.dice;
      lay(tray);
    });
    light();
    mark();
  };
  document.addEventListener("htmx:afterSettle", ready);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", ready);
  else ready();
})();

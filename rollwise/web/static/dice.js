// Taps: dice that are put on the table and taken away, numbers in steps. All works typed too.
(() => {
  "use strict";
  const on = (name, heard) => document.addEventListener(name, heard);
  const changed = (input) => {
    for (const name of ["input", "change"]) input.dispatchEvent(new Event(name, { bubbles: true }));
  };
  const faces = (input) => (input.value.match(/[1-6]/g) || []).map(Number);
  const typed = (tray) => tray.querySelector("input.typed");
  const full = (tray) => faces(typed(tray)).length >= Number(tray.dataset.most);

  // The dice that lie there, as buttons that take them away.
  const lay = (tray) => {
    const lying = tray.querySelector("[data-lying]");
    const dice = faces(typed(tray));
    tray.querySelectorAll("[data-face]").forEach((button) => button.toggleAttribute("disabled", full(tray)));
    if (lying.dataset.lain === dice.join()) return; // as they lie already, and one of them may have the focus
    lying.dataset.lain = dice.join();
    lying.replaceChildren(
      ...dice.map((face, place) => {
        const button = Object.assign(document.createElement("button"), { type: "button", className: "face" });
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
    if (full(tray) && tray.hasAttribute("data-go")) input.form.requestSubmit();
    else if (full(tray) || !tray.contains(document.activeElement)) { // what had the focus rests now, or is gone
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
    const emptied = isNaN(next) || (next < low && input.placeholder === ""); // not said, as before the first step
    const now = emptied ? "" : String(Math.round(Math.min(high, Math.max(low, next)) * 100) / 100);
    if (now === input.value) return;
    input.value = now;
    changed(input);
  };

  on("click", (event) => {
    const button = event.target.closest("button");
    if (!button || button.disabled) return;
    const tray = button.closest("[data-dice]"), { step: by, face, take } = button.dataset;
    const dice = tray ? faces(typed(tray)) : [];
    if (by) step(button);
    else if (face) put(tray, [...dice, Number(face)]);
    else if (take) put(tray, dice.filter((_, place) => place !== Number(take)));
  });

  // While dice have the focus digits lay more, Backspace takes the last away.
  on("keydown", ({ target, key, ctrlKey, metaKey, altKey }) => {
    const tray = target.closest("[data-dice]");
    if (!tray || target.matches("input") || ctrlKey || metaKey || altKey || !/^([1-6]|Backspace)$/.test(key)) return;
    tray.querySelector(key < 7 ? `[data-face="${key}"]` : "[data-take]:last-child")?.click();
  });

  // The dice that the best move keeps are lit.
  const light = () => {
    const kept = document.getElementById("lit")?.dataset.lit || "";
    const left = kept.split(",");
    document.querySelectorAll("#field-roll [data-lies]").forEach((die) => {
      const place = left.indexOf(die.dataset.lies);
      die.classList.toggle("lit", place >= 0);
      die.classList.toggle("dim", kept !== "" && place < 0);
      if (place >= 0) left.splice(place, 1);
    });
  };

  on("input", (event) => {
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
        wrong ? input.setAttribute("aria-invalid", "true") : input.removeAttribute("aria-invalid");
      });
    });
  };

  // What had the focus has it again when its part of the page is new, or else the first thing there that can.
  let held = null;
  const rooms = ({ detail: { target } }) => (target.id === "answer" ? [target, document.getElementById("verdict")] : [target]);
  on("htmx:beforeSwap", (event) => {
    const here = document.activeElement;
    held = rooms(event).some((room) => room.contains(here)) ? here.getAttribute("href") || "" : null;
  });
  on("htmx:afterSettle", (event) => {
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
  on("htmx:afterSettle", ready);
  ready();
})();

// What a page says while the server has not answered. Whatever is changed marks the answer at once; what fails or is
// late is told, and asked again; an answer to an older question is never shown; what is pressed twice is done once.
(() => {
  "use strict";
  const LATE = 2000; // milliseconds without an answer until that is said
  const PATIENCE = [15000, 30000, 60000]; // and until a question is given up, to be sent again
  const AGAIN = [500, 1000, 2000, 4000, 8000]; // between a failure and the next try
  const TYPED = 700; // without a key, and a rule is asked as it stands
  const TWICE = 400; // within which two taps are one
  const STATES = ["refused", "failed", "late", "pending"]; // the worst first

  const open = new Map(); // by what is to be filled: how it was asked, and what has become of it
  const the = (id) => document.getElementById(id);
  const said = () => (the("ask") ? new URLSearchParams(new FormData(the("ask"))).toString() : "");
  const nth = (list, place) => list[Math.min(place, list.length - 1)];

  // --- what is seen of it ---

  const label = (button, words) => {
    const old = button.querySelector(".now");
    if (!words) return old && old.remove();
    const now = old || button.appendChild(document.createElement("small"));
    now.className = "now";
    now.textContent = words;
  };

  const busy = (target, is) => {
    for (const part of target.id === "answer" ? [target, the("verdict")] : [target]) {
      if (is) part.setAttribute("aria-busy", "true");
      else part.removeAttribute("aria-busy");
    }
  };

  const tell = (state, told) => {
    const note = the("server");
    if (!note) return;
    note.dataset.state = state;
    if (note.textContent !== told) note.textContent = told;
  };

  const show = () => {
    for (const [target, each] of open) if (!target.isConnected) { clearTimeout(each.timer); open.delete(target); }
    const words = (the("server") || {}).dataset || {};
    const worst = STATES.find((state) => [...open.values()].some((each) => each.state === state)) || "";
    for (const { button, state } of open.values()) {
      if (button) label(button, state === "pending" ? words.wait : words.again);
    }
    const isPress = [...open.values()].some((each) => each.button && each.state === worst);
    tell(worst, (worst && words[isPress && worst !== "pending" ? "press" : worst]) || "");
  };

  const close = (target) => {
    const each = open.get(target);
    if (!each) return;
    clearTimeout(each.timer);
    if (each.button) label(each.button, "");
    open.delete(target);
    busy(target, false);
    show();
  };

  // The answer that stands there is no longer one to the question of the form.
  const changed = () => {
    const answer = the("answer");
    const each = open.get(answer) || { state: "pending", tries: 0 };
    clearTimeout(each.timer);
    if (each.state === "refused") each.state = "pending";
    open.set(answer, each);
    answer.inert = true;
    busy(answer, true);
    show();
  };

  // --- a question, from its sending to its answer ---

  document.addEventListener("htmx:configRequest", ({ detail }) => {
    detail.timeout = nth(PATIENCE, (open.get(detail.target) || { tries: 0 }).tries);
  });

  document.addEventListener("htmx:beforeSend", ({ detail: { xhr, target, requestConfig: how } }) => {
    const old = open.get(target) || { state: "pending", tries: 0 };
    clearTimeout(old.timer);
    if (old.button) label(old.button, "");
    const button = how.triggeringEvent && how.triggeringEvent.submitter;
    const state = button || old.state === "refused" ? "pending" : old.state;
    const each = { xhr, source: how.elt, verb: how.verb, path: how.path, said: said(), button, state, tries: old.tries };
    each.timer = setTimeout(() => {
      if (each.state === "pending") each.state = "late";
      show();
    }, LATE);
    open.set(target, each);
    busy(target, true);
    show();
  });

  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, target } = event.detail;
    const each = open.get(target);
    const isOld = !target.isConnected || !each || each.xhr !== xhr || (target.id === "answer" && each.said !== said());
    if (!isOld) return;
    event.detail.shouldSwap = event.detail.isError = false;
    if (each && each.xhr === xhr) each.xhr = null; // another one is on its way
  });

  document.addEventListener("htmx:afterRequest", ({ detail: { xhr, target, successful } }) => {
    const each = open.get(target);
    if (!each || each.xhr !== xhr || !successful) return;
    if (target.id === "answer") target.inert = xhr.getResponseHeader("HX-Reswap") === "none"; // dice are to come
    close(target);
  });

  const failed = ({ detail: { xhr, target } }) => {
    const each = open.get(target);
    if (!each || each.xhr !== xhr) return;
    clearTimeout(each.timer);
    each.xhr = null;
    each.state = xhr.status >= 400 && xhr.status < 500 && xhr.status !== 429 ? "refused" : "failed";
    if (each.state === "failed" && !each.button) each.timer = setTimeout(again, nth(AGAIN, each.tries), target);
    each.tries += 1;
    show();
  };
  for (const name of ["sendError", "timeout", "responseError"]) document.addEventListener(`htmx:${name}`, failed);

  const again = (target) => {
    const each = open.get(target);
    if (!each || !each.source || !each.source.isConnected || each.button || each.state === "refused") return;
    if (each.xhr) each.xhr.abort();
    htmx.ajax(each.verb, each.path, { source: each.source, target }).catch(() => {}); // which is told by its event
  };
  const all = () => {
    for (const [target, each] of [...open]) if (each.state !== "pending") again(target);
  };
  window.addEventListener("online", all);
  window.addEventListener("pageshow", (event) => { if (event.persisted) all(); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) all(); });

  // --- the form ---

  let typing = 0;
  document.addEventListener("input", ({ target }) => {
    if (!target.closest("#ask")) return;
    changed();
    const rules = target.closest("#rules");
    if (!rules) return;
    clearTimeout(typing);
    typing = setTimeout(() => htmx.trigger(rules, "typed"), TYPED);
  });
  document.addEventListener("change", ({ target }) => {
    const rules = target.closest("#rules");
    if (!rules || !(the("answer").inert || the("ask").querySelector(".error:not(:empty)"))) return;
    clearTimeout(typing);
    changed();
    htmx.trigger(rules.querySelector(".fields"), "left");
  });

  // --- what is pressed ---

  let pressed = { at: -Infinity, name: "" };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("form[hx-post] button");
    if (!button) return;
    const isTwo = event.detail > 1 || event.pointerType === "touch";
    const areDice = button.name === "die" && pressed.name === "die"; // two fives are tapped as fast
    if (isTwo && !areDice && event.timeStamp - pressed.at < TWICE) event.preventDefault();
    else pressed = { at: event.timeStamp, name: button.name };
  }, true);
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.hasAttribute("hx-post") || (event.submitter && event.submitter.hasAttribute("formaction"))) return;
    const each = open.get(document.querySelector(form.getAttribute("hx-target")));
    if (!each || !each.xhr || !each.button) return;
    if (each.state === "late") each.xhr.abort();
    else { event.preventDefault(); event.stopImmediatePropagation(); }
  }, true);

  // --- news of a solve ---

  document.addEventListener("htmx:sseError", ({ target, detail: { source } }) => {
    open.set(target, { state: "failed", tries: 0 });
    busy(target, true);
    show();
    if (source.readyState !== EventSource.CLOSED) return; // the browser calls again
    const after = target.querySelector("[hx-trigger*='sse:']"); // the server is there, and knows of no such solve
    if (after) htmx.trigger(after, after.getAttribute("hx-trigger").match(/sse:\w+/)[0]);
  });
  document.addEventListener("htmx:sseOpen", ({ target }) => close(target));

  // --- the pages before and after this one ---

  let place = location.pathname + location.search; // what is shown is the answer to
  const moved = ({ detail }) => { place = detail.path.split("#")[0]; };
  document.addEventListener("htmx:pushedIntoHistory", moved);
  document.addEventListener("htmx:replacedInHistory", moved);
  window.addEventListener("popstate", () => {
    if (!the("ask") || place === location.pathname + location.search) return;
    changed();
    location.reload();
  });
  document.addEventListener("htmx:beforeHistorySave", () => { // a page that is come back to waits for nothing
    for (const [target, { button }] of open) {
      busy(target, false);
      if (button) label(button, "");
    }
    tell("", "");
  });
  document.addEventListener("htmx:historyRestore", show);
})();

// What a page says while the server has not answered. Whatever is changed marks the answer at once; what fails or is
// late is told, and asked again; an answer to an older question is never shown; what is pressed twice is done once.
(() => {
  "use strict";
  const LATE = 2000; // milliseconds without an answer until that is said
  const PATIENCE = [15000, 30000, 60000]; // and until a question is given up, to be sent again
  const AGAIN = [500, 1000, 2000, 4000, 8000]; // between a failure and the next try
  const TYPED = 700; // without a key, and a rule is asked as it stands
  const TWICE = 400; // within which two taps are one
  const open = new Map(); // by what is to be filled: how it was asked, and what has become of it
  const the = (id) => document.getElementById(id);
  const on = (name, heard, first) => document.addEventListener(name, heard, first);
  const said = () => (the("ask") ? new URLSearchParams(new FormData(the("ask"))).toString() : "");
  const nth = (list, place) => list[Math.min(place, list.length - 1)];

  const label = (button, words) => {
    if (!button) return;
    const now = button.querySelector(".now") || button.appendChild(document.createElement("small"));
    now.className = "now";
    now.textContent = words;
    if (!words) now.remove();
  };
  const busy = (target, is) => {
    const parts = target.id === "answer" ? [target, the("verdict")] : [target];
    for (const part of parts) is ? part.setAttribute("aria-busy", "true") : part.removeAttribute("aria-busy");
  };
  const tell = (state, words) => {
    the("server").dataset.state = state;
    if (the("server").textContent !== words) the("server").textContent = words;
    document.dispatchEvent(new CustomEvent("rollwise:server", { detail: state }));
  };
  const show = () => {
    for (const target of open.keys()) if (!target.isConnected) open.delete(target);
    const words = the("server").dataset, all = [...open.values()];
    for (const { button, state } of all) label(button, state === "pending" ? words.wait : words.again);
    const worst = ["refused", "failed", "late", "pending"].find((state) => all.some((each) => each.state === state));
    const isPressed = worst !== "pending" && all.some((each) => each.button && each.state === worst);
    tell(worst || "", words[isPressed ? "press" : worst] || "");
  };
  const asked = (target, each) => {
    const old = open.get(target) || { state: "pending", tries: 0 };
    clearTimeout(old.timer);
    label(old.button, "");
    const state = each.button || old.state === "refused" ? "pending" : old.state;
    open.set(target, { tries: old.tries, state, ...each });
    busy(target, true);
    show();
    return open.get(target);
  };
  const answered = (target) => {
    if (!open.has(target)) return;
    clearTimeout(open.get(target).timer);
    label(open.get(target).button, "");
    open.delete(target);
    busy(target, false);
    show();
  };
  const changed = () => { // what stands there is no answer to the question of the form
    the("answer").inert = true;
    asked(the("answer"), {});
  };

  // htmx tells its logger first, then the console: a question that a newer one took the place of is no error there.
  const quiet = (_, name, detail) => { if (/^htmx:(afterRequest|sendAbort)$/.test(name)) delete detail.error; };
  on("DOMContentLoaded", () => { htmx.logger = quiet; });

  // A question, from its sending to its answer.
  on("htmx:configRequest", ({ detail }) => {
    detail.timeout = nth(PATIENCE, (open.get(detail.target) || { tries: 0 }).tries);
  });
  on("htmx:beforeSend", ({ detail: { xhr, target, requestConfig: { elt: source, verb, path, triggeringEvent } } }) => {
    const button = triggeringEvent && triggeringEvent.submitter;
    const each = asked(target, { xhr, source, verb, path, button, said: said() });
    each.timer = setTimeout(() => {
      if (each.state === "pending") each.state = "late";
      show();
    }, LATE);
  });
  on("htmx:beforeSwap", ({ detail }) => {
    const { xhr, target } = detail, each = open.get(target);
    const isNewest = target.isConnected && each && each.xhr === xhr;
    if (isNewest && (target.id !== "answer" || each.said === said())) return;
    detail.shouldSwap = detail.isError = false;
    if (isNewest) each.xhr = null; // the form has changed since, and is about to ask
  });
  on("htmx:afterRequest", ({ detail: { xhr, target, successful } }) => {
    if (!successful || !open.has(target) || open.get(target).xhr !== xhr) return;
    if (target.id === "answer") target.inert = xhr.getResponseHeader("HX-Reswap") === "none"; // dice are to come
    answered(target);
  });
  const failed = ({ detail: { xhr, target } }) => {
    const each = open.get(target);
    if (!each || each.xhr !== xhr) return;
    clearTimeout(each.timer);
    each.xhr = null;
    each.state = xhr.status >= 400 && xhr.status < 500 && xhr.status !== 429 ? "refused" : "failed";
    each.timer = setTimeout(again, nth(AGAIN, each.tries), target);
    each.tries += 1;
    show();
  };
  for (const name of ["sendError", "timeout", "responseError"]) on(`htmx:${name}`, failed);
  const again = (target) => {
    const { xhr, source, verb, path, button, state } = open.get(target) || {};
    if (!source || !source.isConnected || button || state === "refused") return;
    if (xhr) xhr.abort();
    htmx.ajax(verb, path, { source, target }).catch(() => {}); // which is told by its event
  };
  const all = () => [...open].forEach(([target, { state }]) => state === "pending" || again(target));
  window.addEventListener("online", all);
  window.addEventListener("pageshow", ({ persisted }) => persisted && all());
  on("visibilitychange", () => document.hidden || all());

  // The form: rules are asked when they have been typed, and again, with the fields that then are, when they are left.
  let typing = 0;
  on("input", ({ target }) => {
    if (!target.closest("#ask")) return;
    changed();
    const rules = target.closest("#rules");
    if (!rules) return;
    clearTimeout(typing);
    typing = setTimeout(() => htmx.trigger(rules, "typed"), TYPED);
  });
  on("change", ({ target }) => {
    const rules = target.closest("#rules");
    if (!rules || !(the("answer").inert || the("ask").querySelector(".error:not(:empty)"))) return;
    clearTimeout(typing);
    changed();
    htmx.trigger(rules.querySelector(".fields"), "left");
  });

  // What is pressed.
  let pressed = { timeStamp: -Infinity };
  on("click", (event) => {
    const button = event.target.closest("form[hx-post] button");
    if (!button) return;
    const isTwo = event.timeStamp - pressed.timeStamp < TWICE && (event.detail > 1 || event.pointerType === "touch");
    const areDice = button.name === "die" && pressed.name === "die"; // two fives are tapped as fast
    if (isTwo && !areDice) event.preventDefault();
    else pressed = { timeStamp: event.timeStamp, name: button.name };
  }, true);
  on("submit", (event) => {
    const target = event.target.getAttribute("hx-target");
    const { xhr, button, state } = (target && open.get(document.querySelector(target))) || {};
    if (!xhr || !button || (event.submitter && event.submitter.hasAttribute("formaction"))) return;
    if (state === "late") return xhr.abort(); // and it is tried again
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  // News of a solve: where they cease the browser calls again; where nobody knows of the solve, the question is asked.
  on("htmx:sseError", ({ target, detail: { source } }) => {
    asked(target, { source: null });
    open.get(target).state = "failed";
    show();
    const after = target.querySelector("[hx-trigger*='sse:']");
    if (source.readyState !== EventSource.CLOSED || !after) return;
    htmx.trigger(after, after.getAttribute("hx-trigger").match(/sse:\w+/)[0]);
  });
  on("htmx:sseOpen", ({ target }) => answered(target));

  // The pages before and after this one: what is shown is the answer to the address, and waits for nothing.
  let place = location.pathname + location.search;
  for (const name of ["pushedIntoHistory", "replacedInHistory"]) {
    on(`htmx:${name}`, ({ detail }) => { place = detail.path.split("#")[0]; });
  }
  window.addEventListener("popstate", () => {
    if (!the("ask") || place === location.pathname + location.search) return;
    changed();
    location.reload();
  });
  on("htmx:beforeHistorySave", () => {
    for (const [target, { button }] of open) { busy(target, false); label(button, ""); }
    tell("", "");
  });
  on("htmx:historyRestore", show);
})();

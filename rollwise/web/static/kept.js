// What was asked before on this device, for when the server does not answer: the last answers with their questions, in
// localStorage. They are shown in a place of their own, which says how old they are, and never in that of an answer.
(() => {
  "use strict";
  const KEPT = "rollwise-kept", MOST = 30, ROOM = 1000000; // answers, and characters of all together
  const STOOD = 1000, AGAIN = 3000; // milliseconds: what has stood so long is kept; between two looks for the server
  const { lang, dataset: { version } } = document.documentElement;
  const the = (id) => document.getElementById(id);
  const here = () => location.pathname + location.search;

  const all = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(KEPT));
      const areTexts = (...values) => values.every((value) => typeof value === "string");
      const isSound = (one) => Number.isFinite(one.at) && areTexts(one.url, one.question, one.asked, one.said);
      if (kept.version !== version) localStorage.removeItem(KEPT);
      return kept.version === version ? kept.list.filter(isSound) : [];
    } catch { return []; } // nothing yet, nothing sound, or a browser that keeps nothing
  };
  const put = (one) => {
    const list = [one, ...all().filter(({ question }) => question !== one.question)].slice(0, MOST);
    for (; list.length; list.pop()) {
      const value = JSON.stringify({ version, list });
      try { if (value.length <= ROOM) return localStorage.setItem(KEPT, value); } catch { /* full: less of them */ }
    }
  };
  const question = () => { // of the form, with dice in whatever order they were laid
    const form = the("ask"), said = new URLSearchParams(form ? new FormData(form) : "");
    for (const { name, value } of form ? form.querySelectorAll("[data-dice] input") : []) said.set(name, [...value].sort());
    return form && `${form.getAttribute("action")}?${said}`;
  };

  let since = 0, timer = 0;
  const keep = () => {
    const answer = the("answer"), asked = answer && answer.querySelector(".asked");
    if (!since || !asked || answer.inert || answer.hasAttribute("aria-busy")) return;
    const said = [asked, the("verdict"), answer].map((part) => part.outerHTML).join("");
    put({ at: since, url: here(), question: question(), asked: asked.textContent, said });
    since = 0;
  };
  const came = () => { since = Date.now(); clearTimeout(timer); timer = setTimeout(keep, STOOD); };

  const dated = (words, { at }) => {
    const days = Math.round((new Date(at).setHours(0, 0, 0, 0) - new Date().setHours(0, 0, 0, 0)) / 86400000);
    const day = new Intl.RelativeTimeFormat(lang, { numeric: "auto" }).format(Math.min(0, days), "day");
    return words.replace("{when}", `${day} ${new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`);
  };
  const found = (list, link) => list.find(({ url }) => url === (link.getAttribute("href") || "").split("#")[0]);
  const show = (one) => {
    const old = the("kept-answer"), list = all(), parts = new DOMParser().parseFromString(one.said, "text/html").body;
    const dead = "form, [hx-trigger^=load], details:has(> .fold > a:only-child)"; // which only a server brings to life
    for (const part of parts.querySelectorAll(dead)) part.remove();
    for (const part of parts.querySelectorAll("[id]")) part.removeAttribute("id"); // the page has it already
    for (const link of parts.querySelectorAll("a")) if (!found(list, link)) link.removeAttribute("href");
    for (const link of parts.querySelectorAll(".onward:not([href])")) link.remove();
    old.querySelector("[role=status]").textContent = dated(old.dataset.from, one);
    old.lastElementChild.replaceChildren(...parts.childNodes);
    old.hidden = false;
    if (old.showModal && !old.open) old.showModal();
  };
  const made = (tag, how) => Object.assign(document.createElement(tag), how);
  let offered = "";
  const offer = (is) => {
    const box = the("kept-list"), list = is ? all() : [], now = question(), same = list.find((one) => one.question === now);
    if (offered === (offered = JSON.stringify([now, list.map(({ at }) => at)]))) return; // what is tapped stays
    box.hidden = !list.length;
    box.firstElementChild.hidden = !same;
    if (same) Object.assign(box.firstElementChild, { href: same.url, textContent: dated(box.dataset.same, same) });
    box.querySelector("ul").replaceChildren(...list.map((one) => {
      const line = made("li", { textContent: dated("{when}", one) });
      line.prepend(made("a", { href: one.url, textContent: one.asked }));
      return line;
    }));
  };

  let away = !!the("kept-page"), cut = false; // as on the page for that; the network is, and the server with it
  const isThere = async () => await fetch("/healthz").then((heard) => heard.text(), () => "") === "ok\n"; // or a proxy's page
  const know = () => {
    const { state } = the("server").dataset;
    away = state === "failed" || cut;
    offer(away || state === "late");
    if (!away && the("kept-answer").open) the("kept-answer").close(); // what is new stands there
  };
  const look = async () => { // a server on this machine needs no network
    cut = !navigator.onLine && !(await isThere());
    know();
  };
  document.addEventListener("click", (event) => { // links lead to what is kept, where something is
    const link = event.target.closest(away ? "a[href]" : "#kept-list a[href]"), one = link && found(all(), link);
    if (!one) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    show(one);
  }, true);
  if (away) {
    const rest = (url) => url.replace(/[?&]move=[^&]*/, ""); // of another move it is the same answer
    const one = all().find(({ url }) => rest(url) === rest(here()));
    offer(true);
    if (one) show(one);
    else the("kept-list").lastElementChild.open = true;
    setInterval(async () => await isThere() && location.assign(here() === "/kept" ? "/" : here()), AGAIN);
  } else {
    document.addEventListener("rollwise:server", () => cut ? look() : know());
    for (const name of ["online", "offline"]) window.addEventListener(name, look);
    the("kept-answer").firstElementChild.onclick = () => the("kept-answer").close();
    the("kept-answer").onclose = ({ target }) => target.lastElementChild.replaceChildren();
    document.addEventListener("htmx:afterSettle", ({ target }) => the("answer") && the("answer").contains(target) && came());
    window.addEventListener("pagehide", keep);
    if (performance.getEntriesByType("navigation")[0]?.type !== "back_forward") came(); // which may show what was
  }
  document.addEventListener("htmx:beforeSwap", ({ detail: { xhr } }) => { // a part of a new page, into an old one
    const now = xhr.getResponseHeader("Rollwise");
    if (now && now !== version) location.assign(xhr.getResponseHeader("HX-Replace-Url") || here());
  });
  if (navigator.serviceWorker) navigator.serviceWorker.register(`/sw.js?v=${version}`).catch(() => {});
})();

// What the play and review pages can do beyond plain forms: answers of refused steps are shown too, a file is read into
// its text field, and a game that was left is offered again.
(() => {
  "use strict";
  const KEPT = "rollwise-play-";
  const PAUSE = 450, LONGEST = 4000; // milliseconds between two things that others did, and of all of them

  document.addEventListener("htmx:beforeSwap", (event) => {
    const status = event.detail.xhr.status;
    const type = event.detail.xhr.getResponseHeader("Content-Type") || "";
    // one of ours, and not what stands between us says of a server that has gone
    if (status >= 400 && type.startsWith("text/html") && event.detail.serverResponse.includes('id="table"')) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    }
  });

  // Buttons that lead to another page are none of htmx's business.
  document.addEventListener("submit", (event) => {
    if (event.submitter && event.submitter.hasAttribute("formaction")) event.stopPropagation();
  }, true);

  // A game is kept in its tab, so that the page can be loaded again, and while it is not over for other tabs too.
  const stored = (where, game, fields) => {
    try {
      if (fields === undefined) return JSON.parse(where.getItem(KEPT + game));
      if (fields) where.setItem(KEPT + game, JSON.stringify(fields));
      else where.removeItem(KEPT + game);
    } catch { /* a browser that keeps nothing */ }
    return null;
  };

  const keep = () => {
    const form = document.querySelector("#table form");
    if (!form) return;
    const game = form.getAttribute("action").split("/").pop();
    const hidden = [...form.querySelectorAll("[name]")].filter((each) => each.hidden || each.type === "hidden");
    const fields = hidden.filter((each) => each.name !== "tapped").map((each) => [each.name, each.value]);
    const { step } = document.querySelector("#table").dataset;
    if (step === undefined) return; // it waits to be solved
    stored(sessionStorage, game, fields);
    stored(localStorage, game, document.querySelector("#table .result") ? null : fields);
    if (!location.search) history.replaceState(history.state, "", `/play/${game}?step=${step}`);
  };

  const offer = () => {
    const form = document.querySelector("form.left-over");
    if (!form) return;
    const isLeft = form.hasAttribute("data-left"); // the page of a step was loaded again
    const { game } = form.dataset;
    const fields = (isLeft && stored(sessionStorage, game)) || stored(localStorage, game);
    if (!fields) return;
    const into = form.querySelector(".carried");
    const field = ([name, value]) => Object.assign(document.createElement("textarea"), { name, value, hidden: true });
    into.replaceChildren(...fields.map(field));
    form.hidden = false;
    if (isLeft) form.submit();
  };

  // What others did is shown one thing after the other; whoever touches the page, or wants no motion, sees it at once.
  let coming = [];
  const tell = () => {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const parts = [...document.querySelectorAll(".happened .others > *")];
    const pause = Math.min(PAUSE, LONGEST / parts.length);
    coming = parts.map((part, place) => part.animate(
      [{ opacity: 0, transform: "translateY(.3rem)" }, {}],
      { duration: 200, delay: place * pause, fill: "backwards" },
    ));
  };
  const atOnce = () => coming.splice(0).forEach((each) => each.cancel());
  for (const name of ["pointerdown", "keydown"]) document.addEventListener(name, atOnce);

  const readFiles = () => {
    for (const input of document.querySelectorAll("input.reads")) {
      input.closest("label").hidden = false;
      input.addEventListener("change", async () => {
        const [file] = input.files;
        if (file) input.form.querySelector("textarea[name=record]").value = await file.text();
      });
    }
  };

  // A review shows one move at a time: that of its slider, or of the place in the graph that is tapped.
  const review = () => {
    const when = document.querySelector(".when"), list = document.querySelector(".moments:not(.single)");
    if (!list) return;
    const slider = when.querySelector("input"), graph = document.querySelector("figure.course svg");
    const [left, , wide] = graph.getAttribute("viewBox").split(" ").map(Number);
    const last = list.children.length - 1, right = Number(graph.querySelector(".grid").getAttribute("x2"));
    const here = graph.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "line"));
    here.setAttribute("class", "here");
    here.setAttribute("y2", "120");
    const show = (place) => {
      slider.value = place + 1; // which is kept within its bounds
      [...list.children].forEach((move, at) => move.classList.toggle("now", at + 1 === Number(slider.value)));
      for (const end of ["x1", "x2"]) here.setAttribute(end, ((slider.value - 1) / last) * right);
    };
    const go = (place) => { show(place); history.replaceState(history.state, "", `#move-${slider.value}`); };
    slider.addEventListener("input", () => go(slider.value - 1));
    when.addEventListener("click", ({ target }) => target.dataset.by && go(slider.value - 1 + Number(target.dataset.by)));
    graph.addEventListener("click", ({ clientX }) => {
      const box = graph.getBoundingClientRect();
      go(Math.round((((clientX - box.left) / box.width) * wide + left) / right * last));
    });
    const named = () => show((location.hash.match(/^#move-(\d+)$/) || [0, 1])[1] - 1);
    window.addEventListener("hashchange", () => { named(); when.scrollIntoView({ block: "center" }); });
    graph.classList.add("tapped");
    list.classList.add("single");
    when.hidden = false;
    const share = document.querySelector("[data-copy]"), seats = share && share.dataset.seats;
    if (share && !location.search) { // so that the page can be loaded again
      history.replaceState(history.state, "", share.dataset.copy + (seats && `&seats=${seats}`));
    }
    named();
  };

  const begin = () => { keep(); offer(); readFiles(); tell(); review(); };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
  document.addEventListener("htmx:afterSwap", () => { keep(); tell(); review(); }); // at once: somebody may be quick
  document.addEventListener("htmx:afterSettle", keep);
  window.addEventListener("pageshow", (event) => { if (event.persisted) keep(); });
})();

// What the play and review pages can do beyond plain forms: answers of refused steps are shown too, a file is read into
// its text field, and a game that was left is offered again.
(() => {
  "use strict";
  const KEPT = "rollwise-play-";

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

  const keep = () => {
    const form = document.querySelector("#table form");
    if (!form) return;
    const game = form.getAttribute("action").split("/").pop();
    const hidden = [...form.querySelectorAll("[name]")].filter((each) => each.hidden || each.type === "hidden");
    const fields = hidden.filter((each) => each.name !== "tapped").map((each) => [each.name, each.value]);
    const over = document.querySelector("#table .result");
    try {
      if (over) sessionStorage.removeItem(KEPT + game);
      else sessionStorage.setItem(KEPT + game, JSON.stringify(fields));
    } catch { /* a browser that keeps nothing */ }
  };

  const offer = () => {
    const form = document.querySelector("form.left-over");
    if (!form) return;
    let fields = null;
    try { fields = JSON.parse(sessionStorage.getItem(KEPT + form.dataset.game)); } catch { return; }
    if (!fields) return;
    const into = form.querySelector(".carried");
    into.replaceChildren(...fields.map(([name, value]) => {
      const field = document.createElement("textarea");
      field.name = name;
      field.value = value;
      field.hidden = true;
      return field;
    }));
    form.hidden = false;
  };

  const readFiles = () => {
    for (const input of document.querySelectorAll("input.reads")) {
      input.closest("label").hidden = false;
      input.addEventListener("change", async () => {
        const [file] = input.files;
        if (file) input.form.querySelector("textarea[name=record]").value = await file.text();
      });
    }
  };

  const begin = () => { keep(); offer(); readFiles(); };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
  document.addEventListener("htmx:afterSwap", keep); // at once: whoever loads the page again may be quick
  document.addEventListener("htmx:afterSettle", keep);
  window.addEventListener("pageshow", (event) => { if (event.persisted) keep(); });
})();

// The catalogue: letters and digits open a gpt, the list follows the search field, and
// is asked for again once the server's claims were read.

import { pickByKey } from "./picks.js";

const place = document.getElementById("tiles");
const form = document.querySelector("form.search");
const field = form.elements.q;
let asked = 0;
let again = 10; // A server that says nothing is not waited for.
let timer;

document.addEventListener("keydown", (event) => {
  pickByKey(event, place.querySelector("[data-picks]"));
});

async function ask() {
  const number = ++asked;
  const query = new URLSearchParams(new FormData(form));
  const response = await fetch(`${place.dataset.tiles}?${query}`).catch(() => null);
  if (!response?.ok || number !== asked) return;
  show(await response.text());
  if (response.headers.get("X-Pending") === "1" && again-- > 0) {
    timer = setTimeout(ask, 700);
  }
}

// Only what changed is put in, so that nothing flickers under the pointer.
function show(html) {
  const fresh = document.createElement("div");
  fresh.innerHTML = html; // from the hub's own template
  if (fresh.textContent === place.textContent) return;
  const focused = place.contains(document.activeElement) ? document.activeElement.href : "";
  place.replaceChildren(...fresh.childNodes);
  if (focused) place.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

field.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(ask, 120);
});
field.addEventListener("keydown", (event) => {
  if (event.key === "Escape") field.blur();
  if (event.key === "ArrowDown") place.querySelector("a")?.focus();
});

if (place.dataset.pending) ask();

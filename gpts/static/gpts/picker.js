// The catalogue in a panel over the composer: the same list, the same keys. Without
// this script the same button leads to the catalogue's page.

import { pickByKey } from "./picks.js";

const panel = document.getElementById("gpt-picker");
const field = panel?.querySelector("input[type=search]");
const place = panel?.querySelector("[data-place]");
let asked = 0;
let again = 0;
let timer;

if (panel) {
  document.addEventListener("click", open);
  document.addEventListener("gpts", (event) => show(event.detail || ""));
  document.addEventListener("keydown", pick, true);
  panel.addEventListener("keydown", move);
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 120);
  });
}

function open(event) {
  const link = event.target.closest("[data-key-g]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  show("");
}

function show(words) {
  field.value = words;
  again = 10; // A server that says nothing is not waited for.
  panel.showPopover();
  panel.tabIndex = -1;
  panel.focus();
  ask();
}

// Ahead of the page's own keys while the panel is open.
function pick(event) {
  if (!panel.matches(":popover-open")) return;
  if (event.target === field) return;
  if (event.key === "/") {
    event.preventDefault();
    event.stopPropagation();
    field.focus();
    return;
  }
  if (pickByKey(event, place.querySelector("[data-picks]"))) event.stopPropagation();
  else if (/^[a-z0-9]$/i.test(event.key)) event.stopPropagation();
}

function move(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const links = [...place.querySelectorAll("a")];
  const next = links.indexOf(document.activeElement) + step;
  (links[next] ?? (step > 0 ? links[0] : field))?.focus();
}

async function ask() {
  const number = ++asked;
  const query = `&q=${encodeURIComponent(field.value)}`;
  const response = await fetch(panel.dataset.tiles + query).catch(() => null);
  if (!response?.ok || number !== asked) return;
  const focused = place.contains(document.activeElement);
  place.innerHTML = await response.text(); // from the hub's own template
  if (focused) place.querySelector("a")?.focus();
  const pending = response.headers.get("X-Pending") === "1" && again-- > 0;
  if (pending && panel.matches(":popover-open")) {
    timer = setTimeout(ask, 700);
  }
}

// The conversation page: starts its parts, and holds what belongs to none of them.

import { closePanel, post, startComposer } from "./composer.js";
import { addCopyButtons, followFirst, fragmentOf, reconcile, running, toEnd } from "./follow.js";
import { contextOf, openPicker, short, startPicker } from "./picker.js";
import { say, span } from "./words.js";

const transcript = document.getElementById("transcript");
const box = document.getElementById("message");

addCopyButtons(transcript);
startComposer();
startPicker();
followFirst();
if (!location.hash && !location.search.includes("before=")) toEnd();

// --- back in the foreground, back on the network ---

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") reconcile();
});
addEventListener("online", reconcile);
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// --- forms of the transcript, without leaving the page ---

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-act], [data-live], [data-send], [data-by-itself]")) return;
  event.preventDefault();
  const data = new FormData(form, event.submitter);
  if (form.matches("[data-send]")) {
    await post(form.action, data);
    return;
  }
  for (const button of form.querySelectorAll("button")) button.disabled = true;
  await act(form, data);
});

async function act(form, data) {
  const article = form.closest("article");
  try {
    const response = await fetch(form.action, {
      method: "POST", body: data, redirect: "error", headers: { Accept: "application/json" },
    });
    if (!response.ok) throw new Error(String(response.status));
    // The end of what runs arrives by its stream; anything else is shown at once.
    if (running() === article && article.dataset.state === "running") return;
    setTimeout(reload, 150, article);
  } catch {
    for (const button of form.querySelectorAll("button")) button.disabled = false;
  }
}

async function reload(article) {
  const response = await fetch(`/turns/${article.dataset.turn}/fragment`);
  if (!response.ok || !article.isConnected) return;
  const found = fragmentOf(await response.text());
  addCopyButtons(found);
  article.replaceWith(found);
  reconcile();
  followFirst();
}

document.addEventListener("change", (event) => {
  event.target.closest("[data-by-itself]")?.requestSubmit();
});
document.addEventListener("ask-again", (event) => {
  post(`/turns/${event.detail.turn}/again`, event.detail.data);
});

// --- earlier turns, when the reader scrolls to them ---

const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) loadEarlier(entry.target);
}, { rootMargin: "600px 0px 0px" });

async function loadEarlier(link) {
  watcher.unobserve(link);
  const response = await fetch(link.dataset.earlier);
  if (!response.ok) return;
  const before = document.documentElement.scrollHeight;
  const found = fragmentOf(await response.text());
  addCopyButtons(found);
  link.closest(".earlier").replaceWith(found);
  scrollBy({ top: document.documentElement.scrollHeight - before });
  watchEarlier();
}

function watchEarlier() {
  const link = transcript.querySelector("[data-earlier]");
  // Not before the page stands at its end.
  if (link) requestAnimationFrame(() => requestAnimationFrame(() => watcher.observe(link)));
}
watchEarlier();

// --- the countdown of a rate limit ---

setInterval(() => {
  for (const until of document.querySelectorAll("[data-until]")) {
    const at = new Date(until.dataset.until);
    const left = (at - Date.now()) / 1000;
    until.textContent = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    until.title = at.toLocaleString();
    const place = until.parentElement.querySelector("[data-countdown]");
    place.textContent = `(${left > 0 ? say("left", { time: span(left) }) : say("soon")})`;
  }
}, 500);

// --- how full the window is ---

const meter = document.getElementById("meter");
const spoken = () =>
  [...document.querySelectorAll(".asked-text, [data-answer]")]
    .reduce((sum, part) => sum + part.textContent.length, 0);
let history = spoken();

function measure(typed = box?.value.length ?? 0) {
  const form = document.getElementById("composer");
  if (!form) return;
  const used = Math.ceil((history + typed) / 4);
  const window = contextOf(form.elements.server.value, form.elements.model.value);
  meter.hidden = !used;
  const bar = meter.querySelector("progress");
  bar.hidden = !window;
  if (window) bar.value = Math.min(1, used / window);
  bar.classList.toggle("is-full", Boolean(window) && used > window * 0.8);
  meter.querySelector("[data-words]").textContent = window
    ? say("meter", { used: short(used), window: short(window) })
    : say("meter_alone", { used: short(used) });
}
document.addEventListener("draft", (event) => measure(event.detail));
document.addEventListener("states", () => measure());
document.addEventListener("turn", () => {
  history = spoken();
  measure();
  const dot = document.querySelector("#conversations [aria-current] .side-live");
  if (!document.querySelector("[data-follow]")) dot?.remove();
});
measure();

// --- keys ---

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    escape(event);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) return;
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

const KEYS = {
  m: () => box?.focus(),
  s: () => openPicker(),
  g: () => document.querySelector("[data-key-g]")?.click(),
  w: () => document.querySelector("[data-look]")?.click(),
  c: () => [...document.querySelectorAll("[data-copy-last]")].at(-1)?.click(),
  j: () => step(1),
  k: () => step(-1),
};

// Escape closes what is open; with nothing open it stops what runs.
function escape(event) {
  if (document.querySelector(":popover-open, details.menu[open]")) return;
  if (document.activeElement?.matches("input[type=search]")) {
    box?.focus();
    return;
  }
  if (closePanel()) return;
  const stop = document.querySelector("[data-stop]");
  if (!stop) return;
  event.preventDefault();
  stop.click();
}

function step(direction) {
  const turns = [...transcript.querySelectorAll(".turn")];
  const at = turns.indexOf(document.activeElement?.closest(".turn"));
  const next = at < 0 ? turns.length - 1 : at + direction;
  turns[Math.max(0, Math.min(turns.length - 1, next))]?.focus();
}

// --- the list: titles narrow while typing, Enter searches the texts ---

const search = document.querySelector("[data-filter]");
search?.addEventListener("input", () => {
  const wanted = search.value.toLowerCase().trim();
  for (const link of document.querySelectorAll("#conversations .side-link[title]")) {
    link.parentElement.hidden = !link.title.toLowerCase().includes(wanted);
  }
});

// The picker of server and model: states after the page, and a typed filter.

import { say, span } from "./words.js";

const picker = document.getElementById("picker");
const form = picker?.querySelector("[data-picker]");
const filter = picker?.querySelector("[data-picker-filter]");
const ASK_MS = 700;
const MOST_ASKS = 12;

let contexts = new Map();

export function startPicker() {
  if (!form) return;
  filter.addEventListener("input", narrow);
  filter.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      shownButtons()[0]?.click();
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      shownButtons()[0]?.focus();
    }
  });
  form.addEventListener("keydown", onArrows);
  form.addEventListener("submit", onSubmit);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[popovertarget=picker]");
    if (button) form.elements.again.value = button.dataset.again ?? "";
  });
  picker.addEventListener("toggle", (event) => {
    if (event.newState !== "open") return;
    filter.focus();
    filter.select();
    askStates();
  });
  if (document.visibilityState === "visible") askStates();
}

export function openPicker(words = "") {
  if (!form) return;
  form.elements.again.value = "";
  filter.value = words;
  narrow();
  picker.showPopover();
}

// How many tokens the chosen model takes, where that is known.
export const contextOf = (server, model) => contexts.get(`${server} ${model}`) ?? null;

// --- states ---

async function askStates(left = MOST_ASKS) {
  let said;
  try {
    const response = await fetch(form.dataset.states, { headers: { Accept: "application/json" } });
    if (!response.ok) return;
    said = await response.json();
  } catch {
    return; // Without states the picker works all the same.
  }
  for (const state of said.servers) showState(state);
  narrow();
  document.dispatchEvent(new CustomEvent("states"));
  if (said.pending && left > 0) setTimeout(() => askStates(left - 1), ASK_MS);
}

const CHIPS = {
  ready: "chip-ready", loading: "chip-loading", auth: "chip-auth", empty: "chip-empty",
  no_answer: "chip-failed", answers: "chip-ready",
};
const NAMES = { loading: "loading_state", unknown: "not_asked" };

function showState(state) {
  const item = form.querySelector(`[data-server="${state.pk}"]`);
  if (!item) return;
  const chip = item.querySelector("[data-state]");
  chip.className = `chip ${CHIPS[state.state] ?? "chip-unknown"}`;
  const word = say(NAMES[state.state] ?? state.state);
  chip.textContent = state.age > 20 ? `${word}, ${say("ago", { time: span(state.age) })}` : word;
  showModels(item, state);
}

function showModels(item, state) {
  const list = item.querySelector("[data-models]");
  list.replaceChildren(...state.models.map((model) => modelRow(state.pk, model)));
  list.hidden = !state.models.length;
  for (const model of state.models) contexts.set(`${state.pk} ${model.name}`, model.context);
}

function modelRow(pk, model) {
  const row = document.createElement("li");
  const button = document.createElement("button");
  button.type = "submit";
  button.name = "to";
  button.value = `${pk} ${model.name}`;
  button.className = "model-row";
  const name = document.createElement("span");
  name.textContent = model.name;
  button.append(name);
  // It said so itself: an embedding or image model is shown, not offered.
  button.disabled = model.chats === false;
  const fact = button.disabled ? say("no_chat") : model.context ? short(model.context) : "";
  if (fact) button.append(faint(fact));
  row.dataset.words = model.name.toLowerCase();
  row.append(button);
  return row;
}

function faint(text) {
  const word = document.createElement("span");
  word.className = "faint num";
  word.textContent = text;
  return word;
}

export const short = (count) =>
  count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0).replace(/\.0$/, "")}k`;

// --- the filter ---

function narrow() {
  const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let any = false;
  for (const item of form.querySelectorAll("[data-server]")) {
    const own = item.dataset.words;
    let models = 0;
    for (const model of item.querySelectorAll("[data-models] > li")) {
      const fits = wanted.every((word) => own.includes(word) || model.dataset.words.includes(word));
      model.hidden = !fits;
      models += fits ? 1 : 0;
    }
    item.hidden = !models && !wanted.every((word) => own.includes(word));
    any ||= !item.hidden;
  }
  form.querySelector("[data-nothing]").hidden = any || !form.querySelector("[data-server]");
}

const shownButtons = () =>
  [...form.querySelectorAll(".servers button:not(:disabled)")].filter((b) => b.offsetParent);

function onArrows(event) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const buttons = shownButtons();
  const at = buttons.indexOf(document.activeElement);
  if (at < 0) return;
  event.preventDefault();
  const next = at + (event.key === "ArrowDown" ? 1 : -1);
  if (next < 0) filter.focus();
  else buttons[next]?.focus();
}

// "Ask another server" sends the question again there; else the form chooses.
function onSubmit(event) {
  const turn = form.elements.again.value;
  const composer = document.getElementById("composer");
  if (!turn) {
    for (const name of ["gpt", "temporary"]) copyField(composer, name);
    return;
  }
  event.preventDefault();
  const data = new FormData(form, event.submitter);
  if (data.get("carry") !== "1") data.set("anew", "1");
  picker.hidePopover();
  document.dispatchEvent(new CustomEvent("ask-again", { detail: { turn, data } }));
}

function copyField(composer, name) {
  const value = composer ? new FormData(composer).get(name) : null;
  if (!value || form.elements[name]) return;
  const field = document.createElement("input");
  field.type = "hidden";
  field.name = name;
  field.value = value;
  form.append(field);
}

// The composer: the draft, the keys, commands, and sending without leaving the page.

import { addCopyButtons, followFirst, fragmentOf, toEnd } from "./follow.js";
import { openPicker } from "./picker.js";
import { announce, say } from "./words.js";

const form = document.getElementById("composer");
const box = document.getElementById("message");
const panel = document.getElementById("panel");
const list = document.getElementById("command-list");

const LONG_CHARACTERS = 20_000;
const LONGEST_DRAFT = 400_000;
const key = form ? `llmhub-draft-${form.dataset.draft}` : "";
let severalLines = false;
let sending = false;

export function startComposer() {
  if (!form) return;
  takeDraft();
  box.addEventListener("input", onInput);
  box.addEventListener("keydown", onKey);
  box.addEventListener("paste", onPaste);
  box.addEventListener("blur", keepDraft);
  addEventListener("pagehide", keepDraft);
  form.addEventListener("submit", onSubmit);
  panel.addEventListener("click", (event) => {
    if (event.target.closest("[data-close]")) closePanel();
  });
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const item = event.target.closest("[data-command]");
    if (item) take(item);
  });
  measure();
}

// --- the draft ---

let draftTimer = 0;

function takeDraft() {
  if (box.value) return;
  try {
    box.value = localStorage.getItem(key) ?? "";
  } catch {
    // Storage is switched off: there is no draft then.
  }
}

function keepDraft() {
  clearTimeout(draftTimer);
  try {
    if (!box.value || box.value.length > LONGEST_DRAFT) localStorage.removeItem(key);
    else localStorage.setItem(key, box.value);
  } catch {
    // Full or switched off; the box itself still holds the text.
  }
}

function onInput() {
  clearTimeout(draftTimer);
  draftTimer = setTimeout(keepDraft, 600);
  measure();
  suggest();
}

function measure() {
  box.classList.toggle("is-long", box.value.length > LONG_CHARACTERS);
  document.dispatchEvent(new CustomEvent("draft", { detail: box.value.length }));
}

function empty() {
  box.value = "";
  keepDraft();
  measure();
  suggest();
}

// --- commands ---

function suggest() {
  const typed = box.value;
  const asks = /^\/[\p{L}?]{0,12}$/u.test(typed);
  let shown = 0;
  for (const item of list.children) {
    item.hidden = !asks || !item.dataset.command.startsWith(typed.toLowerCase());
    if (!item.hidden) shown += 1;
    item.removeAttribute("aria-selected");
  }
  list.hidden = !shown;
  if (shown) select(visible()[0]);
  else box.removeAttribute("aria-activedescendant");
}

const visible = () => [...list.children].filter((item) => !item.hidden);
const selected = () => list.querySelector("[aria-selected=true]");

function select(item) {
  selected()?.removeAttribute("aria-selected");
  item.setAttribute("aria-selected", "true");
  item.scrollIntoView({ block: "nearest" });
  box.setAttribute("aria-activedescendant", item.id);
}

function move(step) {
  const items = visible();
  const at = items.indexOf(selected());
  select(items[(at + step + items.length) % items.length]);
}

function take(item) {
  box.value = item.dataset.command;
  list.hidden = true;
  form.requestSubmit();
}

// --- keys ---

function onKey(event) {
  if (event.isComposing) return;
  if (!list.hidden && onListKey(event)) return;
  if (event.key === "Enter" && (severalLines ? event.ctrlKey || event.metaKey : !event.shiftKey)) {
    event.preventDefault();
    form.requestSubmit();
  }
}

function onListKey(event) {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event.key === "ArrowDown" ? 1 : -1);
  else if (event.key === "Tab") {
    box.value = `${selected().dataset.command} `;
    suggest();
  } else if (event.key === "Enter" && !event.shiftKey) take(selected());
  else if (event.key === "Escape") list.hidden = true;
  else return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}

// A megabyte pasted the editor's way takes the browser many seconds: its undo steps
// are made line by line. Set at once, in a box that is not measured, it takes none.
function onPaste(event) {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (text.length < LONG_CHARACTERS) return;
  event.preventDefault();
  box.classList.add("is-long");
  box.setRangeText(text.replace(/\r\n?/g, "\n"), box.selectionStart, box.selectionEnd, "end");
  onInput();
}

// --- sending ---

async function onSubmit(event) {
  const button = event.submitter;
  if (button?.name === "without_gpt") return;
  event.preventDefault();
  await post(button?.formAction && button.hasAttribute("formaction") ? button.formAction : form.action, new FormData(form, button));
}

export async function post(action, data) {
  if (sending) return;
  sending = true;
  form.querySelector("[data-send-button]").disabled = true;
  try {
    const response = await fetch(action, {
      method: "POST",
      body: data,
      headers: { Accept: "application/json" },
      redirect: "error",
    });
    await take_answer(response);
  } catch {
    complain(say("failed_send"), say("failed_send_means"));
  } finally {
    sending = false;
    form.querySelector("[data-send-button]").disabled = false;
  }
}

async function take_answer(response) {
  const kind = response.headers.get("content-type") ?? "";
  if (!kind.startsWith("application/json")) {
    if (response.status === 403) complain(say("login"), say("login_means"));
    else complain(say("failed_send"), say("failed_send_means"));
    return;
  }
  const said = await response.json();
  if (said.html && said.turn) added(said.html);
  else if (said.html) show(said.html);
  else if (said.refused) {
    show(said.refused);
    if (said.question && !box.value) {
      box.value = said.question;
      measure();
    }
    panel.querySelector("#retype, .notice-do .btn")?.focus();
  } else if (said.open) opened(said);
  else if (said.location) {
    empty();
    location.assign(said.location);
  }
}

function added(html) {
  empty();
  closePanel();
  document.querySelector("[data-welcome]")?.remove();
  const transcript = document.getElementById("transcript");
  transcript.append(fragmentOf(html));
  addCopyButtons(transcript.lastElementChild);
  followFirst();
  toEnd();
  box.focus();
}

function opened(said) {
  empty();
  if (said.open === "picker") openPicker(said.filter);
  if (said.open === "gpts") {
    document.dispatchEvent(new CustomEvent("gpts", { detail: said.filter }));
  }
  if (said.open === "keys") document.getElementById("keys").showPopover();
  if (said.open === "lines") {
    severalLines = !severalLines;
    const words = say(severalLines ? "several_lines" : "one_line");
    announce(words);
    complain(words, "");
    box.focus();
  }
}

// --- the panel above the box ---

function show(html) {
  panel.replaceChildren(fragmentOf(html));
}

export function closePanel() {
  if (!panel?.childElementCount) return false;
  panel.replaceChildren();
  box.focus();
  return true;
}

function complain(what, means) {
  const notice = document.createElement("div");
  notice.className = "notice notice-wait";
  const words = document.createElement("div");
  const bold = document.createElement("strong");
  bold.textContent = what;
  const line = document.createElement("p");
  line.className = "notice-means";
  line.textContent = means;
  words.append(bold, line);
  const close = document.createElement("button");
  close.type = "button";
  close.className = "btn btn-quiet btn-small";
  close.dataset.close = "";
  close.textContent = say("close_button");
  notice.append(words, close);
  panel.replaceChildren(notice);
}

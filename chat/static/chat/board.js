/* A board kept up to date: what others decide appears, and nothing that is typed or
   open is taken away. The server renders every part; this swaps them. */

const board = document.querySelector("[data-live]");
const composer = document.getElementById("composer");
const panel = document.getElementById("panel");
const box = document.getElementById("message");
const QUIET = 1500;
const BUSY = 700;
let timer = null;
let asking = false;

function parse(html) {
  return new DOMParser().parseFromString(html, "text/html").body.childNodes;
}

function put(id, html) {
  const place = document.getElementById(id);
  if (html === undefined || !place || inUse(place)) return;
  const end = place.scrollTop + place.clientHeight > place.scrollHeight - 40;
  place.replaceChildren(...parse(html));
  if (id === "board-talk" && end) place.scrollTop = place.scrollHeight;
}

/* An edit that is open, or a field with the focus, stays as it is. */
function inUse(place) {
  return place.querySelector("form.edit") || place.contains(document.activeElement) && document.activeElement.matches("textarea, input");
}

async function look() {
  if (asking) return;
  asking = true;
  try {
    const standing = board.dataset.running ? "&standing" : "";
    const answer = await fetch(`${board.dataset.live}?version=${board.dataset.version}${standing}`);
    if (answer.ok) show(await answer.json());
  } catch {
    // The network is away: the next look finds what was missed.
  } finally {
    asking = false;
    clearTimeout(timer);
    timer = setTimeout(look, board.dataset.running ? BUSY : QUIET);
  }
}

function show(found) {
  const waits = ["board-proposals", "board-cards"].some((id) => inUse(document.getElementById(id)));
  for (const part of ["talk", "proposals", "cards", "counts"]) put(`board-${part}`, found[part]);
  if ("running" in found) board.dataset.running = found.running ? "1" : "";
  if (!waits || !found.cards) board.dataset.version = found.version;
  const here = document.querySelector("[data-here]");
  if (here && here.textContent !== found.here) here.textContent = found.here;
}

async function post(address, body) {
  const answer = await fetch(address, { method: "POST", body, headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-act], [data-say]")) return;
  event.preventDefault();
  const button = event.submitter;
  const address = button?.getAttribute("formaction") || form.action;
  // Before the button is disabled: its own value belongs to the form.
  const body = new FormData(form, button);
  if (button) button.disabled = true;
  try {
    const found = await post(address, body);
    if (found.refused) {
      panel.replaceChildren(...parse(found.refused));
      if (form !== composer) box.value = body.get("message") ?? box.value;
    } else {
      panel.replaceChildren();
      if (form === composer) box.value = "";
      if (form.matches(".edit")) close(form);
    }
    if (found.problem) say(found.problem);
  } catch {
    say(form.dataset.failed || "✗");
  } finally {
    if (button) button.disabled = false;
  }
  look();
});

function say(text) {
  document.getElementById("announce").textContent = text;
  const notice = document.createElement("div");
  notice.className = "notice notice-wait";
  const line = document.createElement("p");
  line.textContent = text;
  notice.append(line);
  panel?.replaceChildren(notice);
}

/* An edit opens in the place of its card, and gives it back. */
document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-edit], [data-cancel]");
  if (!link) return;
  event.preventDefault();
  if (link.matches("[data-cancel]")) return close(link.closest("form.edit"));
  const address = new URL(link.href);
  address.searchParams.set("part", "1");
  const answer = await fetch(address);
  if (!answer.ok) return say(link.textContent + " ✗");
  const place = link.closest(".board-card") ?? link.parentElement;
  const form = [...parse(await answer.text())].find((node) => node.nodeName === "FORM");
  place.after(form);
  place.hidden = true;
  form.querySelector("textarea").focus();
});

function close(form) {
  const place = form.previousElementSibling;
  form.remove();
  if (place) place.hidden = false;
  board.dataset.version = "";
}

panel?.addEventListener("click", (event) => {
  if (event.target.closest("[data-close]")) panel.replaceChildren();
});

box?.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  composer.requestSubmit();
});

const KEYS = {
  m: "#message",
  a: ".proposal button[name=accept]",
  r: ".proposal button[name=refuse]",
  u: "[data-undo]",
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return close_all();
  if (event.target.closest("input, textarea, select")) return;
  const found = KEYS[event.key] && document.querySelector(KEYS[event.key]);
  if (!found) return;
  event.preventDefault();
  if (event.key === "m") found.focus();
  else found.click();
});

function close_all() {
  panel?.replaceChildren();
  for (const form of document.querySelectorAll("form.edit")) close(form);
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) look();
});
const talk = document.getElementById("board-talk");
talk.scrollTop = talk.scrollHeight;
timer = setTimeout(look, BUSY);

// The scan page: counts a choice before anything is sent, starts it, follows it by
// its number, and says what a click would keep. Rows come rendered from the server.

const scan = document.getElementById("scan");
const choice = document.getElementById("choice");
const keep = document.getElementById("keep");
const rows = document.getElementById("rows");
const by = (id) => document.getElementById(id);
const POLL_MS = 150;
const IDLE_MS = 3000;

let run = Number(scan.dataset.run);
let seen = Number(scan.dataset.seen);
let timer = 0;
let counting = 0;

async function post(url, form) {
  const answer = await fetch(url, {
    method: "POST",
    body: new FormData(form),
    headers: { Accept: "application/json" },
  });
  return { ok: answer.ok, found: await answer.json().catch(() => ({})) };
}

// --- Choosing --------------------------------------------------------------

async function count() {
  const turn = ++counting;
  by("counted").textContent = "…";
  const { ok, found } = await post(scan.dataset.count, choice);
  if (turn !== counting) return;
  refuse(ok ? null : found);
  by("counted").textContent = ok ? [found.words, ...found.problems].join(" · ") : "";
  list(by("counted-more"), ok ? found.left_out : []);
}

function refuse(found) {
  by("problem").hidden = !found?.problem;
  by("problem").textContent = found?.problem ?? "";
  by("retype").hidden = !found?.retype;
  by("retyped").placeholder = found?.retype ?? "";
}

function list(details, lines) {
  details.hidden = !lines.length;
  details.querySelector("ul").replaceChildren(
    ...lines.map((line) => {
      const item = document.createElement("li");
      item.textContent = line;
      return item;
    }),
  );
}

choice.addEventListener("change", count);

choice.addEventListener("submit", async (event) => {
  event.preventDefault();
  by("start").disabled = true;
  counting++;
  const { ok, found } = await post(choice.action, choice);
  refuse(ok ? null : found);
  if (found.retype) by("retyped").focus();
  by("counted").textContent = "";
  list(by("counted-more"), []);
  if (!ok) by("start").disabled = false;
  else follow();
});

// --- Following -------------------------------------------------------------

async function follow() {
  clearTimeout(timer);
  let wait = IDLE_MS;
  try {
    const answer = await fetch(`${scan.dataset.progress}?run=${run}&after=${seen}`);
    if (answer.ok) {
      const found = await answer.json();
      show(found);
      if (found.stage === "running") wait = POLL_MS;
    }
  } finally {
    timer = setTimeout(follow, document.hidden ? IDLE_MS : wait);
  }
}

function show(found) {
  const running = found.stage === "running";
  by("start").disabled = running;
  by("stop").querySelector("button").disabled = !running;
  if (found.stage === "none") return;
  if (found.run !== run) begin(found.run);
  by("run").hidden = false;
  by("bar").max = found.total;
  by("bar").value = running ? found.done : found.total;
  by("words").textContent = found.words;
  by("closing").textContent = found.closing;
  list(by("left-out"), running ? [] : found.left_out);
  seen = found.seen;
  if (found.rows.length) add(found.rows);
}

function begin(number) {
  run = number;
  seen = 0;
  rows.replaceChildren();
  by("run-number").value = number;
  by("table").hidden = true;
  by("by")?.remove();
  ticked();
}

function add(rendered) {
  const holder = document.createElement("template");
  holder.innerHTML = rendered.join(""); // escaped by the server's template
  rows.append(holder.content);
  by("table").hidden = false;
  if (by("keep-bar")) by("keep-bar").hidden = false;
  ticked();
}

by("stop").addEventListener("submit", async (event) => {
  event.preventDefault();
  await post(event.target.action, event.target);
  follow();
});

// --- Keeping ---------------------------------------------------------------

function ticked() {
  const button = by("keep-button");
  if (!button) return;
  const n = keep.querySelectorAll("[name=row]:checked").length;
  button.disabled = !n;
  const { none, one, many } = button.dataset;
  button.textContent = n === 0 ? none : n === 1 ? one : many.replace("%n", n);
}

keep.addEventListener("change", ticked);
document.addEventListener("visibilitychange", () => document.hidden || follow());

// What was not kept goes with the page (a reload comes back in time).
addEventListener("pagehide", () => {
  const token = new FormData();
  token.set("csrfmiddlewaretoken", choice.elements.csrfmiddlewaretoken.value);
  navigator.sendBeacon(scan.dataset.leave, token);
});

ticked();
count();
follow();

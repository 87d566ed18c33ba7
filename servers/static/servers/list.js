// Fills in states after the page is there, and asks again while some are pending.

const table = document.querySelector("[data-states]");
const WORDS = { ready: "ready", loading: "loading", auth: "wants a key", empty: "no model", silent: "no answer", unknown: "unknown" };
const CHIPS = { silent: "failed" };
let waits = [300, 700, 1500, 3000];

async function ask() {
  const answer = await fetch(table.dataset.states, { headers: { Accept: "application/json" } });
  if (!answer.ok) return;
  const found = await answer.json();
  found.servers.forEach(show);
  if (found.pending && waits.length) setTimeout(ask, waits.shift());
}

function show(server) {
  const row = table.querySelector(`[data-server="${server.pk}"]`);
  if (!row) return;
  const chip = row.querySelector("[data-state]");
  chip.textContent = server.pending && server.state === "unknown" ? "asking…" : WORDS[server.state] ?? server.state;
  chip.className = `chip chip-${CHIPS[server.state] ?? server.state}`;
  row.querySelector("[data-age]").textContent = server.age_seconds === null ? "" : ageOf(server.age_seconds);
  const more = server.models.length;
  row.querySelector("[data-more]").textContent = more > 1 ? `${more} models` : "";
}

function ageOf(seconds) {
  if (seconds < 60) return `${seconds} s ago`;
  return `${Math.round(seconds / 60)} min ago`;
}

if (table) ask();

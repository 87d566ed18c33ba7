// What every page can do: keys, copying, and times in the reader's own zone.

const typing = (target) => target.closest("input, textarea, select, [contenteditable]");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (event.key === "?") {
    document.getElementById("keys")?.togglePopover();
  } else if (event.key === "n") {
    document.querySelector("[data-key=n]")?.click();
  } else if (event.key === "/") {
    const field = document.querySelector("[data-key='/']");
    if (!field) return;
    event.preventDefault();
    field.focus();
  }
});

// <button data-copy="CSS selector"> copies that element's text (or value).
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const scope = button.closest(button.dataset.within || "body");
  const source = scope?.querySelector(button.dataset.copy);
  if (!source) return;
  const copied = await copy(source.value ?? source.textContent);
  const before = button.textContent;
  button.textContent = copied ? button.dataset.done || "✓" : button.dataset.failed || "✗";
  setTimeout(() => (button.textContent = before), 1500);
});

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text); // Plain http on a LAN has no clipboard interface.
  }
}

function copyBySelection(text) {
  const area = document.createElement("textarea");
  const focused = document.activeElement;
  area.value = text;
  area.className = "sr-only";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  focused?.focus();
  return done;
}

// <details class="menu"> closes like a menu does.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.querySelector("details.menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// The exact time on hover, in the reader's zone.
export function tellTimes(root = document) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.valueOf())) time.title = at.toLocaleString();
  }
}
tellTimes();

// The page of a gpt: Ctrl+Enter asks, an input of kind file takes a chosen file's text
// into its box, where it can be read before it is sent, and the match is told anew once
// the server's claims were read.

for (const box of document.querySelectorAll("textarea[data-file]")) {
  const choice = document.createElement("input");
  choice.type = "file";
  choice.className = "file-choice";
  choice.setAttribute("aria-label", box.dataset.file);
  choice.addEventListener("change", async () => {
    const file = choice.files[0];
    if (!file) return;
    const text = await textOf(file);
    choice.setCustomValidity(text === null ? box.dataset.fileFailed : "");
    choice.reportValidity();
    if (text !== null) box.value = text;
  });
  box.after(choice);
}

async function textOf(file) {
  try {
    const bytes = await file.slice(0, 4 << 20).arrayBuffer();
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  const form = document.querySelector("form.gpt-form");
  form?.querySelector("button.btn-primary:not(:disabled)")?.click();
});

const match = document.getElementById("match");
if (match?.dataset.tiles) tellMatch(10);

async function tellMatch(again) {
  const read = await fetch(match.dataset.tiles).catch(() => null);
  if (!read?.ok) return;
  if (read.headers.get("X-Pending") === "1" && again > 0) {
    setTimeout(() => tellMatch(again - 1), 700);
    return;
  }
  const response = await fetch(match.dataset.list).catch(() => null);
  if (!response?.ok) return;
  const { gpts } = await response.json();
  const found = gpts.find((gpt) => gpt.stem === match.dataset.stem);
  if (!found) return;
  match.querySelector("[data-reason]").textContent = found.match.reason;
  match.className = { ok: "fits", no: "fits-not" }[found.match.verdict] || "";
  if (found.match.verdict === "ok") match.replaceChildren(match.firstElementChild);
}

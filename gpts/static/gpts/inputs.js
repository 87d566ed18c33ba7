// The form of a gpt: Ctrl+Enter asks, and an input of kind file takes a chosen file's
// text into its box, where it can be read before it is sent.

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

// Sets the chosen theme before the first paint; the admin reads the same word.
"use strict";
{
  const themes = ["auto", "light", "dark"];
  const root = document.documentElement;

  const chosen = () => {
    try {
      const kept = localStorage.getItem("theme");
      return themes.includes(kept) ? kept : "auto";
    } catch {
      return "auto"; // Storage may be switched off; the system's theme remains.
    }
  };

  const show = (theme) => {
    root.dataset.theme = theme;
    for (const input of document.querySelectorAll("input[name=theme]")) {
      input.checked = input.value === theme;
    }
  };

  show(chosen());
  document.addEventListener("DOMContentLoaded", () => show(chosen()));
  addEventListener("storage", () => show(chosen()));
  document.addEventListener("change", (event) => {
    if (event.target.name !== "theme" || !themes.includes(event.target.value)) return;
    try {
      localStorage.setItem("theme", event.target.value);
    } catch {
      // Not kept then; still shown.
    }
    show(event.target.value);
  });
}

// The page's sentences, translated by the server, with their blanks filled in here.

const words = JSON.parse(document.getElementById("page-words")?.textContent || "{}");

export function say(name, blanks = {}) {
  const text = words[name] ?? "";
  return text.replace(/\{(\w+)\}/g, (whole, blank) => blanks[blank] ?? whole);
}

export function span(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return say("seconds", { count: whole });
  return say("minutes", { minutes: Math.floor(whole / 60), seconds: whole % 60 });
}

export function announce(text) {
  const place = document.getElementById("announce");
  if (place) place.textContent = text;
}

// Puts the server-rendered card in its place, and asks again while it is being read.

const place = document.querySelector("[data-fragment]");
let waits = [300, 700, 1500, 3000];

async function ask() {
  const answer = await fetch(place.dataset.fragment);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  place.replaceChildren(...page.body.childNodes);
  if (answer.headers.get("X-Pending") === "1" && waits.length) setTimeout(ask, waits.shift());
}

if (place) ask();

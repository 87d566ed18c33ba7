/* The rows of the page of Claude sessions, which may take a while. */

const place = document.querySelector("[data-rows]");

async function load() {
  const answer = await fetch(place.dataset.rows, { credentials: "same-origin" });
  if (!answer.ok) throw new Error(String(answer.status));
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  place.replaceChildren(...page.body.childNodes);
}

load().catch(() => {
  place.querySelector("[data-waiting]").hidden = true;
  place.querySelector("[data-failed]").hidden = false;
});

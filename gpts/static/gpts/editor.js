// The editor of a gpt: line numbers beside the text, and its problems as one types.

const text = document.getElementById("id_source");
const panel = document.getElementById("gpt-check");
const token = document.querySelector("[name=csrfmiddlewaretoken]");

if (text && panel) start();

function start() {
  const gutter = document.createElement("pre");
  const frame = document.createElement("div");
  gutter.className = "gutter";
  gutter.setAttribute("aria-hidden", "true");
  frame.className = "with-gutter";
  text.replaceWith(frame);
  frame.append(gutter, text);
  let problems = [];
  let asked = 0;
  let timer;

  const number = () => {
    const marks = new Map();
    for (const { line, fatal } of problems) {
      if (line) marks.set(line, marks.get(line) || fatal);
    }
    const count = text.value.split("\n").length;
    gutter.replaceChildren(
      ...Array.from({ length: count }, (_, index) => row(index + 1, marks)),
    );
    gutter.scrollTop = text.scrollTop;
  };

  const check = async () => {
    const turn = ++asked;
    const body = new URLSearchParams({ source: text.value });
    const headers = { "X-CSRFToken": token.value };
    const options = { method: "POST", body, headers };
    const response = await fetch(panel.dataset.check, options).catch(() => null);
    if (!response?.ok || turn !== asked) return;
    const found = await response.json();
    problems = found.problems;
    number();
    show(found);
  };

  text.addEventListener("input", () => {
    number();
    clearTimeout(timer);
    timer = setTimeout(check, 250);
  });
  text.addEventListener("scroll", () => (gutter.scrollTop = text.scrollTop));
  number();
  check();
}

function row(line, marks) {
  const made = document.createElement("div");
  made.textContent = line;
  if (marks.has(line)) made.className = marks.get(line) ? "is-fatal" : "is-warned";
  return made;
}

function show(found) {
  const list = found.problems.map(problemItem);
  if (!list.length) list.push(item(panel.dataset.fine));
  panel.querySelector(".gpt-problems").replaceChildren(...list);
  panel.querySelector(".gpt-servers").replaceChildren(...found.servers.map(serverItem));
  panel.querySelector(".gpt-remark").textContent = found.remark;
}

function problemItem({ line, message, fatal }) {
  const made = item(` ${message}`, fatal ? "is-fatal" : "");
  if (line) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `${panel.dataset.line} ${line}`;
    button.addEventListener("click", () => goTo(line));
    made.prepend(button);
  }
  return made;
}

function serverItem({ server, reason, css_class: cssClass }) {
  const made = item("");
  const name = document.createElement("strong");
  const words = document.createElement("span");
  name.textContent = `${server} `;
  words.textContent = reason;
  words.className = cssClass;
  made.append(name, words);
  return made;
}

function item(words, cssClass = "") {
  const made = document.createElement("li");
  made.textContent = words;
  made.className = cssClass;
  return made;
}

function goTo(line) {
  const lines = text.value.split("\n");
  const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  text.focus();
  text.setSelectionRange(start, start + lines[line - 1].length);
  text.scrollTop = (text.scrollHeight / lines.length) * Math.max(0, line - 6);
}

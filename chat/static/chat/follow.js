// Follows one turn: what happens arrives by EventSource, the finished turn as HTML.
// One stream per page, and only while something runs.

import { announce, say, span } from "./words.js";

const QUIET_SECONDS = 3;
const AGAIN_MS = 2000;

let current = null;

export function followFirst() {
  const turn = document.querySelector("[data-follow]");
  if (turn && current?.article !== turn) {
    current?.leave();
    current = new Following(turn);
  }
  return Boolean(turn);
}

export const running = () => current?.article ?? null;

// A phone froze the page, the network went, the laptop slept: ask how it stands.
export function reconcile() {
  if (current) current.reconcile();
  else followFirst();
}

class Following {
  constructor(article) {
    this.article = article;
    this.began = Date.now();
    this.heard = Date.now();
    this.quiet = null;
    this.busyWith = "";
    this.paused = null;
    this.ending = "";
    this.open();
    this.timer = setInterval(() => this.tick(), 500);
    this.tick();
  }

  open() {
    this.fresh = true;
    this.source = new EventSource(`${this.article.dataset.follow}?html=1`);
    this.source.onopen = () => {
      this.lost = false;
      this.heard = Date.now();
    };
    this.source.onerror = () => this.onError();
    for (const kind of ["started", "text", "reasoning", "tool", "heartbeat", "queue",
      "rate_limited", "html", "final", "end"]) {
      this.source.addEventListener(kind, (event) => {
        this.heard = Date.now();
        if (kind !== "heartbeat") this.quiet = null;
        this[kind](JSON.parse(event.data));
      });
    }
  }

  leave() {
    this.source.close();
    clearInterval(this.timer);
    if (current === this) current = null;
  }

  onError() {
    this.lost = true;
    this.tick();
    // The browser tries again by itself unless the answer was a refusal.
    if (this.source.readyState === EventSource.CLOSED) setTimeout(() => this.replace(), AGAIN_MS);
  }

  async reconcile() {
    this.source.close();
    this.open();
  }

  // --- what happens ---

  started() {
    this.clear();
    this.article.dataset.state = "running";
    this.began = Date.now();
    this.busyWith = "starts";
    this.standing("");
    this.showStop();
  }

  text(data) {
    this.beginAnswer();
    const near = isNearEnd();
    this.addPlain(data.text);
    if (near) toEnd();
  }

  html(data) {
    this.beginAnswer();
    const near = isNearEnd();
    const answer = this.answer();
    if (!data.have) answer.replaceChildren();
    if (!this.tail?.isConnected) {
      this.tail = document.createElement("div");
      this.tail.className = "tail";
      answer.append(this.tail);
    }
    this.tail.before(fragmentOf(data.frozen));
    this.tail.replaceChildren(fragmentOf(data.tail));
    this.code = data.in_code ? last(this.tail.querySelectorAll("pre > code")) : null;
    this.plainPlace = null;
    if (data.plain) this.addPlain(data.plain);
    addCopyButtons(answer);
    if (near) toEnd();
  }

  reasoning(data) {
    if (this.fresh) this.clear();
    const box = this.article.querySelector("[data-reasoning]");
    box.hidden = false;
    box.querySelector("[data-reasoning-text]").append(data.text);
    this.thought = (this.thought ?? 0) + data.text.split(/\s+/).length - 1;
    const name = this.thought === 1 ? "words_one" : "words_many";
    box.querySelector("[data-reasoning-size]").textContent = say(name, { count: this.thought });
    this.busyWith = "thinking";
    this.standing("");
  }

  tool(data) {
    this.busyWith = "";
    if (data.name) this.standing(say("tool", { name: data.name }));
  }

  heartbeat(data) {
    this.quiet = { since: Date.now() - data.quiet_seconds * 1000, reason: data.reason };
  }

  queue(data) {
    // A pause, or the end of one, changes more than a number.
    if (data.resumes_at !== this.paused) {
      this.paused = data.resumes_at;
      setTimeout(() => this.refresh(), 300);
      return;
    }
    if (data.resumes_at) return;
    const before = data.ahead + data.running;
    const what = before
      ? say(before === 1 ? "ahead_one" : "ahead_many", { count: before })
      : say("next");
    const lanes = say(data.lanes === 1 ? "lanes_one" : "lanes_many", { server: this.handle(), count: data.lanes });
    this.place(what, before ? lanes : "");
  }

  rate_limited() {}

  final() {
    this.busyWith = "";
  }

  async end() {
    this.source.close();
    await this.replace();
  }

  // --- the finished turn ---

  // The turn as it stands now, while its stream goes on.
  async refresh() {
    const found = await this.fetchTurn();
    if (found && current === this && found.dataset.state !== "running") this.put(found);
  }

  async replace() {
    const found = await this.fetchTurn();
    if (!found) {
      setTimeout(() => current === this && this.replace(), AGAIN_MS);
      return;
    }
    const before = this.article.dataset.state;
    const same = found.dataset.follow && found.dataset.state === before;
    this.leave();
    this.put(found);
    if (same) setTimeout(followFirst, AGAIN_MS);
    else followFirst();
  }

  async fetchTurn() {
    try {
      const response = await fetch(this.article.dataset.fragment, { redirect: "error" });
      if (response.status === 404 || response.status === 403) location.reload();
      if (!response.ok) return null;
      return fragmentOf(await response.text()).querySelector("article");
    } catch {
      return null; // No network: tried again.
    }
  }

  put(found) {
    const near = isNearEnd();
    const open = this.article.querySelector("[data-reasoning]")?.open;
    const focused = this.article.contains(document.activeElement);
    this.article.replaceWith(found);
    this.article = found;
    this.tail = this.code = this.plainPlace = null;
    if (open) found.querySelector("[data-reasoning]").open = true;
    if (focused) document.getElementById("message")?.focus();
    addCopyButtons(found);
    if (!found.dataset.follow) announce(say("answered"));
    document.dispatchEvent(new CustomEvent("turn", { detail: found }));
    if (near) toEnd();
  }

  // --- what is shown meanwhile ---

  clear() {
    this.fresh = false;
    this.answer().replaceChildren();
    this.tail = this.code = this.plainPlace = null;
    this.ending = "";
    this.thought = 0;
    const box = this.article.querySelector("[data-reasoning]");
    box.hidden = true;
    box.querySelector("[data-reasoning-text]").textContent = "";
  }

  beginAnswer() {
    if (this.fresh) this.clear();
    if (this.busyWith !== "answering") {
      this.busyWith = "answering";
      this.standing("");
    }
  }

  answer() {
    return this.article.querySelector("[data-answer]");
  }

  // Text that is not rendered yet stands where it will: in open code, or behind the
  // last words of the tail, with the space that the rendering took away.
  addPlain(text) {
    if (this.code) {
      this.code.append(text);
    } else {
      if (!this.plainPlace?.isConnected) this.beginPlain();
      this.plainPlace.append(text);
    }
    this.ending = (this.ending + text).slice(-2);
  }

  beginPlain() {
    this.plainPlace = document.createElement("span");
    this.plainPlace.className = "tail-plain";
    const tail = this.tail?.isConnected ? this.tail : this.answer();
    if (this.ending === "\n\n") tail.append(this.plainPlace);
    else {
      if (/\s$/.test(this.ending)) this.plainPlace.append(" ");
      lastWords(tail).append(this.plainPlace);
    }
  }

  handle() {
    return this.article.querySelector(".who .handle")?.textContent ?? "";
  }

  // One line where the notice stood; an empty one takes it away.
  standing(what) {
    const place = this.article.querySelector("[data-standing]");
    place.replaceChildren();
    if (!what) return;
    const line = document.createElement("p");
    line.className = "muted small";
    line.textContent = what;
    place.append(line);
  }

  place(what, lanes) {
    const notice = this.article.querySelector("[data-notice]");
    if (!notice) {
      // Short waits are not told; this one is not short.
      if (lanes) this.refresh();
      return;
    }
    const bold = notice.querySelector("[data-what]");
    if (bold.textContent !== what) announce(what);
    bold.textContent = what;
    let rest = notice.querySelector("[data-lanes]");
    if (!rest && lanes) {
      rest = document.createElement("span");
      rest.dataset.lanes = "";
      bold.after(" ", rest);
    }
    if (rest) rest.textContent = lanes;
  }

  showStop() {
    const live = this.article.querySelector("[data-live]");
    const template = document.getElementById("stop-button");
    if (live && template && !live.querySelector("[data-stop]")) {
      live.append(template.content.cloneNode(true));
    }
  }

  // A line that lives: how long it has been quiet, or how long it has been going.
  tick() {
    const pulse = this.article.querySelector("[data-pulse]");
    if (!pulse) return;
    if (this.lost) {
      pulse.textContent = say("offline");
      return;
    }
    if (this.article.dataset.state !== "running") {
      pulse.textContent = "";
      return;
    }
    const silent = (Date.now() - (this.quiet?.since ?? this.heard)) / 1000;
    const name = this.quiet?.reason === "loading" ? "loading"
      : silent >= QUIET_SECONDS ? "quiet"
      : this.busyWith;
    const seconds = name === "quiet" || name === "loading" ? silent : (Date.now() - this.began) / 1000;
    // The first second needs no words.
    const told = name && (name !== "starts" || seconds >= 1);
    pulse.textContent = told ? say(name, { time: span(seconds), server: this.handle() }) : "";
  }
}

// Sanitised by the server; a template's content runs and loads nothing.
export function fragmentOf(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

// The innermost last block that holds words.
function lastWords(root) {
  let found = root;
  while (found.lastElementChild?.matches("p, ul, ol, li, blockquote, h3, h4, h5, h6")) {
    found = found.lastElementChild;
  }
  return found;
}

const last = (list) => list[list.length - 1] ?? null;

// The reader is at the end, and stays there while the answer grows.
export const isNearEnd = () =>
  document.documentElement.scrollHeight - innerHeight - scrollY < 120;
export const toEnd = () => scrollTo({ top: document.documentElement.scrollHeight });

export function addCopyButtons(root) {
  for (const code of root.querySelectorAll(".code")) {
    if (code.querySelector(":scope > .code-copy")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "btn btn-small code-copy";
    button.textContent = say("copy");
    button.setAttribute("aria-label", say("copy_code"));
    button.dataset.copy = "code";
    button.dataset.within = ".code";
    button.dataset.done = say("copied");
    code.append(button);
  }
}

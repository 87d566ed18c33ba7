"""The server the browser tests talk to: it answers as the question says.

    words 40 every 0.05     w1 w2 ... w40, one each 0.05 s
    quiet 4                 nothing for 4 s, then two words
    think                   reasoning, then two words
    limit 30                429 that asks to wait 30 s, the first time; then two words
    limit unknown           429 that does not say how long
    fail                    500 with an error object
    markdown, hostile       the texts below
    reply {"answer": ...}   the rest of the first line, as it is

Everything else is answered with "You said:" and the question. Each kept server has
a path of its own (/s1, /s2, ...), so that their queues and limits are apart.
"""

from __future__ import annotations

import json
from typing import Any

from tests.fakes import Replay, Seen

MARKDOWN = """\
# Locks

Some **bold** words, `code` and [a link](https://docs.example/locks).

```python
def answer() -> int:
    return 42
```

| step | time |
|---|--:|
| add | 2 ms |
"""
HOSTILE = """\
<img src=x onerror="document.title='taken'"> <script>document.title='taken'</script>

[click](javascript:document.title='taken') ![p](https://evil.example/p.png?secret)

<svg onload="document.title='taken'"></svg> [bank](https://evil.example/login)

```html
</code></pre><script>document.title='taken'</script>
```
"""


class Upstream(Replay):
    """`questions` are the last messages of all requests, in order."""

    def __init__(self) -> None:
        super().__init__({"*": self._answer})
        self.limited: set[str] = set()

    @property
    def questions(self) -> list[str]:
        return [_question(seen) for seen in self.seen if seen.method == "POST"]

    def _answer(self, seen: Seen) -> dict[str, Any]:
        if seen.path.endswith("/v1/models"):
            return {"json": {"object": "list", "data": [{"id": "tiny"}, {"id": "wee"}]}}
        if not seen.path.endswith("/v1/chat/completions"):
            return {"status": 404, "body": ""}
        question = _question(seen)
        words = question.split()
        if words[0] == "fail":
            return {"status": 500, "json": {"error": {"message": "CUDA went away"}}}
        if words[0] == "limit" and question not in self.limited:
            self.limited.add(question)
            return _limited(words[1])
        return _streamed(_pieces(question, words))


def _question(seen: Seen) -> str:
    return str(json.loads(seen.body)["messages"][-1]["content"])


def _limited(wait: str) -> dict[str, Any]:
    headers = {} if wait == "unknown" else {"retry-after": wait}
    error = {"error": {"message": "Rate limit reached"}}
    return {"status": 429, "headers": headers, "json": error}


def _pieces(question: str, words: list[str]) -> list[tuple[float, dict[str, str]]]:
    """Deltas with the seconds before each."""
    if words[0] == "words":
        count, every = int(words[1]), float(words[3])
        return [(every, {"content": f"w{n} "}) for n in range(1, count + 1)]
    if words[0] == "quiet":
        return [(0, {"role": "assistant"}), (float(words[1]), {"content": "At last."})]
    if words[0] == "think":
        thought = [(0.02, {"reasoning_content": f"t{n} "}) for n in range(30)]
        return [*thought, (0, {"content": "Thought out."})]
    first_line = question.partition("\n")[0]
    reply = first_line.removeprefix("reply ")
    texts = {"markdown": MARKDOWN, "hostile": HOSTILE, "reply": reply}
    text = texts.get(words[0], f"You said: {question}")
    return [(0.01, {"content": text[at : at + 7]}) for at in range(0, len(text), 7)]


def _streamed(pieces: list[tuple[float, dict[str, str]]]) -> dict[str, Any]:
    chunks: list[Any] = [(wait, _event(delta)) for wait, delta in pieces]
    usage = {"prompt_tokens": 7, "completion_tokens": len(pieces)}
    chunks += [_event({}, finish_reason="stop", usage=usage), b"data: [DONE]\n\n"]
    return {"headers": {"content-type": "text/event-stream"}, "chunks": chunks}


def _event(
    delta: dict[str, str],
    finish_reason: str | None = None,
    usage: dict[str, int] | None = None,
) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    chunk = {
        "id": "x",
        "object": "chat.completion.chunk",
        "model": "tiny",
        "choices": [choice],
        "usage": usage,
    }
    return f"data: {json.dumps(chunk)}\n\n".encode()

"""A loopback server whose model says what a test wants, reply by reply."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import Any

from tests.fakes import Replay


class Asked(Replay):
    """`asked` are the bodies of all questions, in order."""

    asked: list[dict[str, Any]]


@contextmanager
def model_that_says(*replies, finish="stop", listing=None):
    """The n-th question gets the n-th reply, later ones the last. Gives the server."""
    asked: list[dict[str, Any]] = []

    def answer(seen):
        asked.append(json.loads(seen.body))
        text = replies[min(len(asked), len(replies)) - 1]
        return {
            "headers": {"content-type": "text/event-stream"},
            "body": _stream(text, finish),
        }

    models = {"object": "list", "data": [{"id": "m", "object": "model"}]}
    routes = {
        "GET /v1/models": {"json": listing or models},
        "POST /v1/chat/completions": answer,
    }
    with Asked(routes) as server:
        server.asked = asked
        yield server


def _stream(text, finish):
    deltas = [{"role": "assistant"}, {"content": text}] if text else [{}]
    chunks = [{"choices": [{"index": 0, "delta": d}]} for d in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join([*lines, "data: [DONE]\n\n"])

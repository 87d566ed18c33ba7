"""Asks a loopback upstream through the real backend and the real drain."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from chat.backends.base import Request
from chat.backends.clients import close_clients
from chat.backends.openai_http import OpenAIBackend
from chat.backends.sending import Patience
from chat.backends.upstream import Upstream as Destination
from chat.backends.upstream import upstream_at
from chat.events import Body, Event
from chat.turn import Outcome, Stop, drain
from gpts.gate import Cleared, Message, Payload, clear
from servers.addresses import Origin
from servers.hosting import Hosting
from tests.chat.backends.upstream_fake import Reply, Seen, Upstream, upstream

MODEL = "m-test"


@dataclass
class Asked:
    """What a turn came to, and what the upstream saw of it."""

    outcome: Outcome
    events: list[Event]
    seen: list[Seen]
    connections: int

    @property
    def bodies(self) -> list[Body]:
        return [event.body for event in self.events]

    @property
    def sent(self) -> list[dict[str, Any]]:
        return [json.loads(request.body) for request in self.seen]


def at(port: int, **more: Any) -> Destination:
    return upstream_at(Origin("http", "127.0.0.1", port), name="server-1 (x)", **more)


def cleared_for(destination: Destination, text: str = "hello") -> Cleared:
    target = destination.destination(Hosting.LOOPBACK)
    found = clear(Payload((Message("user", text),)), target)
    assert isinstance(found, Cleared)
    return found


async def ask_at(  # noqa: PLR0913  every wish of a test by its name
    fake: Upstream,
    *,
    model: str = MODEL,
    params: Mapping[str, Any] | None = None,
    stream: bool = True,
    timeout_seconds: float | None = 20,
    stop: Stop | None = None,
    patience: Patience | None = None,
    api_key: str = "",
    text: str = "hello",
) -> Asked:
    destination = at(fake.port, api_key=api_key)
    events: list[Event] = []
    outcome = await drain(
        OpenAIBackend(destination, patience=patience or Patience(0.1, 0.01)),
        Request(cleared_for(destination, text), model, params or {}, stream),
        sink=events.append,
        timeout_seconds=timeout_seconds,
        stop=stop,
    )
    return Asked(outcome, events, fake.seen, fake.connections)


def ask(replies: Reply | Iterable[Reply], *, pause: float = 0.0, **more: Any) -> Asked:
    """One turn against these replies; everything is closed afterwards."""

    async def run() -> Asked:
        async with upstream(replies, pause=pause) as fake:
            try:
                return await ask_at(fake, **more)
            finally:
                await close_clients()

    return asyncio.run(run())


def chunk(text: str | None = None, finish: str | None = None, **more: Any) -> bytes:
    """A chunk of a stream as llama.cpp and OpenAI send it."""
    delta = {} if text is None else {"content": text}
    choice = {"index": 0, "delta": delta | more, "finish_reason": finish}
    return sse({"id": "c1", "model": MODEL, "choices": [choice]})


def sse(payload: Any) -> bytes:
    return b"data: " + json.dumps(payload).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"

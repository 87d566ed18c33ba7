"""The backend with a real llama.cpp server and a tiny model."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping
from typing import Any

import pytest

from chat.backends.base import Request
from chat.backends.clients import close_clients
from chat.backends.openai_http import OpenAIBackend
from chat.backends.sending import Patience
from chat.backends.upstream import upstream_at
from chat.events import Event
from chat.turn import Ending, Outcome, Stop, drain
from servers.addresses import Origin
from tests.chat.backends.asking import cleared_for
from tests.llama import llama, llama_router

pytestmark = pytest.mark.llama


def asked(origin: Origin, text: str = "hello world", **more: Any) -> Outcome:
    """One turn; with `stop_after` it is stopped after so many events."""
    stream: bool = more.pop("stream", True)
    params: Mapping[str, Any] = more.pop("params", {"max_tokens": 12})
    model: str = more.pop("model", "tiny")
    stop_after: int = more.pop("stop_after", 0)
    events: list[Event] = []

    async def run() -> Outcome:
        target = upstream_at(origin, name="the server", api_key=more.pop("key", ""))
        stop = Stop()

        def sink(event: Event) -> None:
            events.append(event)
            if stop_after and len(events) >= stop_after:
                stop.ask()

        try:
            return await drain(
                OpenAIBackend(target, patience=Patience(60, 0.2)),
                Request(cleared_for(target, text), model, params, stream),
                sink=sink,
                stop=stop,
                timeout_seconds=60,
            )
        finally:
            await close_clients()

    return asyncio.run(run())


class LlamaTests:
    def test_it_talks_stops_and_names_what_is_refused(self):
        with llama() as origin:
            streamed = asked(origin)
            whole = asked(origin, stream=False)
            unnamed = asked(origin, model="")
            stopped = asked(origin, params={"max_tokens": 4000}, stop_after=5)
            after = asked(origin)
            long = asked(origin, "hello world " * 20_000)
            odd = asked(origin, params={"max_tokens": "many"})

        for outcome in (streamed, whole, unnamed, after):
            assert outcome.ending is Ending.COMPLETED, outcome.error
            assert outcome.text
            assert outcome.usage.prompt_tokens
            assert outcome.finish_reason in {"length", "stop"}
        assert stopped.ending is Ending.INTERRUPTED
        assert stopped.text
        assert (long.ending, long.fault) == (Ending.FAILED, "overflow")
        assert "limit" in long.error
        assert odd.ending is Ending.FAILED
        assert "max_tokens" in odd.error

    def test_it_takes_a_server_that_has_only_begun_to_listen(self):
        importlib.import_module("openai")  # takes longer than the model loads
        with llama(slow=True) as origin:
            outcome = asked(origin)

        assert outcome.ending is Ending.COMPLETED, outcome.error

    def test_it_says_that_a_key_is_wanted(self):
        with llama(api_key="sk-right") as origin:
            missing = asked(origin)
            given = asked(origin, key="sk-right")

        assert (missing.fault, given.ending) == ("key", Ending.COMPLETED)

    def test_it_names_a_model_that_a_router_does_not_know(self):
        with llama_router() as origin:
            unknown = asked(origin, model="no-such-model")

        assert (unknown.ending, unknown.fault) == (Ending.FAILED, "model")
        assert "no-such-model" in unknown.error

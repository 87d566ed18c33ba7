"""Readings of kept servers: in the background, bounded, never in a page's way."""

from __future__ import annotations

import asyncio
import threading

import pytest

from servers.addresses import Origin
from servers.cache import Readings
from servers.claims import Claim, Claims
from servers.family import Kind
from servers.hosting import Hosting
from servers.identity import Identity
from servers.retained import Kept

IDENTITY = Identity(kind=Kind.LLM, family="vllm", name="vLLM")


def kept(pk: int = 1, **more) -> Kept:
    facts = {
        "handle": f"server-{pk}",
        "label": "",
        "family": "vllm",
        "default_model": "m",
        "hosting": Hosting.LAN,
        "slots": None,
        "fallback": None,
        "origin": Origin("http", "127.0.0.1", 9),
        "api_key": "",
        **more,
    }
    return Kept(pk=pk, **facts)


class Reader:
    """Answers when released; counts who was asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.release = threading.Event()
        self.done = threading.Event()
        self.started = threading.Event()

    async def __call__(self, server: Kept):
        self.asked.append(server.pk)
        self.started.set()
        await asyncio.to_thread(self.release.wait, 10)
        asyncio.get_running_loop().call_soon(self.done.set)
        return IDENTITY, (Claims("m", context_tokens=Claim(8192, "GET /x")),)


@pytest.fixture
def reader():
    found = Reader()
    yield found
    found.release.set()


class ReadingsTests:
    def settle(self, cache: Readings, server: Kept) -> None:
        for _ in range(500):
            if not cache.pending(server):
                return
            threading.Event().wait(0.01)
        raise AssertionError("the reading did not end")

    def test_it_answers_at_once_while_a_server_is_being_read(self, reader):
        cache = Readings(reader)
        assert cache.refresh([kept()]) == 1
        assert cache.latest(kept()) is None
        assert cache.pending(kept())

    def test_it_gives_what_was_read_and_does_not_ask_again(self, reader):
        cache = Readings(reader)
        reader.release.set()
        cache.refresh([kept()])
        self.settle(cache, kept())
        found = cache.latest(kept())
        assert found and found.identity is IDENTITY
        assert found.claims_of("m").context_tokens.value == 8192
        assert found.claims_of("other") == Claims("other")
        assert cache.refresh([kept()]) == 0
        assert reader.asked == [1]

    def test_it_asks_a_server_once_however_many_pages_want_it(self, reader):
        cache = Readings(reader)
        assert [cache.refresh([kept()]) for _ in range(5)] == [1, 0, 0, 0, 0]

    def test_it_takes_another_address_or_key_for_another_server(self, reader):
        cache = Readings(reader)
        reader.release.set()
        cache.refresh([kept()])
        self.settle(cache, kept())
        assert cache.latest(kept(api_key="other")) is None
        assert cache.latest(kept(origin=Origin("http", "127.0.0.1", 10))) is None

    def test_it_leaves_an_unreadable_server_alone(self, reader):
        assert Readings(reader).refresh([kept(unreadable=True)]) == 0

    def test_it_keeps_what_was_known_when_a_reading_fails(self, reader):
        cache = Readings(reader, fresh_seconds=0)
        reader.release.set()
        cache.refresh([kept()])
        self.settle(cache, kept())

        async def broken(server: Kept):
            raise TimeoutError

        cache.reader = broken
        cache.refresh([kept()])
        self.settle(cache, kept())
        assert cache.latest(kept())

"""States and claims of kept servers, in memory, each with its age.

Pages read what is here and never wait; asking for a refresh starts one in the
background. Nothing is written anywhere: unknown until read, gone with the process.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from django.conf import settings

from servers.claims import Claims
from servers.identity import Identity
from servers.reading import read_server
from servers.retained import Kept

# Readings in flight at once, over all servers: a page must not become a storm.
IN_FLIGHT = 16
# One reading ends after this many seconds whatever the server does.
BUDGET_SECONDS = 5.0
# A server read this recently is not asked again.
FRESH_SECONDS = 10.0

Reader = Callable[[Kept], Awaitable[tuple[Identity, tuple[Claims, ...]]]]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a server said at `at` (seconds of `time.time`)."""

    identity: Identity
    claims: tuple[Claims, ...]
    at: float

    def claims_of(self, model: str) -> Claims:
        """Claims of one model; all unknown for a model that was not listed."""
        for claims in self.claims:
            if claims.model == model:
                return claims
        return Claims(model)


@dataclass(slots=True)
class Readings:
    """The cache and its one background loop. Thread-safe."""

    reader: Reader
    fresh_seconds: float = FRESH_SECONDS
    _found: dict[tuple[object, ...], Reading] = field(default_factory=dict)
    _pending: set[tuple[object, ...]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _loop: asyncio.AbstractEventLoop | None = None
    _slots: asyncio.Semaphore | None = None

    def latest(self, server: Kept) -> Reading | None:
        """What was read last of this server, at this address and with this key."""
        with self._lock:
            return self._found.get(_identity_of(server))

    def pending(self, server: Kept) -> bool:
        with self._lock:
            return _identity_of(server) in self._pending

    def refresh(self, servers: Iterable[Kept]) -> int:
        """Start reading those that are not fresh; returns at once with their number."""
        wanted = [server for server in servers if self._claim(server)]
        for server in wanted:
            asyncio.run_coroutine_threadsafe(self._read(server), self._running_loop())
        return len(wanted)

    def _claim(self, server: Kept) -> bool:
        """Take its reading on, unless it is fresh, under way or unreadable."""
        key = _identity_of(server)
        with self._lock:
            found = self._found.get(key)
            fresh = found and time.time() - found.at < self.fresh_seconds
            if server.unreadable or fresh or key in self._pending:
                return False
            self._pending.add(key)
            return True

    async def _read(self, server: Kept) -> None:
        key = _identity_of(server)
        try:
            async with self._gate(), asyncio.timeout(BUDGET_SECONDS):
                identity, claims = await self.reader(server)
            with self._lock:
                self._found[key] = Reading(identity, claims, time.time())
        except TimeoutError:
            # Any failure leaves what was known; its age tells.
            pass
        finally:
            with self._lock:
                self._pending.discard(key)

    def _gate(self) -> asyncio.Semaphore:
        if self._slots is None:
            self._slots = asyncio.Semaphore(IN_FLIGHT)
        return self._slots

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(
                    target=self._loop.run_forever, name="readings", daemon=True
                ).start()
            return self._loop


def _identity_of(server: Kept) -> tuple[object, ...]:
    """A changed address or key is another server to ask."""
    return (server.pk, server.origin, hash(server.api_key))


async def _read_kept(server: Kept) -> tuple[Identity, tuple[Claims, ...]]:
    """With the server's own key: it was designated by being kept."""
    return await read_server(
        server.origin,
        server.api_key,
        budget_seconds=settings.LLMHUB_PROBE_SECONDS,
        cgnat_is_lan=settings.LLMHUB_CGNAT_IS_LAN,
    )


readings = Readings(_read_kept)

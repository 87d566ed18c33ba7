"""The one thread that writes for all running turns, and what it does between.

Keeps what arrived, looks for turns that commands left as rows, renews the lease and
applies the retention rule. Knows no task and no follower.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from django.db import DatabaseError, connection

from chat.engine import jobs, rows
from chat.engine.jobs import Job, Recovered
from chat.engine.lease import RENEW_SECONDS, Lease
from chat.engine.live import Delta
from chat.engine.rows import Ended
from chat.transcript import delete_unused_since

logger = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often, in seconds, and how many; the settings of one engine."""

    turn_seconds: float = 600.0
    flush: float = 0.25
    # Looking for what commands left as rows.
    look: float = 0.5
    # A turn that is over is kept in memory so long, for followers who come back.
    linger: float = 30.0
    retention_days: int = 0
    retention_every: float = 3600.0
    # A server that limits every attempt is not asked for ever by itself.
    attempts_by_itself: int = 10


@dataclass(frozen=True, slots=True)
class Found:
    """What a beat found: turns to queue, keys to stop, whether the lease is ours."""

    jobs: tuple[Job, ...] = ()
    stops: tuple[int, ...] = ()
    ours: bool = True


class Writer:
    """`open` and `close` once; everything in between runs in order."""

    def __init__(self, rhythm: Rhythm, now: Callable[[], datetime]) -> None:
        self._rhythm = rhythm
        self._now = now
        self._lease = Lease()
        self._thread = ThreadPoolExecutor(1, "llmhub-rows")
        self._unwritten: list[Delta] = []
        self._ended: list[tuple[Ended, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._looked = self._renewed = time.monotonic()
        self._swept = float("-inf")

    async def open(self) -> tuple[dict[str, list[int]], Recovered]:
        """Take the engine and say what was left. Raises EngineTaken."""
        await self.run(self._lease.take)
        now = self._now()
        served = await self.run(jobs.served_since, now - timedelta(days=7))
        return served, await self.run(jobs.recover, now)

    async def close(self) -> None:
        await self.run(self._lease.release)
        await self.run(_disconnect)
        self._thread.shutdown()

    async def run(self, call: Callable[..., T], *values: object) -> T:
        """`call` in the writer's thread, after all that was asked before."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, _fresh, call, *values)

    async def keep(self, ended: Ended) -> None:
        """Write how a turn ended, with all others that end at the same moment."""
        loop = asyncio.get_running_loop()
        written = loop.create_future()
        self._ended.append((ended, written))
        if len(self._ended) == 1:
            self._writing = loop.create_task(self._write_endings(), name="endings")
        await written

    async def _write_endings(self) -> None:
        ended, self._ended = self._ended, []
        try:
            await self.run(rows.finish, [one for one, _written in ended])
        except Exception as error:  # noqa: BLE001  whoever waits must hear of the end
            # The pieces are there: the next start finds these turns interrupted.
            what = type(error).__name__
            logger.error("The ends of %d turns were not written: %s", len(ended), what)
        for _one, written in ended:
            if not written.done():
                written.set_result(None)

    async def beat(self, arrived: Iterable[Delta], known: set[int]) -> Found:
        """Four times a second; does nothing where there is nothing to do."""
        self._unwritten += arrived
        clock = time.monotonic()
        if not self._unwritten and clock - self._looked < self._rhythm.look:
            return Found()
        pieces = list(self._unwritten)
        try:
            found = await self.run(self._beat, pieces, known)
        except Exception as error:  # noqa: BLE001  the heart of the engine beats on
            # A locked or full disk: what came is kept here and tried again.
            logger.error("Turns could not be flushed: %s", type(error).__name__)
            return Found()
        del self._unwritten[: len(pieces)]
        return found

    def _beat(self, pieces: list[Delta], known: set[int]) -> Found:
        rows.flush(pieces)
        clock = time.monotonic()
        left: list[Job] = []
        stops: list[int] = []
        ours = True
        if clock - self._looked >= self._rhythm.look:
            self._looked = clock
            left, stops = jobs.asked_elsewhere(known)
        if clock - self._renewed >= RENEW_SECONDS:
            self._renewed = clock
            ours = self._lease.renew()
        if clock - self._swept >= self._rhythm.retention_every:
            self._swept = clock
            self._sweep()
        return Found(tuple(left), tuple(stops), ours)

    def _sweep(self) -> None:
        days = self._rhythm.retention_days
        if days:
            delete_unused_since(self._now() - timedelta(days=days))


def _fresh(call: Callable[..., T], *values: object) -> T:
    """A connection that failed is not used again."""
    try:
        return call(*values)
    except DatabaseError:
        connection.close()
        raise


def _disconnect() -> None:
    """This thread's connection, which `connection` names only inside it."""
    connection.close()

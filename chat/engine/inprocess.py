"""The default engine: asyncio tasks in the one web process.

Owns the running of turns from submit to the row that says how they ended. Events fan
out in memory; what arrived is written for all running turns together. Knows no page.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from chat.engine import jobs, rows
from chat.engine.base import Batches, Notice, Place
from chat.engine.jobs import Job
from chat.engine.live import Live
from chat.engine.queues import Queues
from chat.engine.rows import Ended, Prepared, Roads
from chat.engine.writer import Rhythm, Writer
from chat.errors import Fault
from chat.turn import Ending, Outcome, Reading, drain

logger = logging.getLogger(__name__)


class InProcess:
    """`start` and `stop` on the loop that runs the turns; the rest from anywhere."""

    def __init__(
        self,
        roads: Roads,
        rhythm: Rhythm = Rhythm(),  # noqa: B008  frozen
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._roads = roads
        self._rhythm = rhythm
        self._now = now
        self._queues = Queues(now)
        self._lives: dict[int, Live] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._attempts: dict[int, int] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._writer = Writer(rhythm, now)
        # Apart from the writer: claiming resolves names, which may take long.
        self._claims = ThreadPoolExecutor(2, "llmhub-claims")
        # The loop itself keeps only weak references to tasks.
        self._kept: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._beat: asyncio.Task[None] | None = None
        self._only: int | None = None
        self.stopping = False

    # --- life ---

    async def start(self, only: int | None = None) -> None:
        """Take the engine and pick up what was left. Raises EngineTaken.

        With `only`, for a command: this turn alone, and a hub finds the others.
        """
        self._loop = asyncio.get_running_loop()
        served, found = await self._writer.open()
        self._only = only
        self._queues.remember(served)
        for job in found.queued:
            self._join(job)
        for job, resets_at in found.limited if only is None else ():
            self._live(job)
            self._queues.pause(job, resets_at)
            self._decide(job.queue)
        self._beat = self._loop.create_task(self._run_beat(), name="flush")

    async def stop(self) -> None:
        """End every turn with its text kept, write all, give the engine back."""
        self.stopping = True
        for live in self._lives.values():
            live.stop.ask()
        if self._kept:
            await asyncio.wait(list(self._kept), timeout=5)
        for timer in self._timers.values():
            timer.cancel()
        if self._beat is not None:
            self._beat.cancel()
            await asyncio.gather(self._beat, return_exceptions=True)
        for live in self._lives.values():
            live.end(live.ended or "stopped")
        await self._writer.close()
        self._claims.shutdown(wait=False, cancel_futures=True)

    def recover(self) -> None:
        """What `start` does first; by itself for the contract's sake."""
        jobs.recover(self._now())

    # --- from any thread ---

    def submit(self, key: int) -> None:
        job = jobs.job_by_key(key)
        if job is not None:
            self._from_outside(self._join, job)

    def resume(self, key: int) -> None:
        job = jobs.requeued(key)
        if job is not None:
            self._from_outside(self._resume, job)

    def cancel(self, key: int) -> None:
        self._from_outside(self._cancel, key)

    def continue_by_itself(self, key: int, wanted: bool) -> None:
        """Whether a rate limited turn goes on when the limit is over."""
        turn = rows.set_by_itself(key, wanted)
        if turn is not None and turn.resets_at and not turn.live:
            job = jobs.job_of(turn)
            if job is not None:
                self._from_outside(self._wait_or_not, job, wanted, turn.resets_at)

    def place(self, key: int) -> Place | None:
        live = self._lives.get(key)
        return live.place if live is not None else None

    def running(self) -> int:
        return len(self._tasks)

    # --- following, on the loop ---

    def live(self, key: int) -> Live | None:
        return self._lives.get(key)

    async def follow(self, key: int, after: int = 0) -> Batches:
        live = self._lives.get(key)
        if live is None:
            yield [Notice("end", {"state": "over"})]
            return
        async for batch in live.follow(after):
            yield batch

    # --- the queue, on the loop ---

    def _from_outside(self, call: Callable[..., None], *values: Any) -> None:
        if self._loop is None or self.stopping:
            return
        # The caller's context ends with its request; nothing here may hang on it.
        fresh = contextvars.Context()
        self._loop.call_soon_threadsafe(call, *values, context=fresh)

    def _join(self, job: Job) -> None:
        if job.key in self._queues or self.stopping:
            return
        if self._only not in (None, job.key):
            return
        self._live(job)
        self._queues.join(job)
        self._decide(job.queue)

    def _resume(self, job: Job) -> None:
        self._live(job)
        self._queues.resume(job)
        self._decide(job.queue)

    def _wait_or_not(self, job: Job, wanted: bool, resets_at: datetime) -> None:
        waits = self._queues.waiting(job.key)
        if wanted and not waits and resets_at > self._now():
            self._live(job)
            self._queues.pause(job, resets_at)
            self._decide(job.queue)
        elif waits and not wanted:
            name = self._queues.leave(job.key)
            self._end(job.key, "rate_limited")
            self._decide(name)

    def _cancel(self, key: int) -> None:
        live = self._lives.get(key)
        if key in self._tasks and live is not None:
            live.stop.ask()
            return
        name = self._queues.leave(key)
        self._spawn(self._give_up(key), f"give up {key}")
        if name:
            self._decide(name)

    async def _give_up(self, key: int) -> None:
        await self._writer.run(rows.give_up, key)
        self._end(key, Ending.INTERRUPTED.value)

    def _decide(self, name: str) -> None:
        """Start what may start, tell who waits where they stand, set the alarm."""
        jobs, wake_at = self._queues.decide(name)
        for job in jobs:
            self._lives[job.key].stand(None)
            task = self._spawn(self._run(job), f"turn {job.key}")
            self._tasks[job.key] = task
        for key, place in self._queues.places(name).items():
            self._lives[key].stand(place)
        self._set_alarm(name, wake_at)

    def _set_alarm(self, name: str, wake_at: datetime | None) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()
        if wake_at is None or self._loop is None:
            return
        # Half a minute at most: clocks are set, laptops sleep.
        wait = min(max((wake_at - self._now()).total_seconds(), 0.0) + 0.01, 30.0)
        self._timers[name] = self._loop.call_later(wait, self._decide, name)

    # --- one turn ---

    async def _run(self, job: Job) -> None:
        live = self._lives[job.key]
        reading = Reading()
        try:
            outcome = await self._outcome(live, reading)
        except Exception as error:  # noqa: BLE001  the turn's border: it must end
            logger.error("A turn failed inside the hub: %s", type(error).__name__)
            said = _("The hub failed while this was being answered.")
            outcome = reading.outcome(Ending.FAILED, said, Fault.SERVER.value)
        finally:
            self._tasks.pop(job.key, None)
        if outcome is None:
            self._decide(self._queues.leave(job.key) or job.queue)
            self._end(job.key, "over")
            return
        held = outcome.ending is Ending.RATE_LIMITED
        ended = Ended(job.key, outcome, live.last_event, self._now(), waits=held)
        await self._finish(job, ended, waits=self._free_lane(job, outcome))

    async def _outcome(self, live: Live, reading: Reading) -> Outcome | None:
        found = await self._claim(live.key)
        if not isinstance(found, Prepared):
            return found
        return await drain(
            found.backend,
            found.request,
            sink=live.take,
            timeout_seconds=found.timeout_seconds or self._rhythm.turn_seconds,
            stop=live.stop,
            reading=reading,
        )

    def _free_lane(self, job: Job, outcome: Outcome) -> bool:
        """Decide the queue anew. Whether this turn waits in it for a reset."""
        waits = False
        if outcome.ending is Ending.RATE_LIMITED and not self.stopping:
            attempts = self._attempts.get(job.key, 0) + 1
            self._attempts[job.key] = attempts
            by_itself = attempts < self._rhythm.attempts_by_itself
            resets_at = self._not_at_once(outcome.resets_at)
            waits = self._queues.limit(job.key, resets_at, by_itself=by_itself)
            if waits:
                self._lives[job.key].again()
        else:
            self._queues.leave(job.key)
        if not self.stopping:
            self._decide(job.queue)
        return waits

    def _not_at_once(self, resets_at: datetime | None) -> datetime | None:
        """A second at least: "0.01 s" said again and again is no queue."""
        if resets_at is None or resets_at <= self._now():
            return None
        return max(resets_at, self._now() + timedelta(seconds=1))

    async def _finish(self, job: Job, ended: Ended, *, waits: bool) -> None:
        """The row first: a page that hears of the end asks for it at once."""
        await self._writer.keep(ended)
        if not waits:
            self._end(job.key, ended.outcome.ending.value)
        elif not await self._writer.run(rows.continues_by_itself, job.key):
            self._wait_or_not(job, False, self._now())

    def _end(self, key: int, state: str) -> None:
        live = self._lives.get(key)
        if live is None:
            return
        live.end(state)
        self._attempts.pop(key, None)
        if self._loop is not None:
            self._loop.call_later(self._rhythm.linger, self._forget, live)

    def _forget(self, live: Live) -> None:
        if self._lives.get(live.key) is live and live.ended is not None:
            del self._lives[live.key]

    def _live(self, job: Job) -> Live:
        live = self._lives.get(job.key)
        if live is None or live.ended is not None:
            live = self._lives[job.key] = Live(job.key, job.last_event)
        return live

    # --- beside the turns ---

    async def _claim(self, key: int) -> Prepared | Outcome | None:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._claims, rows.prepare, key, self._roads)

    async def _run_beat(self) -> None:
        while True:
            await asyncio.sleep(self._rhythm.flush)
            deltas = [self._lives[key].delta() for key in self._tasks]
            arrived = [delta for delta in deltas if delta is not None]
            found = await self._writer.beat(arrived, self._queues.keys())
            for key in found.stops:
                self._cancel(key)
            for job in found.jobs:
                self._join(job)
            if not found.ours:
                self._lost()

    def _lost(self) -> None:
        """This process slept and another one took the engine."""
        logger.error("Another process took over the engine: turns here are stopped.")
        self.stopping = True
        for live in self._lives.values():
            live.stop.ask()

    def _spawn(self, work: Any, name: str) -> asyncio.Task[None]:
        """A task that outlives the request that led to it, in a context of its own."""
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(
            work, name=name, context=contextvars.Context()
        )
        self._kept.add(task)
        task.add_done_callback(self._kept.discard)
        return task

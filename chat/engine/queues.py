"""All servers' queues of one engine: `fifo` decides, this remembers and measures.

On the engine's loop only; starts nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from chat import fifo
from chat.engine.base import Place
from chat.engine.jobs import Job


class Queues:
    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._queues: dict[str, fifo.Queue] = {}
        # Which queue a turn is in, waiting or running.
        self._jobs: dict[int, Job] = {}

    def __contains__(self, key: int) -> bool:
        return key in self._jobs

    def keys(self) -> set[int]:
        return set(self._jobs)

    def remember(self, served: dict[str, list[int]]) -> None:
        """Who was served before this engine started, the longest ago first."""
        for name, people in served.items():
            counts = {person: count for count, person in enumerate(people, 1)}
            self._queues[name] = fifo.Queue(served=counts)

    def join(self, job: Job) -> None:
        queue = self._queue(job)
        self._jobs[job.key] = job
        self._queues[job.queue] = fifo.joined(queue, _entry(job))

    def resume(self, job: Job) -> None:
        queue = self._queue(job)
        self._jobs[job.key] = job
        self._queues[job.queue] = fifo.resumed(queue, _entry(job))

    def pause(self, job: Job, resets_at: datetime) -> None:
        """After a restart: this turn goes first once that moment has passed."""
        queue = self._queue(job)
        self._jobs[job.key] = job
        entry = replace(_entry(job), first=True)
        self._queues[job.queue] = replace(
            fifo.joined(queue, entry), resumes_at=resets_at
        )

    def leave(self, key: int) -> str:
        """The queue it was in, empty when it was in none."""
        job = self._jobs.pop(key, None)
        if job is None:
            return ""
        self._queues[job.queue] = fifo.left(self._queues[job.queue], key)
        return job.queue

    def limit(self, key: int, resets_at: datetime | None, *, by_itself: bool) -> bool:
        """A rate limit ended it; whether it waits in the queue to go on."""
        job = self._jobs[key]
        queue = fifo.limited(
            self._queues[job.queue],
            key,
            resets_at=resets_at,
            by_itself=by_itself,
            now=self._now(),
        )
        self._queues[job.queue] = queue
        stays = any(entry.key == key for entry in queue.waiting)
        if not stays:
            del self._jobs[key]
        return stays

    def waiting(self, key: int) -> bool:
        job = self._jobs.get(key)
        if job is None:
            return False
        return any(entry.key == key for entry in self._queues[job.queue].waiting)

    def decide(self, name: str) -> tuple[list[Job], datetime | None]:
        """Turns of this queue to start now, and when to decide again."""
        decision = fifo.decide(self._queues[name], self._now())
        self._queues[name] = decision.queue
        return [self._jobs[entry.key] for entry in decision.start], decision.wake_at

    def places(self, name: str) -> dict[int, Place]:
        queue = self._queues[name]
        return {
            entry.key: Place(ahead, len(queue.running), queue.lanes, queue.resumes_at)
            for ahead, entry in enumerate(fifo.in_order(queue))
        }

    def resumes_at(self, name: str) -> datetime | None:
        queue = self._queues.get(name)
        return queue.resumes_at if queue else None

    def _queue(self, job: Job) -> fifo.Queue:
        """Lanes are read anew with each turn: a curator may have changed them."""
        queue = self._queues.get(job.queue, fifo.Queue())
        return replace(queue, lanes=job.lanes)


def _entry(job: Job) -> fifo.Entry:
    return fifo.Entry(job.key, job.person, job.order)

"""One server's queue: who is answered next, who waits, and until when.

Pure: a state in, a new state and what to do out. The engine runs what is decided
here; no clock, no task and no row is touched.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Entry:
    """A turn in the queue. `order` grows with the time of asking; `first`: a rate
    limit sent it back, and it goes before all others."""

    key: int
    person: int
    order: int
    first: bool = False


@dataclass(frozen=True, slots=True)
class Queue:
    """`served` counts starts: the person with the smallest number waited longest."""

    lanes: int = 1
    waiting: tuple[Entry, ...] = ()
    running: tuple[Entry, ...] = ()
    served: Mapping[int, int] = field(default_factory=dict)
    resumes_at: datetime | None = None

    @property
    def idle(self) -> bool:
        return not self.waiting and not self.running


@dataclass(frozen=True, slots=True)
class Decision:
    """The state from now on, the turns to start, and when to decide again."""

    queue: Queue
    start: tuple[Entry, ...] = ()
    wake_at: datetime | None = None


def decide(queue: Queue, now: datetime) -> Decision:
    """Which turns start now. A paused queue starts none until its limit is over."""
    if queue.resumes_at is not None:
        if now < queue.resumes_at:
            return Decision(queue, wake_at=queue.resumes_at if queue.waiting else None)
        queue = replace(queue, resumes_at=None)
    free = max(queue.lanes - len(queue.running), 0)
    start = tuple(in_order(queue)[:free])
    if not start:
        return Decision(queue)
    keys = {entry.key for entry in start}
    served = dict(queue.served)
    for entry in start:
        served[entry.person] = _next_count(served)
    queue = replace(
        queue,
        waiting=tuple(entry for entry in queue.waiting if entry.key not in keys),
        running=(*queue.running, *start),
        served=served,
    )
    return Decision(queue, start)


def in_order(queue: Queue) -> list[Entry]:
    """Everybody who waits, in the order they would start if nobody else came.

    Next is the person served least recently, then the oldest turn; whoever starts
    counts as served, so that ten turns of one person do not stand before another's.
    """
    first = sorted((e for e in queue.waiting if e.first), key=lambda entry: entry.order)
    served = dict(queue.served)
    for entry in first:
        served[entry.person] = _next_count(served)
    by_person: dict[int, deque[Entry]] = {}
    for entry in sorted(queue.waiting, key=lambda entry: entry.order):
        if not entry.first:
            by_person.setdefault(entry.person, deque()).append(entry)
    turns = [
        (served.get(person, 0), theirs[0].order, person)
        for person, theirs in by_person.items()
    ]
    heapq.heapify(turns)
    count = _next_count(served)
    ordered = first
    while turns:
        _served, _order, person = heapq.heappop(turns)
        ordered.append(by_person[person].popleft())
        if by_person[person]:
            heapq.heappush(turns, (count, by_person[person][0].order, person))
        count += 1
    return ordered


def joined(queue: Queue, entry: Entry) -> Queue:
    """With one more waiting; a turn that is there already stays where it is."""
    if any(entry.key == other.key for other in (*queue.waiting, *queue.running)):
        return queue
    return replace(queue, waiting=(*queue.waiting, entry))


def left(queue: Queue, key: int) -> Queue:
    """Without that turn: it was cancelled, or it is over and its lane is free."""
    return replace(
        queue,
        waiting=tuple(entry for entry in queue.waiting if entry.key != key),
        running=tuple(entry for entry in queue.running if entry.key != key),
    )


def limited(
    queue: Queue,
    key: int,
    *,
    resets_at: datetime | None,
    by_itself: bool,
    now: datetime,
) -> Queue:
    """After a rate limit ended a running turn.

    With a known reset (the last one seen counts) everybody waits until then and the
    turn, if it continues by itself, goes first. With an unknown or past one the turn
    waits for its person, outside, and the queue moves on.
    """
    entry = next((e for e in queue.running if e.key == key), None)
    queue = left(queue, key)
    if resets_at is None or resets_at <= now:
        return queue
    queue = replace(queue, resumes_at=resets_at)
    if entry is None or not by_itself:
        return queue
    return joined(queue, replace(entry, first=True))


def resumed(queue: Queue, entry: Entry) -> Queue:
    """The person's button: the turn goes first, and the limit is tried at once."""
    queue = left(queue, entry.key)
    return joined(replace(queue, resumes_at=None), replace(entry, first=True))


def _next_count(served: Mapping[int, int]) -> int:
    return max(served.values(), default=0) + 1

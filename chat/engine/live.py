"""One turn while it waits or runs: what came, and who is told.

In memory, on the engine's loop only. Followers keep a number and read on from there;
nothing is queued for them, so a slow one costs nothing and misses nothing.
"""

from __future__ import annotations

import asyncio
from array import array
from collections import deque
from dataclasses import dataclass
from typing import Any

from chat.engine.base import Batches, Notice, Place
from chat.events import Event, Reasoning, Started, Text
from chat.turn import Stop

# Events kept one by one for those who come back. Older ones are replayed merged,
# by kind, under the number of the last of them.
RING = 1024


@dataclass(frozen=True, slots=True)
class Delta:
    """What a turn received since it was last taken: goes into a `Piece`."""

    key: int
    number: int
    answer: str
    reasoning: str


class Live:
    def __init__(self, key: int, last_event: int = 0) -> None:
        self.key = key
        self.stop = Stop()
        self.place: Place | None = None
        # The state's word once the turn is over or waits for its person.
        self.ended: str | None = None
        # Numbers go on from earlier attempts of the same turn.
        self._base = last_event
        self._last = last_event
        self._ring: deque[Event] = deque(maxlen=RING)
        self._answer: list[str] = []
        self._reasoning: list[str] = []
        self._taken = (0, 0)
        # Characters of answer and reasoning after each event of this attempt.
        self._lengths = (array("I"), array("I"))
        self._sizes = [0, 0]
        self._first = last_event + 1
        self._waiters: list[asyncio.Future[None]] = []

    @property
    def last_event(self) -> int:
        return self._last

    @property
    def pieces(self) -> list[str]:
        """The answer so far, in the pieces that came. Not to be changed."""
        return self._answer

    # --- what the engine does ---

    def take(self, event: Event) -> None:
        """The sink of `drain`."""
        body = event.body
        if isinstance(body, Started):
            self._restart()
        if self._base:
            event = Event(self._base + event.number, body)
        self._last = event.number
        self._ring.append(event)
        if isinstance(body, Text):
            self._answer.append(body.text)
            self._sizes[0] += len(body.text)
        elif isinstance(body, Reasoning):
            self._reasoning.append(body.text)
            self._sizes[1] += len(body.text)
        self._lengths[0].append(self._sizes[0])
        self._lengths[1].append(self._sizes[1])
        self.wake()

    def again(self) -> None:
        """A new attempt follows: its events are numbered from one by `drain`."""
        self._base = self._last
        self.stop = Stop()

    def stand(self, place: Place | None) -> None:
        """Its place in the queue now; None once it runs."""
        if place != self.place:
            self.place = place
            self.wake()

    def end(self, state: str) -> None:
        self.ended = state
        self.place = None
        self.wake()

    def delta(self) -> Delta | None:
        """What came since the last call; None when nothing did."""
        answer, reasoning = self._taken
        if (len(self._answer), len(self._reasoning)) == self._taken:
            return None
        self._taken = (len(self._answer), len(self._reasoning))
        return Delta(
            self.key,
            self._last,
            "".join(self._answer[answer:]),
            "".join(self._reasoning[reasoning:]),
        )

    def wake(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    # --- what followers do ---

    async def changed(self) -> None:
        """Until something happens."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        await waiter

    async def follow(self, after: int) -> Batches:
        """What happened, in batches, from event `after` on; ends with `end`.

        A batch is empty when somebody woke everybody without news: whoever follows
        looks at its own affairs then.
        """
        place: Place | None = None
        while True:
            batch = self.since(after)
            after = max(after, self._last)
            if self.place != place:
                place = self.place
                if place is not None:
                    batch.append(Notice("queue", place.as_json()))
            if self.ended is not None:
                batch.append(Notice("end", {"state": self.ended}))
                yield batch
                return
            yield batch
            if self.ended is None and self._last == after and self.place == place:
                await self.changed()

    def since(self, after: int) -> list[Notice]:
        """The events numbered above `after`."""
        missed = self._last - after
        if missed <= 0:
            return []
        if missed <= len(self._ring):
            return [self._notice(self._ring[-n]) for n in range(missed, 0, -1)]
        return [*self._merged(after), *(self._notice(event) for event in self._ring)]

    def _merged(self, after: int) -> list[Notice]:
        """What fell out of the ring, by kind; Started first, it clears the page."""
        number = self._last - len(self._ring)
        notices = []
        if after < self._first <= number:
            notices.append(Notice("started", {"kind": "started"}, self._first))
        kinds = (("reasoning", self._reasoning, 1), ("text", self._answer, 0))
        for kind, parts, which in kinds:
            lengths = self._lengths[which]
            shown = lengths[after - self._first] if after >= self._first else 0
            until = lengths[number - self._first] if number >= self._first else 0
            if until > shown:
                said = "".join(parts)[shown:until]
                data = {"number": number, "kind": kind, "text": said}
                notices.append(Notice(kind, data, number))
        return notices

    def _notice(self, event: Event) -> Notice:
        number, body = event.number, event.body
        if isinstance(body, Text | Reasoning):
            data: dict[str, Any] = {
                "number": number,
                "kind": event.kind,
                "text": body.text,
            }
        else:
            data = event.as_json()
        return Notice(event.kind, data, number)

    def _restart(self) -> None:
        """A new attempt: what the one before had said is not this answer."""
        self._ring.clear()
        self._answer, self._reasoning = [], []
        self._taken = (0, 0)
        self._lengths = (array("I"), array("I"))
        self._sizes = [0, 0]
        self._first = self._last + 1

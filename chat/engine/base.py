"""What every engine does: run submitted turns, stop them, pick up after a restart.

Turns are named by key: the primary key of a row, or of a temporary one. All methods
but `follow` may be called from any thread and return at once; rows are the truth and
what followers hear are hints of it.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Place:
    """Where a waiting turn stands in its server's queue.

    `ahead` counts the turns that start before it, `running` those being answered on
    the same server, `lanes` how many it answers at once. `resumes_at` is set while a
    rate limit pauses the queue.
    """

    ahead: int
    running: int
    lanes: int
    resumes_at: datetime | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "ahead": self.ahead,
            "running": self.running,
            "lanes": self.lanes,
            "resumes_at": self.resumes_at and self.resumes_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing a follower hears.

    `number` is that of the last event it covers, None for what has no number of its
    own: `queue` (a Place), `html`, `end` ({"state"}: the turn is over, or waits for
    its person; the row says the rest). `data` are JSON values.
    """

    kind: str
    data: dict[str, Any] = field(default_factory=dict)
    number: int | None = None


# What followers hear together; a batch may be empty.
Batches = AsyncGenerator[list[Notice], None]


class Engine(Protocol):
    def submit(self, key: int) -> None:
        """Queue a turn whose row says queued. Twice is once."""

    def cancel(self, key: int) -> None:
        """Take it from the queue, or stop it: its text is kept. Unknown: nothing."""

    def resume(self, key: int) -> None:
        """The person's button on a turn that a rate limit ended: queue it again."""

    def continue_by_itself(self, key: int, wanted: bool) -> None:
        """Whether a turn that a rate limit ended goes on at the reset."""

    def recover(self) -> None:
        """At the start: what ran is interrupted with its text, what waits is queued."""

    def place(self, key: int) -> Place | None:
        """None once it is no longer waiting."""

    def follow(self, key: int, after: int = 0) -> Batches:
        """What happens after event number `after`, without gap or double, up to and
        with `end`, in batches, some of them empty. What was missed may come merged.
        `started` says that what came before belongs to an earlier attempt. Belongs
        to a running loop."""

"""An answer in progress as HTML, shared by all who follow it.

Owns when it is rendered anew; `streaming` says how. On the loop only.
"""

from __future__ import annotations

import asyncio
from typing import Any

from chat.engine.base import Notice
from chat.engine.live import Live
from chat.streaming import StreamingMarkdown

# Seconds between two renderings of one answer, and what each other one being
# rendered adds: a hundred at once must leave time for their tokens.
LEAST_SECONDS = 0.2
SECONDS_EACH = 0.02


class Rendering:
    """Rendered up to some event; `html_for` says what a follower lacks."""

    def __init__(self, live: Live, others: Any) -> None:
        self.live = live
        self._others = others
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._next = 0.0
        self.followers = 0
        self._begin()

    def _begin(self) -> None:
        """A new attempt is a new text."""
        self._pieces = self.live.pieces
        self._fed = 0
        self._markdown = StreamingMarkdown()
        self._frozen: list[str] = []
        self._tail = ""
        self._in_code = False
        self._shown = 0
        self.version = 0

    def html_for(self, seen: Seen) -> Notice | None:
        """Render if it is time, and say what changed since this follower looked."""
        self._advance()
        if seen.pieces is not self._pieces:
            seen.pieces, seen.version, seen.frozen = self._pieces, 0, 0
        if seen.version == self.version:
            return None
        data = {
            # How many frozen parts the page has already; 0: it begins anew.
            "have": seen.frozen,
            "frozen": "".join(self._frozen[seen.frozen :]),
            "tail": self._tail,
            "in_code": self._in_code,
            # Text that came but is not rendered yet, to be shown after the tail.
            "plain": "".join(self._pieces[self._shown :]),
        }
        seen.version, seen.frozen = self.version, len(self._frozen)
        return Notice("html", data)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _advance(self) -> None:
        if self.live.pieces is not self._pieces:
            self._begin()
        if self._fed == len(self._pieces):
            return
        now = self._loop.time()
        if now < self._next:
            self._wake_at(self._next)
            return
        self._next = now + LEAST_SECONDS + SECONDS_EACH * len(self._others)
        self._markdown.feed("".join(self._pieces[self._fed :]))
        self._fed = len(self._pieces)
        fragment = self._markdown.update()
        if fragment is None:
            return
        if fragment.frozen:
            self._frozen.append(fragment.frozen)
        self._tail, self._in_code = fragment.tail, fragment.in_code
        self._shown = self._fed
        self.version += 1

    def _wake_at(self, moment: float) -> None:
        """The last words before a silence are rendered too."""
        if self._timer is None:
            self._timer = self._loop.call_at(moment, self._due)

    def _due(self) -> None:
        self._timer = None
        self.live.wake()


class Seen:
    """What one follower has had of a rendering."""

    __slots__ = ("frozen", "pieces", "version")

    def __init__(self) -> None:
        self.pieces: list[str] | None = None
        self.version = 0
        self.frozen = 0

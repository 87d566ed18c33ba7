"""Who looks at a board right now, in the memory of this process alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

GONE_SECONDS = 12.0


class Presence:
    """`seen` with every look; somebody who has not looked for 12 s is gone."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: dict[int, dict[str, float]] = {}

    def seen(self, board: int, name: str) -> list[str]:
        """Note this person; the others that are here, by name."""
        now = self._clock()
        with self._lock:
            here = self._seen.setdefault(board, {})
            here[name] = now
            for gone in [who for who, at in here.items() if now - at > GONE_SECONDS]:
                del here[gone]
            return sorted(who for who in here if who != name)


presence = Presence()

"""A budget of seconds that counts only while this process gets to run.

On a busy machine a loop wakes late, and answers that lie in its sockets would lose to
the clock. So time is counted in small steps, each at most as long as a step should
take: a starved hub is patient, a silent server still costs its budget.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

_STEP = 0.02  # seconds between two looks at the clock
_COUNTED = 0.03  # the most that one step counts
# However starved, it ends after this many times its budget.
_STRETCH = 2


class Patience:
    """Bounds what is awaited inside `bounded()`; runs while its `async with` does."""

    def __init__(self, seconds: float) -> None:
        self._budget = seconds
        self.spent = 0.0
        self._limits: set[asyncio.Timeout] = set()
        self._ticking: asyncio.Task[None] | None = None

    @property
    def left(self) -> float:
        return max(self._budget - self.spent, 0.0)

    @property
    def over(self) -> bool:
        return self.spent >= self._budget

    async def __aenter__(self) -> Self:
        self._ticking = asyncio.create_task(self._tick())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._ticking:
            self._ticking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._ticking

    @asynccontextmanager
    async def bounded(self) -> AsyncIterator[None]:
        """Raises TimeoutError when the budget is spent before the block ends."""
        if self.over:
            raise TimeoutError
        async with asyncio.timeout(None) as limit:
            self._limits.add(limit)
            try:
                yield
            finally:
                self._limits.discard(limit)

    async def _tick(self) -> None:
        loop = asyncio.get_running_loop()
        started = before = loop.time()
        while not self.over:
            await asyncio.sleep(_STEP)
            now = loop.time()
            self.spent += min(now - before, _COUNTED)
            before = now
            if now - started > self._budget * _STRETCH:
                self.spent = self._budget
        for limit in list(self._limits):
            limit.reschedule(loop.time())

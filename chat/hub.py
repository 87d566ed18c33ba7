"""The chat of one hub process: its engine and its event streams, opened and closed.

Called by the front door at start and end; nothing here knows ASGI messages.
"""

from __future__ import annotations

import asyncio
import importlib

from django.conf import settings

from chat.backends.clients import close_clients
from chat.cards.talk import settle_ended
from chat.engine import current
from chat.engine.inprocess import InProcess
from chat.engine.lease import owner
from chat.engine.rows import turns_ended
from chat.engine.writer import Rhythm
from chat.errors import EngineTaken
from chat.roads import roads
from chat.sse import Streams
from servers.memory import remember_for

# How late this process may see what a command changed about kept servers.
REMEMBER_SECONDS = 0.5


class Hub:
    """`open` takes the engine of this database; `close` loses nothing."""

    def __init__(self) -> None:
        self.streams = Streams()
        self._engine: InProcess | None = None
        self._warming: asyncio.Task[None] | None = None

    def taken(self) -> str:
        """Why this process may not open, in one line; empty if it may. Blocking."""
        row = owner()
        return str(EngineTaken(row.machine, row.pid)) if row else ""

    async def open(self) -> None:
        """Raises EngineTaken while another process has it."""
        # A round of a board goes on though nobody looks at its page.
        turns_ended.connect(settle_ended)
        engine = InProcess(roads(), rhythm())
        await engine.start()
        remember_for(REMEMBER_SECONDS)
        self._engine = engine
        current.use(engine)
        self._warming = asyncio.create_task(_warm(), name="warm")

    def leave(self) -> None:
        """The process is about to stop: let the pages go, turns run on for now."""
        self.streams.close()

    async def close(self) -> None:
        self.streams.close()
        current.use(None)
        remember_for(0)
        if self._warming is not None:
            await self._warming
        if self._engine is not None:
            await self._engine.stop()
            self._engine = None
        await close_clients()


def rhythm() -> Rhythm:
    """The settings of the engine."""
    return Rhythm(
        turn_seconds=settings.LLMHUB_TURN_SECONDS,
        retention_days=settings.LLMHUB_RETENTION_DAYS,
    )


async def _warm() -> None:
    """Load the openai client beside the start: the first question need not wait."""
    await asyncio.to_thread(importlib.import_module, "openai")

"""A backend that plays a script: the real interface, no network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from chat.backends.base import Request
from chat.events import Body, Final, Started, Text

Step = Body | Exception | asyncio.Event | float


def answer(*texts: str) -> list[Step]:
    """A generation that ends well with these pieces."""
    return [*map(Text, texts), Final("stop", model="tiny")]


@dataclass
class Scripted:
    """Plays one script per generation, the last one again and again.

    A step is a body to yield, an exception to raise, an event to wait for, or
    seconds to wait. `requests` is what was asked; `closed` counts broken-off ones.
    """

    scripts: Sequence[Sequence[Step]]
    requests: list[Request] = field(default_factory=list)
    closed: int = 0

    async def events(self, request: Request) -> AsyncIterator[Body]:
        script = self.scripts[min(len(self.requests), len(self.scripts) - 1)]
        self.requests.append(request)
        ended = False
        try:
            yield Started(request.model)
            for step in script:
                if isinstance(step, Exception):
                    raise step
                if isinstance(step, asyncio.Event):
                    await step.wait()
                elif isinstance(step, float):
                    await asyncio.sleep(step)
                else:
                    yield step
            ended = True
        finally:
            self.closed += not ended

"""The front door: pages by Django, event streams beside it, and a lifespan.

The lifespan carries what must outlive requests: the engine's recovery at the start
and its last flush at the end, which Django's own ASGI application has no place for.
"""

from __future__ import annotations

import os
from typing import Any

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "llmhub.settings")
# Sets Django up: what follows imports models.
_django = get_asgi_application()

from django.conf import settings  # noqa: E402

from chat.errors import EngineTaken  # noqa: E402
from chat.hub import Hub  # noqa: E402
from chat.sse import turn_of_path  # noqa: E402
from llmhub.onehop import OneHopHandler  # noqa: E402


class FrontDoor:
    """Who answers what. `hub` is there to be told that the process will stop."""

    def __init__(self) -> None:
        self.hub = Hub()
        # Why the start failed, in words; empty while all is well.
        self.problem = ""
        self._pages = OneHopHandler()
        self._static = f"/{settings.STATIC_URL.strip('/')}/"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] != "http":
            # No websockets here: refused before they are accepted.
            await send({"type": "websocket.close", "code": 1000})
        elif turn_of_path(scope["path"]) is not None:
            await self.hub.streams(scope, receive, send)
        elif scope["path"].startswith(self._static):
            await _django(scope, receive, send)
        else:
            await self._pages(scope, receive, send)

    async def _live(self, receive: Any, send: Any) -> None:
        await receive()
        try:
            await self.hub.open()
        except EngineTaken as error:
            self.problem = str(error)
            await send({"type": "lifespan.startup.failed", "message": self.problem})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.hub.close()
        await send({"type": "lifespan.shutdown.complete"})


application = FrontDoor()

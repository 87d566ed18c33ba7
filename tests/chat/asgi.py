"""An ASGI client for streams: the application's own callables, no sockets."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.test import Client


def cookie_of(user: Any) -> str:
    """The Cookie header of a person who is logged in."""
    client = Client()
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    name = settings.SESSION_COOKIE_NAME
    return f"{name}={client.cookies[name].value}"


@dataclass
class Heard:
    """What a stream sent: head, and its events as (kind, id, data)."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: str = ""
    over: bool = False

    @property
    def events(self) -> list[tuple[str, int | None, Any]]:
        found = []
        for block in self.body.split("\n\n"):
            fields = dict(
                line.split(": ", 1) for line in block.split("\n") if ": " in line
            )
            if "event" in fields:
                number = int(fields["id"]) if "id" in fields else None
                found.append((fields["event"], number, json.loads(fields["data"])))
        return found

    @property
    def kinds(self) -> list[str]:
        return [kind for kind, _number, _data in self.events]

    def all_of(self, wanted: str) -> list[Any]:
        return [data for kind, _number, data in self.events if kind == wanted]


class Browser:
    """Opens one stream. `leave` is the closing of the tab."""

    def __init__(self, application: Any, path: str, **headers: str) -> None:
        self.heard = Heard()
        self._gone = asyncio.Event()
        self._asked = False
        path, _, query = path.partition("?")
        headers.setdefault("host", "127.0.0.1")
        method = headers.pop("method", "GET")
        self._scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "headers": [
                (name.replace("_", "-").encode(), value.encode())
                for name, value in headers.items()
            ],
        }
        self.task = asyncio.ensure_future(
            application(self._scope, self._receive, self._send)
        )

    def leave(self) -> None:
        self._gone.set()

    async def _receive(self) -> dict[str, Any]:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.heard.status = message["status"]
            self.heard.headers = {
                name.decode(): value.decode() for name, value in message["headers"]
            }
        else:
            self.heard.body += message.get("body", b"").decode()
            self.heard.over = not message.get("more_body", False)


async def heard_from(application: Any, path: str, **headers: str) -> Heard:
    """Everything up to the end of the stream."""
    browser = Browser(application, path, **headers)
    await browser.task
    return browser.heard

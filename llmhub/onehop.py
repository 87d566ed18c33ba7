"""Django behind one thread hop per request, in a small lasting pool.

Under ASGI Django otherwise hops for every middleware hook and makes a thread for
each request. Here a request is read on the loop, answered whole in one thread, and
written on the loop. For ordinary pages; event streams are served beside it.
"""

from __future__ import annotations

import asyncio
import contextvars
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import IO, Any

from django.conf import settings
from django.core import signals
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.http import HttpResponseBase
from django.urls import set_script_prefix

THREADS = 8
# One page at a time, unless it takes longer: then it waits for something else, and the
# next one begins beside it. Several at once would only take the interpreter's lock
# from each other and from the streams: at 100 sends at once the first words came
# after 5.4 s with three threads and after 3.2 s with one (same machine, same minute).
SLOW_SECONDS = 0.1
# Beyond what a form may hold in memory, for files and multipart boundaries.
_BODY_SLACK_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole response: status, encoded headers, body."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


class Aborted(Exception):
    """The client went away before its request was complete."""


class TooLarge(Exception):
    """The body is larger than anything the hub takes."""


class OneHopHandler(ASGIHandler):
    def __init__(self) -> None:
        # Not the parent's: it would load every middleware in its async form.
        self.load_middleware(is_async=False)
        self._pool = ThreadPoolExecutor(THREADS, "llmhub-pages")
        self._turn = asyncio.Semaphore(1)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            body = await _read(receive)
        except Aborted:
            return
        except TooLarge:
            await _write(Answer(413, [], b"The request is too large.\n"), send)
            return
        await _write(await self._answered(scope, body), send)

    async def _answered(self, scope: Any, body: IO[bytes]) -> Answer:
        """The answer, made in a thread when it is this request's turn."""
        loop = asyncio.get_running_loop()
        fresh = contextvars.Context()
        async with self._turn:
            work = loop.run_in_executor(
                self._pool, fresh.run, self._answer, scope, body
            )
            await asyncio.wait([work], timeout=SLOW_SECONDS)
        return await work

    def _answer(self, scope: Any, body: IO[bytes]) -> Answer:
        """In the thread: everything Django does for this request."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, refused = self.create_request(scope, body)
        response: Any = refused if request is None else self.get_response(request)
        try:
            return Answer(
                response.status_code,
                list(_headers(response)),
                b"".join(bytes(part) for part in response),
            )
        finally:
            # Sends request_finished.
            response.close()
            body.close()


async def _read(receive: Any) -> IO[bytes]:
    """The body, on disk where it is long. Raises Aborted or TooLarge."""
    most = (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0) + _BODY_SLACK_BYTES
    body = tempfile.SpooledTemporaryFile(  # noqa: SIM115  closed by the answer
        max_size=settings.FILE_UPLOAD_MAX_MEMORY_SIZE
    )
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            body.close()
            raise Aborted
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > most:
            body.close()
            raise TooLarge
        body.write(chunk)
        if not message.get("more_body", False):
            body.seek(0)
            return body


def _headers(response: HttpResponseBase) -> Iterable[tuple[bytes, bytes]]:
    for name, value in response.items():
        yield name.encode("ascii"), str(value).encode("latin1")
    for cookie in response.cookies.values():
        yield b"Set-Cookie", cookie.output(header="").strip().encode("ascii")


async def _write(answer: Answer, send: Any) -> None:
    start = {"status": answer.status, "headers": answer.headers}
    await send({"type": "http.response.start", **start})
    await send({"type": "http.response.body", "body": answer.body})

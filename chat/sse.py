"""Event streams, served beside Django: GET /turns/<key>/events.

A plain ASGI application. It asks Django once, in a thread, who may follow, then
streams without one; while streams are open the question is asked again. Decides
nothing about turns: it writes down what the engine says.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from json.encoder import encode_basestring_ascii
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from chat.admission import Admitted, Denied, admit, still
from chat.engine.base import Engine, Notice
from chat.engine.current import engine
from chat.engine.live import Live
from chat.rendering import Rendering, Seen

PATH = re.compile(r"/turns/(\d{1,19})/events")
COMMENT_SECONDS = 15.0
RECHECK_SECONDS = 3.0
# Turns left as rows by another process appear within a second.
_APPEARS_SECONDS = 3.0
STREAMS_PER_PERSON = 600
STREAMS = 2_000

_HEAD = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]
# EventSource comes back after a second; the default is three.
_HELLO = b"retry: 1000\n\n"


def turn_of_path(path: str) -> int | None:
    """The turn's key if the path is that of an event stream."""
    found = PATH.fullmatch(path)
    return int(found[1]) if found else None


def _key(path: str) -> int:
    return turn_of_path(path) or 0


def encode(notice: Notice) -> bytes:
    """One event of the stream. JSON here is ASCII: no line end hides in it."""
    number, data = notice.number, notice.data
    if notice.kind == "text":
        said = encode_basestring_ascii(data["text"])
        return (
            f"id: {number}\nevent: text\n"
            f'data: {{"number": {number}, "kind": "text", "text": {said}}}\n\n'
        ).encode("ascii")
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {notice.kind}\ndata: {json.dumps(data)}\n\n".encode("ascii")


class _Refusal(Exception):
    """An answer instead of a stream: status and headers."""

    def __init__(self, status: int, *headers: tuple[bytes, bytes]) -> None:
        super().__init__(status)
        self.status = status
        self.headers = headers


class Stream:
    """One open stream. `over` makes its writer return at the next wake."""

    __slots__ = ("admitted", "html", "key", "live", "over", "rendering", "said_at")

    def __init__(self, admitted: Admitted, html: bool) -> None:
        self.admitted = admitted
        self.key = admitted.turn
        self.html = html
        self.live: Live | None = None
        self.rendering: Rendering | None = None
        self.over = False
        self.said_at = asyncio.get_running_loop().time()

    def wake(self) -> None:
        if self.live is not None:
            self.live.wake()

    def leave(self) -> None:
        self.over = True
        self.wake()


class Streams:
    """All open streams of this process, and the one task that looks after them."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(2, "llmhub-streams")
        self._open: set[Stream] = set()
        self._per_person: Counter[int] = Counter()
        self._renderings: dict[int, Rendering] = {}
        self._warden: asyncio.Task[None] | None = None
        self._closing = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            admitted, after, html = await self._admit(scope)
        except _Refusal as refusal:
            await _refuse(refusal, send)
            return
        stream = Stream(admitted, html)
        self._enter(stream)
        gone = asyncio.create_task(_gone(receive, stream))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": _HEAD})
            await self._write(stream, after, send)
            with suppress(OSError):
                await send({"type": "http.response.body", "body": b""})
        finally:
            gone.cancel()
            self._leave(stream)

    def close(self) -> None:
        """The hub stops: every page will come back to the next one."""
        self._closing = True
        for stream in self._open:
            stream.leave()

    # --- opening ---

    async def _admit(self, scope: Any) -> tuple[Admitted, int, bool]:
        pairs = [(n.decode("latin1"), v.decode("latin1")) for n, v in scope["headers"]]
        headers = dict(pairs)
        if scope["method"] != "GET":
            raise _Refusal(405, (b"allow", b"GET"))
        _check_origin(headers)
        after, html = _wishes(headers, scope["query_string"])
        if self._closing or len(self._open) >= STREAMS:
            raise _Refusal(503, (b"retry-after", b"5"))
        found = await asyncio.get_running_loop().run_in_executor(
            self._pool, admit, headers.get("cookie", ""), _key(scope["path"])
        )
        if isinstance(found, Denied):
            raise _denied(found, scope["path"])
        if self._per_person[found.person] >= STREAMS_PER_PERSON:
            raise _Refusal(429, (b"retry-after", b"5"))
        return found, after, html

    def _enter(self, stream: Stream) -> None:
        self._open.add(stream)
        self._per_person[stream.admitted.person] += 1
        if self._warden is None or self._warden.done():
            self._warden = asyncio.create_task(self._watch(), name="streams")

    def _leave(self, stream: Stream) -> None:
        self._open.discard(stream)
        self._per_person[stream.admitted.person] -= 1
        if not self._per_person[stream.admitted.person]:
            del self._per_person[stream.admitted.person]
        rendering = stream.rendering
        if rendering is not None:
            rendering.followers -= 1
            if not rendering.followers:
                rendering.close()
                self._renderings.pop(stream.key, None)

    # --- writing ---

    async def _write(self, stream: Stream, after: int, send: Any) -> None:
        here = engine()
        stream.live = await _live(here, stream.admitted)
        rendering = stream.rendering = self._rendering(stream)
        seen = Seen()
        said = _HELLO
        follow = (
            stream.live.follow(after) if stream.live else here.follow(stream.key, after)
        )
        async for batch in follow:
            said += b"".join([encode(_for_page(notice, stream)) for notice in batch])
            html = rendering.html_for(seen) if rendering else None
            if html is not None:
                said += encode(html)
            said = said or self._comment(stream)
            if said:
                stream.said_at = asyncio.get_running_loop().time()
                await send(
                    {"type": "http.response.body", "body": said, "more_body": True}
                )
                said = b""
            if stream.over:
                return

    def _rendering(self, stream: Stream) -> Rendering | None:
        if stream.live is None or not stream.html:
            return None
        rendering = self._renderings.get(stream.key)
        if rendering is None or rendering.live is not stream.live:
            rendering = Rendering(stream.live, self._renderings)
            self._renderings[stream.key] = rendering
        rendering.followers += 1
        return rendering

    def _comment(self, stream: Stream) -> bytes:
        """So that no proxy closes a stream that has nothing to say."""
        silent = asyncio.get_running_loop().time() - stream.said_at
        return b": still here\n\n" if silent >= COMMENT_SECONDS else b""

    # --- looking after ---

    async def _watch(self) -> None:
        while self._open:
            await asyncio.sleep(RECHECK_SECONDS)
            await self._recheck()
            now = asyncio.get_running_loop().time()
            for stream in self._open:
                # One round early rather than one late.
                if now - stream.said_at >= COMMENT_SECONDS - RECHECK_SECONDS:
                    stream.said_at = now - COMMENT_SECONDS
                    stream.wake()

    async def _recheck(self) -> None:
        asked = {stream.admitted for stream in self._open}
        loop = asyncio.get_running_loop()
        held = await loop.run_in_executor(self._pool, still, asked)
        for stream in list(self._open):
            if stream.admitted in asked and stream.admitted not in held:
                stream.leave()


async def _live(here: Engine, admitted: Admitted) -> Live | None:
    """The turn in this process's memory; one left as a row is on its way there."""
    find = getattr(here, "live", None)
    if find is None:
        return None
    until = asyncio.get_running_loop().time() + _APPEARS_SECONDS
    found: Live | None = find(admitted.turn)
    while found is None and admitted.live and asyncio.get_running_loop().time() < until:
        await asyncio.sleep(0.1)
        found = find(admitted.turn)
    return found


def _for_page(notice: Notice, stream: Stream) -> Notice:
    """The end says where the finished turn is."""
    if notice.kind != "end":
        return notice
    return Notice("end", {**notice.data, "url": f"/turns/{stream.key}/fragment"})


async def _gone(receive: Any, stream: Stream) -> None:
    """Wait for the client to go away."""
    while (await receive())["type"] != "http.disconnect":
        pass
    stream.leave()


# --- what is refused -----------------------------------------------------------------


def _check_origin(headers: dict[str, str]) -> None:
    """Only pages of this hub, under a name it goes by."""
    host = headers.get("host", "")
    domain, _port = split_domain_port(host)
    if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        raise _Refusal(400)
    if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        raise _Refusal(403)
    origin = headers.get("origin")
    if origin is not None and not _is_ours(origin, host):
        raise _Refusal(403)


def _is_ours(origin: str, host: str) -> bool:
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    try:
        return urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:
        return False


def _wishes(headers: dict[str, str], query: bytes) -> tuple[int, bool]:
    """From which event on, and whether HTML is wanted. Refuses what is no number."""
    asked = parse_qs(query.decode("latin1"), keep_blank_values=True)
    after = headers.get("last-event-id") or asked.get("after", ["0"])[-1] or "0"
    if not (after.isascii() and after.isdigit() and len(after) <= 18):
        raise _Refusal(400)
    return int(after), asked.get("html", [""])[-1] == "1"


def _denied(denied: Denied, path: str) -> _Refusal:
    if not denied.login:
        return _Refusal(404)
    login = f"{settings.LOGIN_URL}?next={quote(path)}"
    return _Refusal(302, (b"location", login.encode("ascii")))


async def _refuse(refusal: _Refusal, send: Any) -> None:
    headers: Iterable[tuple[bytes, bytes]] = (
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"cache-control", b"no-store"),
        *refusal.headers,
    )
    start = {"status": refusal.status, "headers": list(headers)}
    await send({"type": "http.response.start", **start})
    await send({"type": "http.response.body", "body": b""})

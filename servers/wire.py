"""One bounded GET at a time to one (host, port): the only road to a stranger's server.

Owns sockets, caps, the deadline and the list of paths that are never asked. Knows no
product: what an answer means is `evidence.py`'s and the ladder's.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import zlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from types import TracebackType
from typing import Self
from urllib.parse import quote

import h11

from servers.addresses import Origin
from servers.connection import Answer, Line, StaleError
from servers.manners import DESIGNATED, SHOW, cap_of, is_forbidden
from servers.patience import Patience

CONNECTIONS = 4
# What a typed prefix may carry as it is; an escape in it stays one.
_PLAIN = "/%:@!$&'()*+,;=~-._"
_FREE_SOON = 0.025  # seconds before a waiting question opens one more connection
_GARBLED = (h11.ProtocolError, OSError, EOFError, zlib.error, UnicodeError, ValueError)


class Quiet(StrEnum):
    """Why nothing came."""

    REFUSED = "refused"  # nothing listens there
    UNRESOLVED = "unresolved"  # the name has no address that may be talked to
    TIMEOUT = "timeout"
    GARBLED = "garbled"  # what came is not HTTP, or was cut before the head ended
    FORBIDDEN = "forbidden"  # never asked


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. Header names are lower case; `cut` when the cap was met."""

    path: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Silence:
    """No reply to one path, and why."""

    path: str
    reason: Quiet


class _EndedError(Exception):
    """Nothing will ever answer on this (host, port)."""

    def __init__(self, reason: Quiet) -> None:
        super().__init__(reason)
        self.reason = reason


@cache
def _open_eyed() -> ssl.SSLContext:
    """TLS without verification: strangers have their own certificates, and no key
    or text is ever sent over it."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


@cache
def _verified() -> ssl.SSLContext:
    return ssl.create_default_context()


def _reason_of(error: OSError) -> Quiet:
    if isinstance(error, TimeoutError):
        return Quiet.TIMEOUT
    return Quiet.GARBLED if isinstance(error, ssl.SSLError) else Quiet.REFUSED


class Wire:
    """Questions to one (host, port) until `patience` is over.

    Connects to `addresses` only, the ones that were classified. With a `key` the TLS
    certificate is verified and the key goes out; without one it is neither.
    """

    def __init__(
        self,
        origin: Origin,
        addresses: Sequence[str],
        *,
        patience: Patience,
        key: str = "",
        designated: bool = False,
        connections: int = CONNECTIONS,
    ) -> None:
        self._origin, self._addresses = origin, list(addresses)
        self._patience, self._key = patience, key
        self._designated = designated or bool(key)
        self._ended: Quiet | None = None if addresses else Quiet.UNRESOLVED
        self._idle: list[Line] = []
        self._open: set[Line] = set()
        self._dialling = 0
        self._freed = asyncio.Event()
        self._most = connections
        self.asked = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for line in list(self._open):
            self._drop(line)

    @property
    def ended(self) -> Quiet | None:
        """Why nobody will answer here any more, if so."""
        return self._ended

    async def get(self, path: str, *, health: bool = False) -> Reply | Silence:
        """GET `path` below the origin's prefix; never raises for what came back."""
        target = self._origin.prefix + path
        if is_forbidden(path, health=health) or is_forbidden(target, health=health):
            return Silence(path, Quiet.FORBIDDEN)
        return await self._bounded(path, "GET", target, b"")

    async def show(self, model: str) -> Reply | Silence:
        """POST /api/show, to a designated server only: the single exception."""
        if not self._designated:
            return Silence(SHOW, Quiet.FORBIDDEN)
        content = json.dumps({"model": model}).encode()
        return await self._bounded(SHOW, "POST", self._origin.prefix + SHOW, content)

    async def _bounded(
        self, path: str, method: str, target: str, content: bytes
    ) -> Reply | Silence:
        if self._ended:
            return Silence(path, self._ended)
        cap = DESIGNATED if self._designated else cap_of(path)
        try:
            request = self._request(method, target, content)
            async with self._patience.bounded():
                try:
                    answer = await self._ask(request, content, cap)
                except StaleError:
                    answer = await self._ask(request, content, cap, fresh=True)
        except TimeoutError:
            return Silence(path, Quiet.TIMEOUT)
        except _EndedError as error:
            return Silence(path, error.reason)
        except (StaleError, *_GARBLED):
            return Silence(path, Quiet.GARBLED)
        return Reply(path, answer.status, answer.headers, answer.body, answer.cut)

    def _request(self, method: str, target: str, content: bytes) -> h11.Request:
        headers = [
            ("host", self._host_header()),
            ("accept", "application/json, text/plain;q=0.9, */*;q=0.5"),
            ("accept-encoding", "gzip"),
            ("user-agent", "llmhub"),
        ]
        if self._key:
            headers.append(("authorization", f"Bearer {self._key}"))
        if content:
            headers.append(("content-type", "application/json"))
            headers.append(("content-length", str(len(content))))
        plain = quote(target, safe=_PLAIN)
        return h11.Request(method=method, target=plain, headers=headers)

    def _host_header(self) -> str:
        """Without the zone (it means something on this machine only)."""
        origin = replace(self._origin, host=self._origin.host.partition("%")[0])
        default = {"http": 80, "https": 443}[origin.scheme]
        if origin.port == default:
            return origin.netloc.rpartition(":")[0]
        return origin.netloc

    async def _ask(
        self, request: h11.Request, content: bytes, cap: int, *, fresh: bool = False
    ) -> Answer:
        async with self._line(fresh) as line:
            self.asked += 1
            return await line.ask(request, content, cap)

    @asynccontextmanager
    async def _line(self, fresh: bool) -> AsyncIterator[Line]:
        line = await self._take(fresh)
        try:
            yield line
        except BaseException:
            self._drop(line)
            raise
        if line.again():
            self._idle.append(line)
        else:
            self._drop(line)
        self._freed.set()

    async def _take(self, fresh: bool) -> Line:
        """An idle connection; a new one where none came free soon enough.

        A quick server is asked everything over ONE connection; further ones are for
        servers that think long, so that a path which hangs loses only itself.
        """
        if fresh:  # what closed one kept connection closed the others
            while self._idle:
                self._drop(self._idle.pop())
        while True:
            if self._idle and not fresh:
                return self._idle.pop()
            waited = fresh or not self._in_use or not await self._freed_soon()
            # Counted after the wait: others waited too, and may have gone first.
            if waited and self._in_use < self._most:
                line = await self._connect()
                if line:
                    return line
            elif fresh:
                await self._freed_soon()

    @property
    def _in_use(self) -> int:
        return len(self._open) + self._dialling

    async def _freed_soon(self) -> bool:
        self._freed.clear()
        try:
            async with asyncio.timeout(_FREE_SOON):
                await self._freed.wait()
        except TimeoutError:
            return False
        return True

    async def _connect(self) -> Line | None:
        """A new connection; None when only the ones that are open will be had."""
        self._dialling += 1
        try:
            line = await self._dial()
        except OSError as error:
            if self._open:
                self._most = len(self._open)
                return None
            self._ended = _reason_of(error)
            raise _EndedError(self._ended) from None
        finally:
            self._dialling -= 1
            self._freed.set()
        self._open.add(line)
        return line

    async def _dial(self) -> Line:
        """The first address that accepts; kept for every later connection."""
        *others, last = self._addresses
        for address in others:
            try:
                # A dead first address (IPv6 without a route) must leave time.
                async with asyncio.timeout(self._patience.left / 2):
                    return await self._reached(address)
            except OSError:
                continue
        return await self._reached(last)

    async def _reached(self, address: str) -> Line:
        line = Line(*await self._socket(address))
        self._addresses = [address]
        return line

    async def _socket(
        self, address: str
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        context = None
        if self._origin.scheme == "https":
            context = _verified() if self._key else _open_eyed()
        return await asyncio.open_connection(
            address,
            self._origin.port,
            ssl=context,
            server_hostname=self._origin.host.partition("%")[0] if context else None,
        )

    def _drop(self, line: Line) -> None:
        self._open.discard(line)
        line.close()

"""A loopback server that answers a chat completion with the bytes it is given.

Each piece is one write; a number is a pause in seconds. It notes every request, and
whether the client hung up before the answer was over.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field

Piece = bytes | float


@dataclass
class Reply:
    """One answer: the raw bytes from the status line on, piece by piece."""

    pieces: list[Piece]
    hang: bool = False  # keep the connection open after the last piece


@dataclass
class Seen:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes


def head(status: int = 200, **headers: str) -> bytes:
    """A status line and headers; the body is chunked."""
    lines = [f"HTTP/1.1 {status} X", "transfer-encoding: chunked", "connection: close"]
    lines += [f"{k.replace('_', '-')}: {v}" for k, v in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def framed(piece: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(piece), piece) if piece else b""


def reply(
    *parts: Piece, status: int = 200, cut: bool = False, hang: bool = False, **headers
) -> Reply:
    """An answer of these parts, each one HTTP chunk in a write of its own."""
    headers = {"content_type": "text/event-stream", **headers}
    pieces: list[Piece] = [head(status, **headers)]
    pieces += [p if isinstance(p, float) else framed(p) for p in parts]
    if not cut and not hang:
        pieces.append(b"0\r\n\r\n")
    return Reply(pieces, hang)


@dataclass
class Upstream:
    """Answers the n-th request with the n-th reply, the last one ever after."""

    replies: list[Reply]
    pause: float = 0.0
    seen: list[Seen] = field(default_factory=list)
    connections: int = 0
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    on_request: Callable[[], None] | None = None

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.connections += 1
        task = asyncio.current_task()
        if task is not None:
            self.tasks.add(task)
        try:
            await self._one(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # hung up
        except asyncio.CancelledError:
            writer.transport.abort()  # the test is over
        finally:
            writer.close()

    async def _one(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = text.strip().split("\r\n")
        headers = {
            k.lower(): v.strip() for k, _, v in (x.partition(":") for x in lines)
        }
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.seen.append(Seen(first.split()[1], headers, body))
        if self.on_request:
            self.on_request()
        answer = self.replies[min(len(self.seen), len(self.replies)) - 1]
        watch = asyncio.ensure_future(self._watch(reader))
        try:
            await self._write(answer, writer)
            if answer.hang:
                await self.hung_up.wait()
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)

    async def _write(self, answer: Reply, writer: asyncio.StreamWriter) -> None:
        for piece in answer.pieces:
            if isinstance(piece, float):
                await asyncio.sleep(piece)
                continue
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(self.pause)

    async def _watch(self, reader: asyncio.StreamReader) -> None:
        """The client sends nothing more: the end of its side is a hang-up."""
        with contextlib.suppress(ConnectionError):
            while await reader.read(1024):
                pass
        self.hung_up.set()


@contextlib.asynccontextmanager
async def upstream(
    replies: Reply | Iterable[Reply], *, pause: float = 0.0
) -> AsyncIterator[Upstream]:
    fake = Upstream([replies] if isinstance(replies, Reply) else list(replies), pause)
    server = await asyncio.start_server(fake.serve, "127.0.0.1", 0)
    fake.port = server.sockets[0].getsockname()[1]
    async with server:
        try:
            yield fake
        finally:
            for task in fake.tasks:
                task.cancel()
            await asyncio.gather(*fake.tasks, return_exceptions=True)
            await asyncio.sleep(0)  # aborted transports close in the next round

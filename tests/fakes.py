"""Loopback servers that answer recorded bytes, and misbehave when told to.

    with Replay({"GET /v1/models": {"json": {"data": []}}}) as server:
        server.url, .origin, .port
        server.seen              [Seen(method, target, headers, body)]
        server.connections       how many were opened

    Replay.of_capture("source/vllm/0.20.1-ready.json")    (below tests/wire)
    capture("...") is its parsed file; captures() are all names

Routes: "GET /path" (or "/path"), "* /path" any method, "*" everything else; without
one the answer is an empty 404. An answer is a dict, or a function of the Seen request
that gives one:

    status (200), headers ({}), and one of
    body (str or bytes), json (any value)
    chunks: [bytes | (seconds, bytes), ...]   sent raw after the head, then closed
    endless: bytes                            repeated for ever after the head
    cut: N             the whole length is announced, N bytes are sent, then closed
    silent: True       nothing is ever said
    raw: bytes         sent instead of any head, then closed
    delay: seconds     before whatever else
`tls=(certfile, keyfile)` serves TLS. One thread runs the loop of all of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

from servers.addresses import Origin

WIRE = Path(__file__).parent / "wire"

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as it came."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]


def capture(name: str) -> dict[str, Any]:
    """A parsed capture below tests/wire."""
    loaded: dict[str, Any] = json.loads((WIRE / name).read_text())
    return loaded


def captures() -> list[str]:
    """The names of all captures, those that EXPECTED.json judges."""
    return sorted(expected())


@cache
def expected() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((WIRE / "EXPECTED.json").read_text())
    return loaded


def routes_of(recorded: dict[str, Any]) -> dict[str, Answer]:
    return dict(recorded["responses"])


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="replay", daemon=True).start()
    return loop


class Replay:
    """A server on a free loopback port, from `with` to its end."""

    def __init__(
        self,
        routes: dict[str, Any] | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        tls: tuple[str, str] | None = None,
    ) -> None:
        self.routes: dict[str, Any] = dict(routes or {})
        self.host, self.port = host, port
        self.seen: list[Seen] = []
        self.connections = 0
        self._context = None
        if tls:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(*tls)
        self._stopped = False
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    @classmethod
    def of_capture(cls, name: str) -> Self:
        return cls(routes_of(capture(name)))

    @property
    def origin(self) -> Origin:
        return Origin("https" if self._context else "http", self.host, self.port)

    @property
    def url(self) -> str:
        return self.origin.url()

    @property
    def paths(self) -> list[str]:
        return [request.path for request in self.seen]

    def __enter__(self) -> Self:
        self._server = self._run(
            asyncio.start_server(
                self._accept, self.host, self.port, backlog=512, ssl=self._context
            )
        )
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *exc: object) -> None:
        self._run(self._stop())

    @staticmethod
    def _run(coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, _loop()).result(10)

    async def _stop(self) -> None:
        self._stopped = True
        self._server.close()
        ending = dict(self._open)
        for task, writer in ending.items():
            task.cancel()
            writer.transport.abort()
        await asyncio.gather(*ending, return_exceptions=True)

    def _accept(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Not a coroutine: a connection is known before its task first runs, and one
        that was accepted while the server stopped is closed at once."""
        if self._stopped:
            writer.transport.abort()
            return
        self.connections += 1
        task = asyncio.ensure_future(self._talk(reader, writer))
        self._open[task] = writer
        task.add_done_callback(self._open.pop)

    async def _talk(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        # The other side hung up, spoke no HTTP, or the test ended.
        gone = (EOFError, OSError, ValueError, asyncio.LimitOverrunError)
        try:
            with contextlib.suppress(*gone, asyncio.CancelledError):
                while await self._one(reader, writer):
                    pass
        finally:
            writer.transport.abort()

    async def _one(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """One request and its answer; False ends the connection."""
        request = await _request(reader)
        self.seen.append(request)
        answer = self._route(request)
        if "delay" in answer:
            await asyncio.sleep(answer["delay"])
        if "silent" in answer:
            await asyncio.Event().wait()
        for seconds, data in _parts(answer):
            if seconds:
                await asyncio.sleep(seconds)
            writer.write(data)
            await writer.drain()
        closing = {"raw", "chunks", "endless", "cut"} & answer.keys()
        if closing:
            writer.close()
            await writer.wait_closed()
        return not closing and request.headers.get("connection") != "close"

    def _route(self, request: Seen) -> Answer:
        keys = (
            f"{request.method} {request.path}",
            request.path if request.method == "GET" else "",
            f"* {request.path}",
            "*",
        )
        found = next((self.routes[key] for key in keys if key in self.routes), None)
        if callable(found):
            found = found(request)
        return found if found is not None else {"status": 404, "body": ""}


async def _request(reader: asyncio.StreamReader) -> Seen:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    method, target, _ = first.split(" ", 2)
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Seen(method, target, headers, body)


def _parts(answer: Answer) -> Iterator[tuple[float, bytes]]:
    if "raw" in answer:
        yield 0, answer["raw"]
        return
    headers = {
        name.lower(): text for name, text in (answer.get("headers") or {}).items()
    }
    headers.pop("transfer-encoding", None)
    status = answer.get("status", 200)
    if "chunks" in answer or "endless" in answer:
        headers.pop("content-length", None)
        yield 0, _head(status, {**headers, "connection": "close"})
        for chunk in answer.get("chunks", ()):
            yield (0, chunk) if isinstance(chunk, bytes) else chunk
        while "endless" in answer:
            yield 0, answer["endless"]
        return
    body = _body(answer)
    headers["content-length"] = str(len(body))
    yield 0, _head(status, headers) + body[: answer.get("cut", len(body))]


def _body(answer: Answer) -> bytes:
    if "json" in answer:
        return json.dumps(answer["json"]).encode()
    body = answer.get("body") or b""
    return body.encode() if isinstance(body, str) else bytes(body)


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} X"] + [f"{k}: {v}" for k, v in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

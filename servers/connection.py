"""One kept HTTP/1.1 connection: a question out, a bounded answer in.

Owns framing, decompression and the reading cap; knows no path and no product.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import h11

_HEAD = 32 * 1024  # bytes of status line and headers


class StaleError(Exception):
    """A kept connection was closed before it gave a byte: ask again on a fresh one."""


class PartialError(EOFError):
    """The connection ended inside the head of an answer."""


class Line:
    """One kept connection."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.reader, self.writer = reader, writer
        self.http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEAD)
        self.used = False

    async def ask(self, request: h11.Request, content: bytes, cap: int) -> Answer:
        """Send, read the head and at most `cap` bytes of decoded body."""
        sent = self.http.send(request) or b""
        if content:
            sent += self.http.send(h11.Data(content)) or b""
        sent += self.http.send(h11.EndOfMessage()) or b""
        try:
            self.writer.write(sent)
            await self.writer.drain()
            response = await self._response()
        except (ConnectionError, EOFError) as error:
            if self.used and not isinstance(error, PartialError):
                raise StaleError from error
            raise
        self.used = True
        return await self._body(response, cap)

    async def _event(self) -> object:
        while True:
            event = self.http.next_event()
            if event is not h11.NEED_DATA:
                return event
            data = await self.reader.read(65_536)
            if not data and self.http.their_state is h11.SEND_RESPONSE:
                waiting = self.http.trailing_data[0]
                raise PartialError if waiting else EOFError
            self.http.receive_data(data)

    async def _response(self) -> h11.Response:
        while True:
            event = await self._event()
            if isinstance(event, h11.Response):
                return event
            if not isinstance(event, h11.InformationalResponse):
                raise EOFError

    async def _body(self, response: h11.Response, cap: int) -> Answer:
        headers = {
            name.decode("latin-1"): value.decode("latin-1")[:1024]
            for name, value in reversed(list(response.headers)[:100])
        }
        into = Body(cap, zipped=headers.get("content-encoding", "") == "gzip")
        while not into.full:
            event = await self._event()
            if isinstance(event, h11.Data):
                into.add(bytes(event.data))
            elif isinstance(event, h11.EndOfMessage):
                break
            else:
                raise EOFError
        return Answer(response.status_code, headers, bytes(into.kept), into.full)

    def again(self) -> bool:
        """Whether another question may follow on this connection."""
        if self.http.our_state is h11.DONE and self.http.their_state is h11.DONE:
            self.http.start_next_cycle()
            return True
        return False

    def close(self) -> None:
        self.writer.transport.abort()


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes
    cut: bool


class Body:
    """At most `cap` bytes, counted AFTER decompression: a bomb is small on the wire."""

    def __init__(self, cap: int, *, zipped: bool) -> None:
        self.cap, self.kept, self.full = cap, bytearray(), False
        self._unzip = zlib.decompressobj(wbits=31) if zipped else None

    def add(self, data: bytes) -> None:
        room = self.cap - len(self.kept)
        if self._unzip:
            data = self._unzip.decompress(data, room + 1)
        self.full = len(data) > room
        self.kept += data[:room]

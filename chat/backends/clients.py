"""The chat's one outbound client: the `openai` client, tamed, one per server.

Owns connections, what headers leave, and the translation of foreign exceptions.
Knows bytes alone: what they mean is read elsewhere. Every other network library of
this road (httpx2) comes with `openai`, which is loaded at the first use.
"""

from __future__ import annotations

import asyncio
import ssl
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import anyio
import httpx2
from django.utils.translation import gettext as _

from chat.backends.upstream import Upstream

CONNECT_SECONDS = 10.0
WRITE_SECONDS = 60.0
# A turn has its own timeout; this bounds the silence of a turn without one.
SILENCE_SECONDS = 3600.0
ERROR_BODY_BYTES = 256 * 1024
ERROR_BODY_SECONDS = 5.0

# Outbound headers are an allow list: no cookies, nothing about this machine.
_ALLOWED = {
    "host", "authorization", "content-type", "content-length", "transfer-encoding",
    "accept", "accept-encoding", "user-agent",
}  # fmt: skip
# What the transport lets through; the last ones are of a TLS stream cut short.
_TRANSPORT_ERRORS = (
    httpx2.HTTPError,
    httpx2.StreamError,
    ssl.SSLError,
    anyio.EndOfStream,
    anyio.BrokenResourceError,
)
# The openai client looks for this mark in the request again when the answer comes.
_MARK = "x-stainless-raw-response"


class Answered(Exception):
    """The server answered with a status that is no success; the body is bounded."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(status)
        self.status, self.headers, self.body = status, headers, body


class Unsent(Exception):
    """No byte of the request was written. `timed_out`: nobody even refused."""

    def __init__(self, reason: str, *, timed_out: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.timed_out = reason, timed_out


class Broken(Exception):
    """The connection failed after the request. `garbled`: that was no HTTP."""

    def __init__(self, reason: str, *, garbled: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.garbled = reason, garbled


class _Flight:
    """One request under way: what its hooks note and need."""

    def __init__(self, sni: str) -> None:
        self.sni = sni
        self.mark = ""
        self.written = False

    async def trace(self, name: str, info: dict[str, Any]) -> None:
        if name == "http11.send_request_headers.complete":
            self.written = True


_flight: ContextVar[_Flight] = ContextVar("flight")


class Pieces:
    """The body of a successful answer, decompressed, as it comes."""

    def __init__(self, chunks: AsyncGenerator[bytes, None], flight: _Flight) -> None:
        self._chunks, self._flight = chunks, flight

    async def next(self) -> bytes | None:
        """The next piece, None at the end. Raises Broken."""
        try:
            piece = await anext(self._chunks, None)
        except _TRANSPORT_ERRORS as error:
            raise _translated(error, self._flight) from error
        if piece is not None and len(piece) > 256 * 1024:
            await asyncio.sleep(0)  # inflating a lot must not starve other turns
        return piece


class Client:
    """The cached client of one server. `refused`: parameters it does not take."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._http: Any = None
        self._by_address: dict[str, Any] = {}
        # Name of a refused parameter -> the one it wants instead, or "".
        self.refused: dict[str, str] = {}

    @asynccontextmanager
    async def post_chat(
        self, address: str, body: Mapping[str, Any]
    ) -> AsyncIterator[Pieces]:
        """One POST of a chat completion to `address`; leaving closes the socket."""
        # All of it as extra body: the client would walk through every message of a
        # long conversation to see whether its type wants another spelling.
        rest = dict(body)
        stream = bool(rest.pop("stream", False))
        create = self._at(address).chat.completions.with_streaming_response.create
        call = create(
            model=body["model"],
            messages=[],
            stream=stream,
            extra_body=rest,
            extra_headers={"Accept": "text/event-stream" if stream else "*/*"},
        )
        async with self._opened(call) as pieces:
            yield pieces

    @asynccontextmanager
    async def get_models(self, address: str) -> AsyncIterator[Pieces]:
        """The list of models, as bytes."""
        call = self._at(address).models.with_streaming_response.list()
        async with self._opened(call) as pieces:
            yield pieces

    async def aclose(self) -> None:
        if self._http is not None:
            await self._http.aclose()

    @asynccontextmanager
    async def _opened(self, call: Any) -> AsyncIterator[Pieces]:
        flight = _Flight(self._upstream.origin.host)
        _flight.set(flight)
        try:
            response = await call.__aenter__()
        except _foreign_errors() as error:
            raise _translated(error, flight) from error
        try:
            async with aclosing(response.http_response.aiter_bytes()) as chunks:
                yield Pieces(chunks, flight)
        finally:
            await call.__aexit__(None, None, None)

    def _at(self, address: str) -> Any:
        """The openai client whose connections go to this address and no other."""
        found = self._by_address.get(address)
        if found is None:
            found = self._by_address[address] = self._make(address)
        return found

    def _make(self, address: str) -> Any:
        openai = _openai()
        origin = self._upstream.origin
        if self._http is None:
            self._http = _http_client(openai)
        netloc = f"[{address}]" if ":" in address else address
        default_port = 443 if origin.scheme == "https" else 80
        name = f"[{origin.host}]" if ":" in origin.host else origin.host
        return openai.AsyncOpenAI(
            base_url=f"{origin.scheme}://{netloc}:{origin.port}{origin.prefix}",
            # Without one the client would take OPENAI_API_KEY of the environment.
            api_key=self._upstream.api_key or "none",
            max_retries=0,
            http_client=self._http,
            default_headers={
                "Host": name if origin.port == default_port else origin.netloc,
                "User-Agent": "LLM-Hub",
                "Accept-Encoding": "identity",
            },
        )


_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Any, Client]]
_clients = WeakKeyDictionary()


def client_for(upstream: Upstream) -> Client:
    """The one client of this server on the running loop."""
    loop = asyncio.get_running_loop()
    return _clients.setdefault(loop, {}).setdefault(upstream, Client(upstream))


async def close_clients() -> None:
    """Close every connection of the running loop: at the end of a process or test."""
    for client in _clients.pop(asyncio.get_running_loop(), {}).values():
        await client.aclose()


async def load() -> None:
    """Have the `openai` client loaded, without holding up the loop meanwhile."""
    if "openai" not in sys.modules:
        await asyncio.to_thread(_openai)


def _openai() -> Any:
    import openai  # 1.3 s: only who sends pays for it

    return openai


def _http_client(openai: Any) -> Any:
    return openai.DefaultAsyncHttpxClient(
        follow_redirects=False,
        trust_env=False,
        verify=_tls(),
        timeout=httpx2.Timeout(
            SILENCE_SECONDS, connect=CONNECT_SECONDS, write=WRITE_SECONDS
        ),
        # No socket is kept for the next turn: one that the server has just closed
        # would lose it, and people take longer than servers keep connections.
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=0),
        event_hooks={"request": [_before], "response": [_after]},
    )


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    """The system's own trust store: a team's own authority is installed there."""
    return ssl.create_default_context()


async def _before(request: httpx2.Request) -> None:
    flight = _flight.get()
    flight.mark = request.headers.get(_MARK, "")
    for name in list(request.headers):
        if name not in _ALLOWED:
            del request.headers[name]
    if request.headers.get("authorization") == "Bearer none":
        del request.headers["authorization"]
    request.extensions["trace"] = flight.trace
    request.extensions["sni_hostname"] = flight.sni


async def _after(response: httpx2.Response) -> None:
    """What is no success is read here, bounded: the client would read it whole."""
    if response.status_code >= 300:
        body = await _bounded(response)
        raise Answered(response.status_code, dict(response.headers), body)
    response.request.headers[_MARK] = _flight.get().mark


async def _bounded(response: httpx2.Response) -> bytes:
    body = bytearray()
    try:
        async with asyncio.timeout(ERROR_BODY_SECONDS):
            async with aclosing(response.aiter_bytes()) as chunks:
                async for chunk in chunks:
                    body += chunk
                    if len(body) >= ERROR_BODY_BYTES:
                        break
    except (*_TRANSPORT_ERRORS, TimeoutError):
        pass  # a status with half a body is still an answer
    return bytes(body[:ERROR_BODY_BYTES])


def _foreign_errors() -> tuple[type[Exception], ...]:
    return (_openai().OpenAIError, *_TRANSPORT_ERRORS)


def _translated(error: Exception, flight: _Flight) -> Unsent | Broken:
    """A foreign exception as one of ours; its text may hold an address: not used."""
    cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
    if not flight.written:
        timed_out = isinstance(cause, httpx2.TimeoutException)
        return Unsent(_unsent_reason(cause), timed_out=timed_out)
    if isinstance(cause, httpx2.TimeoutException):
        return Broken(_("the server fell silent."))
    if isinstance(cause, httpx2.DecodingError):
        return Broken(_("the answer's compression is damaged."), garbled=True)
    said = str(cause)
    if "illegal status line" in said or "illegal request line" in said:
        return Broken(_("what answers there does not speak HTTP."), garbled=True)
    if "without sending a response" in said:
        return Broken(_("the server closed the connection without an answer."))
    return Broken(_("the connection was lost in mid-answer."))


def _unsent_reason(cause: Exception) -> str:
    if isinstance(cause, httpx2.TimeoutException):
        return _("no connection within %d s") % CONNECT_SECONDS
    text = f"{cause!r} {cause.__cause__!r} {cause.__context__!r}"
    if "CERTIFICATE_VERIFY_FAILED" in text:
        return _("its TLS certificate is not trusted")
    if "SSL" in text or "TLS" in text:
        return _("no TLS there: is it http instead of https?")
    if "refused" in text or "All connection attempts failed" in text:
        return _("connection refused")
    return _("no connection")

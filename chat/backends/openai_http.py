"""A turn with an OpenAI-compatible server: one send is one generation.

Owns the order of things: where it goes now, what comes of sending, and reading to
the end. The address is classified at the send and the connection goes there.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing
from datetime import UTC, datetime
from functools import partial

from django.utils.translation import gettext as _

from chat.backends.answer import Answer
from chat.backends.base import Request
from chat.backends.bodies import read_body
from chat.backends.clients import (
    Answered,
    Broken,
    Client,
    Pieces,
    Unsent,
    client_for,
    load,
)
from chat.backends.eventstream import Decoder, TooLong
from chat.backends.model_list import LIST_LIMIT_BYTES, chat_model
from chat.backends.refusals import Context, Verdict, judge, line
from chat.backends.sending import Patience, Sending
from chat.backends.upstream import Upstream
from chat.errors import BackendError, Fault
from chat.events import Body, Started
from servers.hosting import Placed, place

# After a finish reason only counts and [DONE] may come: no waiting for long.
AFTER_FINISH_SECONDS = 5.0
# After [DONE] only the end of the body: read along, so that the server can end well.
AFTER_DONE_SECONDS = 0.05


class OpenAIBackend:
    """One server. `placed`: where it is, if the caller resolved it for this turn.

    A request without a model goes to the first chat model that the server lists.
    """

    def __init__(
        self,
        upstream: Upstream,
        *,
        patience: Patience | None = None,
        placed: Placed | None = None,
        cgnat_is_lan: bool = False,
    ) -> None:
        self._upstream = upstream
        self._patience = patience or Patience()
        self._placed = placed
        self._cgnat_is_lan = cgnat_is_lan

    async def events(self, request: Request) -> AsyncGenerator[Body, None]:
        """The bodies of one generation. Raises BackendError."""
        await load()
        addresses = await self._addresses(request)
        yield Started(request.model)
        client = client_for(self._upstream)
        sending = Sending(request, client.refused, self._patience)
        clock = asyncio.get_running_loop().time
        begun = clock()
        while not sending.over:
            async with AsyncExitStack() as stack:
                came = await self._send(client, addresses, sending, stack)
                if isinstance(came, Pieces):
                    context = self._context(sending)
                    answer = Answer(context, tuple(sending.notes))
                    bodies = aclosing(_read(came, answer))
                    async for body in await stack.enter_async_context(bodies):
                        yield body
                    return
            for body in sending.react(came, clock() - begun):
                yield body
            if sending.waits:
                await asyncio.sleep(self._patience.pause_seconds)

    async def _addresses(self, request: Request) -> tuple[str, ...]:
        """Where the connection may go: what is classified now, at the send."""
        destination = request.cleared.destination
        if destination.key != self._upstream.key:
            text = _("this text was cleared for another server.")
            raise self._error(request.model, Fault.DESTINATION, text)
        if not _fits_a_header(self._upstream.api_key):
            text = _("the server's key has characters that no header carries.")
            raise self._error(request.model, Fault.KEY, text)
        placed = self._placed or await self._place()
        if not placed.addresses:
            text = _("the server's name leads nowhere now: it does not resolve.")
            raise self._error(request.model, Fault.UNREACHABLE, text)
        if placed.hosting.rank > destination.hosting.rank:
            text = _("the server's address %s now: send it again to confirm that.")
            words = placed.hosting.words
            raise self._error(request.model, Fault.DESTINATION, text % words)
        return placed.addresses

    async def _place(self) -> Placed:
        host = self._upstream.origin.host
        try:
            ipaddress.ip_address(host)
        except ValueError:  # a name: resolving blocks
            return await asyncio.to_thread(place, host, cgnat_is_lan=self._cgnat_is_lan)
        return place(host, cgnat_is_lan=self._cgnat_is_lan)

    async def _send(
        self,
        client: Client,
        addresses: tuple[str, ...],
        sending: Sending,
        stack: AsyncExitStack,
    ) -> Pieces | Verdict:
        """Send once. What the server answers: the pieces of an answer, or a verdict."""
        try:
            if not sending.model:
                await _name_model(client, addresses, sending)
            posted = partial(client.post_chat, body=sending.body)
            pieces = await _connected(posted, addresses, stack)
        except Answered as answered:
            return judge(
                read_body(answered.body),
                answered.status,
                answered.headers,
                self._context(sending),
            )
        except Unsent as unsent:
            text = _("the server does not answer: %s.") % unsent.reason
            raise self._error(sending.model, Fault.UNREACHABLE, text) from unsent
        except Broken as broken:
            fault = Fault.PROTOCOL if broken.garbled else Fault.CUT
            raise self._error(sending.model, fault, broken.reason) from broken
        # A refusal is remembered once sending without the parameter was right.
        client.refused.update(sending.left_out)
        return pieces

    def _context(self, sending: Sending) -> Context:
        return Context(
            model=sending.model,
            now=datetime.now(UTC),
            sent=sending.parameters,
            secrets=self._upstream.secrets,
        )

    def _error(self, model: str, fault: Fault, text: str) -> BackendError:
        context = Context(model, datetime.now(UTC), secrets=self._upstream.secrets)
        return BackendError(fault, line(context, text))


def _fits_a_header(key: str) -> bool:
    return key.isascii() and (key.isprintable() or not key) and key == key.strip()


async def _name_model(
    client: Client, addresses: tuple[str, ...], sending: Sending
) -> None:
    """Take a model that the server lists. Raises what any request may."""
    async with AsyncExitStack() as stack:
        pieces = await _connected(client.get_models, addresses, stack)
        body = bytearray()
        while len(body) < LIST_LIMIT_BYTES and (piece := await pieces.next()):
            body += piece
    sending.model = chat_model(bytes(body))
    if not sending.model:
        text = _("the server lists no model to ask: name one.")
        raise BackendError(Fault.MODEL, text)


async def _connected(
    send: Callable[[str], AbstractAsyncContextManager[Pieces]],
    addresses: tuple[str, ...],
    stack: AsyncExitStack,
) -> Pieces:
    """The first address that takes the request; the first one is tried once more.

    As long as no byte was written nothing can have been generated.
    """
    failed: Unsent | None = None
    for address in (*addresses, addresses[0]):
        if failed is not None and failed.timed_out and len(addresses) == 1:
            break
        try:
            return await stack.enter_async_context(send(address))
        except Unsent as unsent:
            failed = unsent
    raise failed or Unsent(_("no connection"))


async def _read(pieces: Pieces, answer: Answer) -> AsyncGenerator[Body, None]:
    """Bytes to bodies, to the end of the answer. Raises the answer's error."""
    decoder = Decoder()
    cut = ""
    try:
        while not answer.over:
            piece = await _next(pieces, answer)
            if piece is None:
                break
            for body in answer.take_all(decoder.feed(piece)):
                yield body
    except Broken as broken:
        cut = broken.reason
    except TooLong:
        answer.fail(Fault.PROTOCOL, _("8 MB came in one piece: that is no answer."))
    for body in answer.take_all(decoder.finish()):
        yield body
    if answer.done:
        await _see_the_end(pieces)
    for body in answer.end(bytes(decoder.stray), cut):
        yield body
    if answer.error is not None:
        raise answer.error


async def _next(pieces: Pieces, answer: Answer) -> bytes | None:
    """The next piece; None at the end, or when only formalities are outstanding."""
    if not answer.finished:
        return await pieces.next()
    try:
        async with asyncio.timeout(AFTER_FINISH_SECONDS):
            return await pieces.next()
    except TimeoutError:
        return None


async def _see_the_end(pieces: Pieces) -> None:
    try:
        async with asyncio.timeout(AFTER_DONE_SECONDS):
            await pieces.next()
    except (TimeoutError, Broken):
        pass  # the answer is whole: how the connection ends is nobody's matter

"""One question to a server by its address: the road of `ask --url`.

Needs no database: without one the protected names are not checked, which loopback
and lan are told, and which keeps a third party from being sent anything.
"""

from __future__ import annotations

import threading

from django.conf import settings
from django.utils.translation import gettext as _

from chat.asked import Asked, Ready, Unusable, failed, refused_by_gate
from chat.backends.base import Request
from chat.backends.clients import close_clients
from chat.backends.upstream import Upstream, upstream_at
from chat.errors import Fault
from chat.roads import backend_for
from chat.turn import Outcome, Sink, Stop, drain
from gpts.gate import Cleared, Destination, Refused, clear
from gpts.protected import names
from servers.addresses import parse_url
from servers.errors import AddressError
from servers.hosting import Hosting, Placed, place

RESOLVE_SECONDS = 10.0


def prepare(asked: Asked) -> Ready:
    """Find the server, classify it and clear the text. Raises Unusable."""
    upstream = _upstream(asked.target)
    placed = _placed(upstream.origin.host, asked.timeout_seconds)
    if placed is None or not placed.addresses:
        return failed(_("That address leads nowhere."), Fault.UNREACHABLE.value)
    destination = upstream.destination(placed.hosting)
    confirm(destination, asked.retyped)
    known = names()
    verdict = clear(
        asked.payload,
        destination,
        retyped=True,
        confirmed=asked.confirmed,
        names=known,
        also=asked.also,
    )
    if isinstance(verdict, Refused):
        return refused_by_gate(verdict)
    return _ready(asked, upstream, placed, verdict)


def confirm(destination: Destination, retyped: str) -> None:
    """A third party is named twice. Raises Unusable, which is exit code 2."""
    if destination.hosting is Hosting.GLOBAL and retyped != destination.host:
        text = _("This leaves your network: add --confirm-destination %s to confirm.")
        raise Unusable(text % destination.host)


def _upstream(typed: str) -> Upstream:
    try:
        origin = parse_url(typed)
    except AddressError as error:
        raise Unusable(str(error)) from error
    return upstream_at(origin, name=_("the server"))


def _placed(host: str, seconds: float) -> Placed | None:
    """Where the host is; None where no resolver says so in time.

    A thread of its own: nothing else ends a resolver that hangs.
    """
    found: list[Placed] = []

    def resolve() -> None:
        found.append(place(host, cgnat_is_lan=settings.LLMHUB_CGNAT_IS_LAN))

    thread = threading.Thread(target=resolve, daemon=True)
    thread.start()
    thread.join(min(seconds, RESOLVE_SECONDS))
    return found[0] if found else None


def _ready(asked: Asked, upstream: Upstream, placed: Placed, cleared: Cleared) -> Ready:
    async def run(sink: Sink, stop: Stop) -> Outcome:
        request = Request(cleared, asked.model, asked.params)
        try:
            return await drain(
                backend_for(upstream, placed),
                request,
                sink=sink,
                stop=stop,
                timeout_seconds=asked.timeout_seconds,
            )
        finally:
            await close_clients()

    return Ready(_where(placed.hosting, cleared), run)


def _where(hosting: Hosting, cleared: Cleared) -> str:
    text = _("This %s.") % hosting.words
    if cleared.names_checked:
        return text
    return f"{text} {_('Protected names are not checked: no database.')}"

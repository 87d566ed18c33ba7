"""Where a turn goes, as the gate sees it: a kept server, placed on its rung.

Owns the passage from a kept server to `gpts.gate.Destination`; sends nothing.
"""

from __future__ import annotations

import ipaddress

from django.conf import settings

from gpts.gate import Destination
from servers.addresses import Origin
from servers.hosting import Hosting, Placed, place
from servers.retained import Kept


def key_of(origin: Origin) -> str:
    """What a confirmation is bound to: scheme, host and port, not the path."""
    return f"{origin.scheme}://{origin.netloc}"


def announced(server: Kept) -> Destination:
    """Where it goes as far as is known without asking a resolver.

    For pages, which never wait. An address is classified anew; of a name the stored
    rung counts until `placed` resolves it at the send.
    """
    try:
        ipaddress.ip_address(server.origin.host)
    except ValueError:
        return _destination(server, server.hosting)
    return placed(server)[0]


def placed(server: Kept) -> tuple[Destination, Placed]:
    """Where it goes now (resolves, may block): the connection uses these addresses."""
    found = place(server.origin.host, cgnat_is_lan=settings.LLMHUB_CGNAT_IS_LAN)
    return _destination(server, found.hosting), found


def _destination(server: Kept, hosting: Hosting) -> Destination:
    origin = server.origin
    return Destination(key_of(origin), str(server), origin.host, hosting)

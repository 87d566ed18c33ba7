"""The addresses this machine carries itself: they are not offered as discoveries."""

from __future__ import annotations

import socket

from servers.discovery.child import Printed, ask
from servers.discovery.interfaces import read_addresses
from servers.discovery.targets import Here

IP_SECONDS = 3.0


def look_here(hub_address: str) -> Here:
    """This machine now. `hub_address` is `host:port` as the hub listens. Blocking."""
    host, _, port = hub_address.rpartition(":")
    return Here(
        addresses=own_addresses(),
        hub_host=host.strip("[]"),
        hub_port=int(port) if port.isdigit() else 0,
    )


def own_addresses() -> frozenset[str]:
    printed = ask(["ip", "-o", "addr"], timeout_seconds=IP_SECONDS)
    if isinstance(printed, Printed) and printed.code == 0:
        return frozenset(one.address for one in read_addresses(printed.text))
    return _by_host_name()


def _by_host_name() -> frozenset[str]:
    """Where there is no `ip`: what this machine's own name stands for."""
    try:
        rows = socket.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM)
    except OSError:
        return frozenset()
    return frozenset(str(row[4][0]) for row in rows)

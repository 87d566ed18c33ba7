"""Source `host`: one machine a person named. `localhost` means two addresses."""

from __future__ import annotations

from servers.discovery.targets import Ask, Found, on_ports
from servers.discovery.typed import parse_typed_host

NAME = "host"


def find(ask: Ask) -> Found:
    """The host in `ask.argument`, on its own port if it names one.

    Raises AddressError.
    """
    typed = parse_typed_host(ask.argument)
    ports = ask.ports if typed.port is None else (typed.port,)
    return Found(
        tuple(
            target
            for host in typed.hosts
            for target in on_ports(host, ports, NAME, typed.name)
        )
    )

"""Source `network`: one network a person typed."""

from __future__ import annotations

from servers.discovery.targets import Ask, Found, on_ports
from servers.discovery.typed import parse_network

NAME = "network"


def find(ask: Ask) -> Found:
    """The hosts of the network in `ask.argument`. Raises AddressError."""
    typed = parse_network(ask.argument, cgnat_is_lan=ask.cgnat_is_lan)
    note = f"read as {typed.network}" if typed.corrected else str(typed.network)
    return Found(
        tuple(
            target
            for host in typed.hosts
            for target in on_ports(host, ask.ports, NAME, note)
        )
    )

"""Source `network`: one network a person typed."""

from __future__ import annotations

from django.utils.translation import gettext as _

from servers.discovery.targets import Ask, Found, on_ports
from servers.discovery.typed import parse_network

NAME = "network"


def find(ask: Ask) -> Found:
    """The hosts of the network in `ask.argument`. Raises AddressError."""
    typed = parse_network(ask.argument, cgnat_is_lan=ask.cgnat_is_lan)
    note = str(typed.network)
    if typed.corrected:
        note = _("read as %(network)s") % {"network": note}
    return Found(
        tuple(
            target
            for host in typed.hosts
            for target in on_ports(host, ask.ports, NAME, note)
        )
    )

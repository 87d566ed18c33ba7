"""Source `neighbours`: addresses that have spoken, from `ip neigh`."""

from __future__ import annotations

import ipaddress

from django.utils.translation import gettext as _

from servers.discovery.child import NoAnswer, ask
from servers.discovery.interfaces import Neighbour, read_neighbours
from servers.discovery.own import IP_SECONDS
from servers.discovery.targets import Ask, Found, on_ports
from servers.hosting import never_a_target

NAME = "neighbours"


def find(ask_for: Ask) -> Found:
    """Every neighbour with a link-layer address, whatever its rung."""
    neighbours, problem = look()
    return Found(
        tuple(
            target
            for one in neighbours
            for target in on_ports(one.address, ask_for.ports, NAME, one.device)
        ),
        problem=problem,
    )


def look() -> tuple[list[Neighbour], str]:
    """The neighbours that may be asked, once each; or why there are none."""
    printed = ask(["ip", "neigh"], timeout_seconds=IP_SECONDS)
    if isinstance(printed, NoAnswer):
        return [], printed.reason
    if printed.code:
        return [], printed.said("ip")
    found = {one.address: one for one in read_neighbours(printed.text)}
    usable = [
        one
        for one in found.values()
        if not never_a_target(ipaddress.ip_address(one.address))
    ]
    return usable, "" if usable else _("no neighbour has spoken yet")

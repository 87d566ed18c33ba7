"""Source `networks`: every IPv4 network this machine carries, from `ip -o -4 addr`."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.utils.translation import gettext as _

from servers.discovery.child import NoAnswer, Printed, ask
from servers.discovery.interfaces import (
    Carried,
    read_addresses,
    read_default_device,
)
from servers.discovery.own import IP_SECONDS
from servers.discovery.sources import neighbours
from servers.discovery.targets import Ask, Found, Target, Unprobed, on_ports
from servers.discovery.typed import MOST_ADDRESSES, Network, is_public

NAME = "networks"


def find(ask_for: Ask) -> Found:
    """The hosts of each network; wide and public ones are listed, not enumerated."""
    carried, problem = look()
    targets: list[Target] = []
    unprobed: list[Unprobed] = []
    for one in carried:
        reason = why_not(one.network, cgnat_is_lan=ask_for.cgnat_is_lan)
        if not reason:
            targets.extend(targets_of(one, ask_for.ports, NAME))
            continue
        instead = list(_neighbours_in(one.network, ask_for)) if _wide(one) else []
        targets.extend(instead)
        unprobed.append(
            Unprobed(describe(one), _with_neighbours(reason, one), str(one.network))
        )
    return Found(tuple(targets), tuple(unprobed), problem)


def look() -> tuple[list[Carried], str]:
    """The networks, the default route's first, once each; or why there are none."""
    printed = ask(["ip", "-o", "-4", "addr"], timeout_seconds=IP_SECONDS)
    if isinstance(printed, NoAnswer):
        return [], printed.reason
    if printed.code:
        return [], printed.said("ip")
    carried = sweepable(read_addresses(printed.text))
    route = ask(["ip", "-4", "route", "show", "default"], timeout_seconds=IP_SECONDS)
    first = read_default_device(route.text) if isinstance(route, Printed) else ""
    carried.sort(key=lambda one: one.device != first)
    return carried, "" if carried else _("this machine carries no network")


def sweepable(carried: Iterable[Carried]) -> list[Carried]:
    """IPv4 networks once each, without loopback, link-local and lone own addresses."""
    found: dict[Network, Carried] = {}
    for one in carried:
        network = one.network
        lone = network.num_addresses == 1 and not one.is_peer
        if network.version != 4 or network.is_loopback or network.is_link_local or lone:
            continue
        found.setdefault(network, one)
    return list(found.values())


def why_not(network: Network, *, cgnat_is_lan: bool) -> str:
    """Why a carried network is listed and not swept, or nothing."""
    if network.num_addresses > MOST_ADDRESSES:
        return _("wider than a /24, not swept")
    if network.num_addresses > 1 and is_public(network, cgnat_is_lan=cgnat_is_lan):
        return _("a public range, never swept")
    return ""


def targets_of(one: Carried, ports: tuple[int, ...], source: str) -> Iterator[Target]:
    for host in one.network.hosts():
        yield from on_ports(str(host), ports, source, describe(one))


def describe(one: Carried) -> str:
    """`192.168.77.0/24 eth0`, and whether it only leads to machines inside this one."""
    note = f"{one.network} {one.device}"
    return _("%(note)s (bridge)") % {"note": note} if _is_bridge(one) else note


def _is_bridge(one: Carried) -> bool:
    return one.is_bridge or (Path("/sys/class/net") / one.device / "bridge").is_dir()


def _wide(one: Carried) -> bool:
    return one.network.num_addresses > MOST_ADDRESSES


def _with_neighbours(reason: str, one: Carried) -> str:
    if not _wide(one):
        return reason
    return _("%(reason)s; its neighbours are offered instead") % {"reason": reason}


def _neighbours_in(network: Network, ask_for: Ask) -> Iterator[Target]:
    for one in neighbours.look()[0]:
        address = ipaddress.ip_address(one.address)
        if address.version == network.version and address in network:
            note = f"{network} {one.device}"
            yield from on_ports(one.address, ask_for.ports, NAME, note)

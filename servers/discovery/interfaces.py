"""What `ip` prints, read as text into values. Runs nothing; never fails on a line."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Interface = ipaddress.IPv4Interface | ipaddress.IPv6Interface

_BRIDGES = ("docker", "br-", "virbr", "lxcbr", "lxdbr", "podman", "cni", "cbr", "vmbr")


@dataclass(frozen=True, slots=True)
class Carried:
    """One address this (or another) machine carries, and the network it opens.

    For a point-to-point link the network is the peer alone.
    """

    device: str
    address: str
    network: Network
    is_peer: bool = False

    @property
    def is_bridge(self) -> bool:
        """Whether its name is that of a bridge to machines inside this one."""
        return self.device.startswith(_BRIDGES)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An address with the hardware address that answered for it."""

    address: str
    device: str


def read_addresses(text: str) -> list[Carried]:
    """The lines of `ip -o addr`, IPv4 and IPv6, in their order.

    What follows `@` is not the name; `peer` carries the prefix; labels (`eth0:1`)
    are not interfaces.
    """
    return [carried for line in text.splitlines() for carried in _carried(line)]


def _carried(line: str) -> Iterator[Carried]:
    words = line.split("\\", 1)[0].split()
    for family in ("inet", "inet6"):
        if family not in words[2:3]:
            continue
        device = words[1].rstrip(":").split("@", 1)[0]
        own = _interface(words[3]) if len(words) > 3 else None
        peer = _interface(words[5]) if words[4:5] == ["peer"] and words[5:] else None
        if own is not None:
            opened = peer or own
            yield Carried(device, str(own.ip), opened.network, peer is not None)


def _interface(text: str) -> Interface | None:
    try:
        return ipaddress.ip_interface(text)
    except ValueError:
        return None


def read_default_device(text: str) -> str:
    """The interface of the first default route of `ip -4 route`, or nothing."""
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["default"] and "dev" in words[:-1]:
            return words[words.index("dev") + 1]
    return ""


def read_neighbours(text: str) -> list[Neighbour]:
    """The lines of `ip neigh` that have a link-layer address: those have spoken."""
    return [one for line in text.splitlines() for one in _neighbour(line)]


def _neighbour(line: str) -> Iterator[Neighbour]:
    words = line.split()
    if "lladdr" not in words[:-1] or {"FAILED", "INCOMPLETE"} & set(words):
        return
    device = words[words.index("dev") + 1] if "dev" in words[:-1] else ""
    device = device.split("@", 1)[0]
    try:
        address = ipaddress.ip_address(words[0])
    except ValueError:
        return
    text = str(address)
    if address.is_link_local and address.version == 6 and device:
        text = f"{address}%{device}"
    yield Neighbour(text, device)

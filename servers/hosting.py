"""How far a text travels: loopback < lan < global.

Pure classification of addresses, and one resolver at the edge. A name is as public
as its most public address; what does not resolve, or is unknown, is global.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from enum import StrEnum

from django.utils.translation import gettext_lazy as _

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_CGNAT = ipaddress.ip_network("100.64.0.0/10")
_UNIQUE_LOCAL = ipaddress.ip_network("fc00::/7")


class Hosting(StrEnum):
    """The three rungs, nearest first. Compare with `rank`."""

    LOOPBACK = "loopback"
    LAN = "lan"
    GLOBAL = "global"

    @property
    def rank(self) -> int:
        return list(Hosting).index(self)

    @property
    def words(self) -> str:
        """What a member reads about where the text goes."""
        return str(_WORDS[self])

    @classmethod
    def read(cls, stored: object) -> Hosting:
        """A stored value; missing or unknown counts as global."""
        try:
            return cls(str(stored))
        except ValueError:
            return cls.GLOBAL


_WORDS = {
    Hosting.LOOPBACK: _("stays on this machine"),
    Hosting.LAN: _("stays on your network"),
    Hosting.GLOBAL: _("leaves your network"),
}


@dataclass(frozen=True, slots=True)
class Placed:
    """A host, the addresses it has now (may be none), and the rung they make."""

    host: str
    addresses: tuple[str, ...]
    hosting: Hosting


def unmapped(address: Address) -> Address:
    """An IPv4-mapped IPv6 address as the IPv4 address it reaches."""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped
    return address


def rung_of(address: Address, *, cgnat_is_lan: bool = False) -> Hosting:
    """The rung of one address. Loopback is tested before private."""
    address = unmapped(address)
    if address.is_loopback:
        return Hosting.LOOPBACK
    if address.version == 4 and address in _CGNAT:
        return Hosting.LAN if cgnat_is_lan else Hosting.GLOBAL
    if address.is_link_local:
        return Hosting.LAN
    if address.version == 6:
        return Hosting.LAN if address in _UNIQUE_LOCAL else Hosting.GLOBAL
    return Hosting.LAN if _is_rfc1918(address) else Hosting.GLOBAL


def _is_rfc1918(address: Address) -> bool:
    """Not `is_private`: that also counts documentation and benchmark ranges."""
    return any(
        address in ipaddress.ip_network(block)
        for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
    )


def never_a_target(address: Address) -> str:
    """Why nothing is ever sent to this address, or an empty string.

    Link-local carries metadata services (169.254.169.254); fe80::/10 is a target
    only with its zone.
    """
    address = unmapped(address)
    if address.is_unspecified:
        return "0.0.0.0 and [::] are no addresses to talk to."
    if address.is_multicast or str(address) == "255.255.255.255":
        return "A multicast or broadcast address is never a target."
    if isinstance(address, ipaddress.IPv6Address) and address.is_link_local:
        return "" if address.scope_id else "A link-local address needs its zone."
    if address.is_link_local:
        return "A link-local address (metadata services) is never a target."
    return ""


def never_a_target_host(host: str) -> str:
    """The reason why nothing is ever sent to an IP literal; names pass for now.

    A name is decided on the addresses it resolves to, see `place`.
    """
    try:
        return never_a_target(ipaddress.ip_address(host))
    except ValueError:
        return ""


def most_public(rungs: list[Hosting]) -> Hosting:
    return max(rungs, key=lambda rung: rung.rank, default=Hosting.GLOBAL)


def place(host: str, *, cgnat_is_lan: bool = False) -> Placed:
    """Resolve `host` now (blocking) and classify what it resolves to.

    Addresses that are never a target are left out; a host that has only such
    addresses, or none, is global with no addresses.
    """
    try:
        found = [ipaddress.ip_address(host)]
    except ValueError:
        found = _resolve(host)
    usable = [address for address in found if not never_a_target(address)]
    rungs = [rung_of(address, cgnat_is_lan=cgnat_is_lan) for address in usable]
    return Placed(host, tuple(str(a) for a in usable), most_public(rungs))


def _resolve(host: str) -> list[Address]:
    try:
        rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(ipaddress.ip_address(row[4][0]) for row in rows))

"""Networks and hosts as a person types them, in every odd form, read before any send.

A network too wide is refused before it is enumerated; a public one is never swept.
What was typed is not echoed: it may hold a password.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from servers.addresses import parse_host, parse_url
from servers.discovery.targets import LOOPBACKS
from servers.errors import AddressError
from servers.hosting import Hosting, never_a_target, rung_of, unmapped

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# A /24, or as many IPv6 addresses.
MOST_ADDRESSES = 256
_MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")
# Documentation: routed nowhere. (Its IPv4 likes stay public: some networks carry them.)
_NEVER_ROUTED = ipaddress.IPv6Network("2001:db8::/32")
_RANGE = re.compile(r"[0-9a-fA-F.:]+-[0-9a-fA-F.:]+")


@dataclass(frozen=True, slots=True)
class TypedNetwork:
    """A network as it was understood. `corrected`: not written as it was typed."""

    network: Network
    corrected: bool

    @property
    def hosts(self) -> list[str]:
        """Its hosts: both addresses of a /31, the one of a /32."""
        return [str(host) for host in self.network.hosts() if not never_a_target(host)]


@dataclass(frozen=True, slots=True)
class TypedHost:
    """One machine by name or address. `port` None: the scan's ports."""

    hosts: tuple[str, ...]
    port: int | None
    name: str


def parse_network(text: str, *, cgnat_is_lan: bool = False) -> TypedNetwork:
    """`192.168.1.0/24` and its kin. Raises AddressError, one sentence."""
    typed = text.strip()
    _refuse_what_is_no_network(typed)
    try:
        network: Network = ipaddress.ip_network(typed, strict=False)
    except ValueError:
        raise AddressError(
            _("That is no network: write 192.168.1.0/24 or fd00::/120.")
        ) from None
    network = _unmapped(network)
    refuse_unsweepable(network, cgnat_is_lan=cgnat_is_lan)
    return TypedNetwork(network, corrected=typed not in _spellings(network))


def _refuse_what_is_no_network(typed: str) -> None:
    if "@" in typed:
        raise AddressError(_("A network has no user name or password."))
    if "%" in typed:
        raise AddressError(_("A network has no zone; name the single host."))
    if "," in typed or ";" in typed or " " in typed:
        raise AddressError(_("One network at a time; it is written 192.168.1.0/24."))
    if _RANGE.fullmatch(typed):
        raise AddressError(
            _("Ranges are not read: write a network such as 192.168.1.0/27.")
        )


def _unmapped(network: Network) -> Network:
    """`::ffff:192.168.77.0/120` is 192.168.77.0/24, not a free IPv6 range."""
    if not isinstance(network, ipaddress.IPv6Network):
        return network
    if not network.subnet_of(_MAPPED):
        return network
    first = network.network_address.ipv4_mapped
    return ipaddress.ip_network((int(first or 0), network.prefixlen - 96))


def _spellings(network: Network) -> tuple[str, ...]:
    single = (str(network.network_address),) if network.num_addresses == 1 else ()
    return (str(network), *single)


def refuse_unsweepable(network: Network, *, cgnat_is_lan: bool = False) -> None:
    """Raises AddressError for what is too wide, public, or never a target."""
    if network.num_addresses > MOST_ADDRESSES:
        most = 24 if network.version == 4 else 120
        raise AddressError(
            _(
                "%(network)s is wider than a /%(most)s: a scan takes at most "
                "%(count)s addresses of a network."
            )
            % {"network": network, "most": most, "count": MOST_ADDRESSES}
        )
    reason = never_a_target(network.network_address)
    if reason and never_a_target(network.broadcast_address):
        raise AddressError(reason)
    if network.num_addresses > 1 and is_public(network, cgnat_is_lan=cgnat_is_lan):
        raise AddressError(
            _(
                "%(network)s is a public range, and those are never swept; "
                "name a single host instead."
            )
            % {"network": network}
        )


def is_public(network: Network, *, cgnat_is_lan: bool = False) -> bool:
    """Whether any of it lies outside this machine and its networks."""
    if isinstance(network, ipaddress.IPv6Network) and network.subnet_of(_NEVER_ROUTED):
        return False
    ends = (network.network_address, network.broadcast_address)
    rungs = [rung_of(address, cgnat_is_lan=cgnat_is_lan) for address in ends]
    return Hosting.GLOBAL in rungs


def parse_typed_host(text: str) -> TypedHost:
    """A host, `host:port`, or a URL without a path. Raises AddressError."""
    typed = text.strip()
    if "/" in typed and "://" not in typed:
        raise AddressError(_("A host has no path; a network is typed as a network."))
    host, port = _host_and_port(typed)
    if host == "localhost" or host.endswith(".localhost"):
        return TypedHost(LOOPBACKS, port, host)
    try:
        address = unmapped(ipaddress.ip_address(host))
    except ValueError:
        return TypedHost((host,), port, host)
    reason = never_a_target(address)
    if reason:
        raise AddressError(reason)
    return TypedHost((str(address),), port, "")


def _host_and_port(typed: str) -> tuple[str, int | None]:
    if "://" not in typed and (typed.count(":") > 1 and not typed.startswith("[")):
        return parse_host(typed), None
    origin = parse_url(typed)
    if origin.prefix:
        raise AddressError(
            _("A scan takes a host, not a path; `identify` takes a URL with one.")
        )
    url = typed if "://" in typed else f"http://{typed}"
    explicit = urlsplit(url).port is not None
    return origin.host, origin.port if explicit else None

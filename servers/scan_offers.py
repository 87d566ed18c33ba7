"""What a curator can choose on the scan page, and the plan that a choice makes.

Offers are read without asking anybody on the network: `ip`, and the names in the ssh
configuration. Counting what was chosen asks the sources; still nothing is probed.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from servers.addresses import parse_host
from servers.discovery.gather import Chosen, gather
from servers.discovery.interfaces import Carried
from servers.discovery.own import look_here
from servers.discovery.ports import DEFAULT_PORTS
from servers.discovery.resolve import is_address, resolve
from servers.discovery.sources import neighbours as neighbour_source
from servers.discovery.sources import networks, ssh
from servers.discovery.targets import Found, Plan, Unprobed
from servers.discovery.typed import parse_network, parse_typed_host
from servers.errors import AddressError, ServersError
from servers.hosting import Hosting, rung_of

# Sources whose machines nobody named here: public ones are named and retyped first.
_HELD_TO_LAN = ("ssh", "ssh-networks", "libvirt")


@dataclass(frozen=True, slots=True)
class Offer:
    """One choice: the value of its box, its words, what it would ask, and a warning."""

    value: str
    words: str
    detail: str = ""
    why_not: str = ""
    checked: bool = False


class RetypeNeeded(ServersError):
    """A public host was named and not yet typed a second time."""

    def __init__(self, host: str) -> None:
        self.host = host
        super().__init__(
            _("%(host)s is public: type it once more to ask it.") % {"host": host}
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen: sources, a network or host as typed, and typed again."""

    sources: tuple[str, ...] = ()
    typed: str = ""
    retyped: str = ""
    remote: str = ""


def offers() -> list[Offer]:
    """Everything to choose from on this machine now."""
    count = len(DEFAULT_PORTS)
    ports = ngettext("%d port", "%d ports", count) % count
    hosts = ssh.look()
    ssh_offer = _ssh_offer(len(hosts.aliases), runs_commands=hosts.runs_commands)
    tunnels = _("declared ports")
    return [
        Offer("loopback", _("This machine"), ports, checked=True),
        *_network_offers(),
        ssh_offer,
        replace(ssh_offer, value="ssh-tunnels", words=_("SSH tunnels"), detail=tunnels),
        Offer("libvirt", _("Virtual machines"), _("by virsh")),
        _neighbour_offer(),
    ]


def aliases() -> tuple[str, ...]:
    """The machines whose own networks can be read over ssh."""
    return ssh.look().aliases


def _network_offers() -> list[Offer]:
    carried, problem = networks.look()
    if problem:
        return [Offer("networks", _("Networks"), why_not=problem)]
    return [_network_offer(one) for one in carried]


def _network_offer(one: Carried) -> Offer:
    reason = networks.why_not(one.network, cgnat_is_lan=settings.LLMHUB_CGNAT_IS_LAN)
    count = one.network.num_addresses - 2 if one.network.prefixlen < 31 else 1
    addresses = ngettext("%d address", "%d addresses", count) % count
    device = _("%(name)s, a bridge") if one.is_bridge else "%(name)s"
    named = device % {"name": one.device}
    detail = f"{named} · {reason or addresses}"
    return Offer(f"network:{one.network}", str(one.network), detail, why_not=reason)


def _ssh_offer(count: int, *, runs_commands: bool) -> Offer:
    detail = str(count)
    if runs_commands:
        detail = _("%(count)d, runs commands of Match exec") % {"count": count}
    why_not = "" if count else _("the ssh configuration names no machine")
    return Offer("ssh", _("SSH hosts"), detail, why_not)


def _neighbour_offer() -> Offer:
    found, problem = neighbour_source.look()
    return Offer("neighbours", _("Neighbours"), str(len(found)), problem)


def plan_of(choice: Choice) -> Plan:
    """Ask the chosen sources. Blocking, probes nothing.

    Raises AddressError for what was typed, RetypeNeeded for a public host.
    """
    chosen = [_chosen(value) for value in choice.sources]
    if choice.remote:
        chosen.append(Chosen("ssh-networks", choice.remote))
    if choice.typed.strip():
        chosen.append(_typed(choice))
    plan = gather(
        chosen,
        tuple(DEFAULT_PORTS),
        look_here(settings.LLMHUB_ADDRESS),
        cgnat_is_lan=settings.LLMHUB_CGNAT_IS_LAN,
    )
    return without_public(plan)


def _chosen(value: str) -> Chosen:
    name, _colon, argument = value.partition(":")
    offered = {"loopback", "network", "ssh", "ssh-tunnels", "libvirt", "neighbours"}
    if name not in offered:
        raise AddressError(_("There is no such source."))
    return Chosen(name, argument)


def _typed(choice: Choice) -> Chosen:
    """A network by its slash, else a host; a public host must be typed twice."""
    typed = choice.typed.strip()
    if "/" in typed and "://" not in typed:
        network = parse_network(typed, cgnat_is_lan=settings.LLMHUB_CGNAT_IS_LAN)
        if network.network.num_addresses > 1:
            return Chosen("network", typed)
        typed = str(network.network.network_address)
    hosts = parse_typed_host(typed).hosts
    if _public_among(hosts) and not _same_host(choice.retyped, hosts[0]):
        raise RetypeNeeded(hosts[0])
    return Chosen("host", typed)


def _same_host(retyped: str, host: str) -> bool:
    try:
        return parse_host(retyped.strip()) == host
    except AddressError:
        return False


def _public_among(hosts: Sequence[str]) -> set[str]:
    """Those that are, or resolve to, a public address. Blocking, bounded."""
    known = asyncio.run(resolve(host for host in hosts if not is_address(host)))
    return {
        host
        for host in hosts
        if any(_is_public(address) for address in known.get(host, [host]))
    }


def _is_public(address: str) -> bool:
    rung = rung_of(
        ipaddress.ip_address(address), cgnat_is_lan=settings.LLMHUB_CGNAT_IS_LAN
    )
    return rung is Hosting.GLOBAL


def without_public(plan: Plan) -> Plan:
    """Public machines that nobody named here are listed, to be named one by one."""
    held = [t.host for t in plan.targets if t.source in _HELD_TO_LAN]
    public = _public_among(tuple(dict.fromkeys(held)))
    if not public:
        return plan
    sources = {
        name: _without(found, public) if name in _HELD_TO_LAN else found
        for name, found in plan.sources.items()
    }
    targets = tuple(
        target
        for target in plan.targets
        if target.source not in _HELD_TO_LAN or target.host not in public
    )
    return Plan(targets, sources)


def _without(found: Found, public: set[str]) -> Found:
    reason = _("a public address: name it under “Network or host” to ask it")
    named = {t.host: t.note for t in found.targets if t.host in public}
    held = tuple(Unprobed(note, reason, host) for host, note in named.items())
    targets = tuple(t for t in found.targets if t.host not in public)
    return replace(found, targets=targets, unprobed=(*found.unprobed, *held))

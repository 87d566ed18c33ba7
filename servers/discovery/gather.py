"""The sources by name, and one plan out of those that were chosen.

Adding a source is one file under `sources/` and one line here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from servers.discovery.sources import (
    host,
    libvirt,
    loopback,
    neighbours,
    network,
    networks,
    ssh,
    ssh_networks,
    ssh_tunnels,
)
from servers.discovery.targets import Ask, Found, Here, Plan, Unprobed, make_plan
from servers.errors import AddressError
from servers.ladder import by_host

SOURCES: dict[str, Callable[[Ask], Found]] = {
    loopback.NAME: loopback.find,
    network.NAME: network.find,
    host.NAME: host.find,
    networks.NAME: networks.find,
    neighbours.NAME: neighbours.find,
    ssh.NAME: ssh.find,
    ssh_tunnels.NAME: ssh_tunnels.find,
    ssh_networks.NAME: ssh_networks.find,
    libvirt.NAME: libvirt.find,
}
# Asked for by their own options, with what was typed.
TYPED = (network.NAME, host.NAME)
WITH_ARGUMENT = (*TYPED, ssh_networks.NAME)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A source to ask, with its argument where it takes one."""

    name: str
    argument: str = ""


def parse_source(text: str) -> Chosen:
    """`ssh-tunnels`, `ssh-networks:ALIAS`. Raises AddressError."""
    name, argument = text.strip(), ""
    for separator in (":", "=", " "):
        if separator in name:
            name, _sep, argument = name.partition(separator)
            break
    name = name.strip().lower().replace("_", "-")
    chosen = Chosen(name, argument.strip())
    if name not in SOURCES or (name in TYPED and not argument):
        offered = ", ".join(known for known in SOURCES if known not in TYPED)
        raise AddressError(_("--source takes one of: %(names)s.") % {"names": offered})
    if name == ssh_networks.NAME and not chosen.argument:
        raise AddressError(_("Say which machine: --source ssh-networks:ALIAS."))
    if argument and name not in WITH_ARGUMENT:
        raise AddressError(_("The source %(name)s takes no argument.") % {"name": name})
    return chosen


def gather(
    chosen: Iterable[Chosen],
    ports: tuple[int, ...],
    here: Here,
    *,
    cgnat_is_lan: bool = False,
) -> Plan:
    """Ask each chosen source. Blocking; raises AddressError for what was typed."""
    found = [
        (
            one.name,
            _askable(SOURCES[one.name](Ask(ports, one.argument, cgnat_is_lan))),
        )
        for one in dict.fromkeys(chosen)
    ]
    return make_plan(found, here)


def _askable(found: Found) -> Found:
    """Without the services that are known by their host name: no scan asks those."""
    known = {target.host for target in found.targets if by_host(target.host)}
    if not known:
        return found
    reason = _("known by its name, never asked by a scan; add it by its URL")
    return Found(
        tuple(target for target in found.targets if target.host not in known),
        (*found.unprobed, *(Unprobed(host, reason, host) for host in sorted(known))),
        found.problem,
    )

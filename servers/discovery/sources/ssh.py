"""Source `ssh`: the hosts of the ssh configuration, as `ssh -G` resolves them."""

from __future__ import annotations

import ipaddress
from pathlib import Path

from django.utils.translation import gettext as _

from servers.addresses import parse_host
from servers.discovery.ssh_config import SshHosts, read_hosts
from servers.discovery.ssh_resolve import Resolved, Unresolved, resolve
from servers.discovery.targets import Ask, Found, Target, Unprobed, on_ports
from servers.errors import AddressError
from servers.hosting import never_a_target, unmapped

NAME = "ssh"


def find(ask: Ask) -> Found:
    """Each host that is reached directly; those behind a jump host are only listed.

    A private address behind a jump host is another machine than that number here.
    """
    hosts = look()
    targets: list[Target] = []
    unprobed = unusable(hosts)
    for one in resolve(hosts.aliases):
        target = _direct(one)
        if isinstance(target, Unprobed):
            unprobed.append(target)
        else:
            targets.extend(on_ports(target, ask.ports, NAME, one.alias))
    return Found(tuple(targets), tuple(unprobed), remark(hosts))


def look() -> SshHosts:
    """The configured names. Reads files; runs nothing and asks nobody."""
    return read_hosts(Path.home())


def unusable(hosts: SshHosts) -> list[Unprobed]:
    reason = _("unusable: ssh takes no such host name")
    return [Unprobed(printable(alias), reason) for alias in hosts.unusable]


def remark(hosts: SshHosts) -> str:
    """What to say of the configuration as a whole."""
    if hosts.problem:
        return hosts.problem
    if hosts.runs_commands:
        return _(
            "the ssh configuration has `Match exec`: resolving it ran its commands"
        )
    return "" if hosts.aliases else _("the ssh configuration names no machine")


def _direct(one: Resolved | Unresolved) -> str | Unprobed:
    if isinstance(one, Unresolved):
        return Unprobed(one.alias, printable(one.reason))
    if one.through:
        through = printable(
            _("reachable only through %(hosts)s") % {"hosts": one.through}
        )
        return Unprobed(one.alias, through, printable(one.host))
    try:
        host = parse_host(one.host)
    except AddressError:
        return Unprobed(one.alias, _("not resolved: ssh gives no host name"))
    return _usable(one.alias, host)


def _usable(alias: str, host: str) -> str | Unprobed:
    try:
        address = unmapped(ipaddress.ip_address(host))
    except ValueError:
        return host
    reason = never_a_target(address)
    return Unprobed(alias, reason, host) if reason else str(address)


def printable(text: str) -> str:
    """Without what a terminal would obey."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)[:300]

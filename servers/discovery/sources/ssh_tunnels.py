"""Source `ssh-tunnels`: the ssh configuration's LocalForwards, asked at this end."""

from __future__ import annotations

import ipaddress
import shlex

from django.utils.translation import gettext as _

from servers.addresses import parse_host
from servers.discovery.sources.ssh import look, printable, remark, unusable
from servers.discovery.ssh_resolve import Forward, Resolved, Unresolved, resolve
from servers.discovery.targets import LOOPBACKS, Ask, Found, Target, Unprobed
from servers.errors import AddressError
from servers.hosting import never_a_target, unmapped

NAME = "ssh-tunnels"

# Where a listener bound to this is asked. Without a bind address it may be any.
_ASKED_AT = {
    "": ("127.0.0.1",),
    "*": ("127.0.0.1",),
    "0.0.0.0": ("127.0.0.1",),  # noqa: S104 - read here, never bound
    "::": ("::1",),
    "localhost": LOOPBACKS,
}


def find(ask: Ask) -> Found:
    """One target per declared (bind, port), the first alias's; sockets are listed.

    The ports of `ask` do not matter: a tunnel declares its own.
    """
    hosts = look()
    targets: dict[tuple[str, int], Target] = {}
    unprobed = unusable(hosts)
    for one in resolve(hosts.aliases):
        if isinstance(one, Unresolved):
            unprobed.append(Unprobed(one.alias, printable(one.reason)))
            continue
        for forward in one.forwards:
            found = _targets(one, forward)
            if isinstance(found, Unprobed):
                unprobed.append(found)
                continue
            for target in found:
                targets.setdefault((target.host, target.port), target)
    problem = remark(hosts) or ("" if targets else _("no LocalForward is declared"))
    return Found(tuple(targets.values()), tuple(unprobed), problem)


def _targets(one: Resolved, forward: Forward) -> list[Target] | Unprobed:
    note = printable(
        _("%(alias)s to %(far)s") % {"alias": one.alias, "far": forward.far}
    )
    if not 1 <= forward.port <= 65535:
        reason = _("a socket, not probed") if not forward.port else _("no such port")
        return Unprobed(printable(f"{one.alias}: {forward.far}"), reason)
    try:
        hosts = _ASKED_AT.get(forward.bind) or (_literal(forward.bind),)
    except AddressError as error:
        return Unprobed(note, str(error), printable(forward.bind))
    opened_by = f"ssh -N -- {shlex.quote(one.alias)}"
    closed = _("declared, not open; `%(command)s` opens it") % {"command": opened_by}
    return [Target(host, forward.port, NAME, note, closed) for host in hosts]


def _literal(bind: str) -> str:
    host = parse_host(bind)
    try:
        address = unmapped(ipaddress.ip_address(host))
    except ValueError:
        return host
    reason = never_a_target(address)
    if reason:
        raise AddressError(reason)
    return str(address)

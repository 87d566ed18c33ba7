"""Source `ssh-networks`: networks another machine carries, read there, swept here."""

from __future__ import annotations

import shlex

from django.utils.translation import gettext as _

from servers.discovery.child import NoAnswer, ask
from servers.discovery.interfaces import read_addresses
from servers.discovery.sources.networks import sweepable, targets_of, why_not
from servers.discovery.sources.ssh import printable
from servers.discovery.targets import Ask, Found, Target, Unprobed

NAME = "ssh-networks"
SECONDS = 15.0
# What runs there. Quoted word by word: the far shell reads it again.
_THERE = ("ip", "-o", "-4", "addr")


def find(ask_for: Ask) -> Found:
    """The networks of the machine behind the alias in `ask_for.argument`."""
    alias = ask_for.argument.strip()
    if not alias or alias.startswith("-") or not alias.isprintable():
        return Found(problem=_("ssh-networks needs an ssh host: ssh-networks:ALIAS"))
    printed = ask(command(alias), timeout_seconds=SECONDS)
    if isinstance(printed, NoAnswer):
        return Found(problem=printed.reason)
    if printed.code:
        return Found(problem=printable(f"{alias}: {printed.said('ssh')}"))
    return _found(alias, printed.text, ask_for)


def command(alias: str) -> list[str]:
    """BatchMode: it never asks for a password, nor trusts an unknown host key."""
    there = " ".join(shlex.quote(word) for word in _THERE)
    options = (
        "BatchMode=yes",
        "ConnectTimeout=10",
        "ClearAllForwardings=yes",
        "PermitLocalCommand=no",
        "RequestTTY=no",
    )
    flags = [part for option in options for part in ("-o", option)]
    return ["ssh", *flags, "--", alias, there]


def _found(alias: str, text: str, ask_for: Ask) -> Found:
    targets: list[Target] = []
    unprobed: list[Unprobed] = []
    for one in sweepable(read_addresses(text)):
        note = f"{alias}: {one.network} {one.device}"
        reason = why_not(one.network, cgnat_is_lan=ask_for.cgnat_is_lan)
        if one.is_bridge:
            reason = _("a bridge inside %(alias)s, not reachable from here")
            reason %= {"alias": alias}
        if reason:
            unprobed.append(Unprobed(note, reason, str(one.network)))
            continue
        targets.extend(
            Target(target.host, target.port, NAME, note)
            for target in targets_of(one, ask_for.ports, NAME)
        )
    problem = _("%(alias)s carries no network") % {"alias": alias}
    nothing = not targets and not unprobed
    return Found(tuple(targets), tuple(unprobed), problem if nothing else "")

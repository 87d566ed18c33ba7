"""What `ssh -G` says about an alias, and about many within one bound.

Reads its output into values. `Match exec` runs commands here: only when asked for.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass

from django.utils.translation import gettext as _

from servers.discovery.child import NoAnswer, ask

ONE_SECONDS = 5.0
ALL_SECONDS = 30.0
_AT_ONCE = 8
_MOST = 1000
_BRACKETED = re.compile(r"\[([^\]]*)\]:(\d+)\s+(.*)")
_BARE = re.compile(r"(\d+)\s+(.*)")
_PLAIN = re.compile(r"([^\s/\[\]]*)[:/](\d+)\s+(.*)")


@dataclass(frozen=True, slots=True)
class Forward:
    """A LocalForward. `bind` empty: a bare port. `port` 0: a Unix socket here."""

    bind: str
    port: int
    far: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """An alias as ssh would use it. `through`: the jump hosts or proxy on the way."""

    alias: str
    host: str
    through: str = ""
    forwards: tuple[Forward, ...] = ()


@dataclass(frozen=True, slots=True)
class Unresolved:
    """An alias ssh could not resolve, and its words."""

    alias: str
    reason: str


def resolve(aliases: Sequence[str]) -> list[Resolved | Unresolved]:
    """Ask ssh about each alias, in order, a few at once. Blocking, bounded."""
    deadline = time.monotonic() + ALL_SECONDS

    def one(alias: str) -> Resolved | Unresolved:
        left = deadline - time.monotonic()
        if left <= 0.1:
            return Unresolved(alias, _("not resolved: the others took too long"))
        return resolve_one(alias, min(ONE_SECONDS, left))

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        # The threads speak the language of whoever asks.
        asked = [(copy_context(), alias) for alias in aliases[:_MOST]]
        found = list(pool.map(lambda pair: pair[0].run(one, pair[1]), asked))
    reason = _("not resolved: too many hosts")
    late = [Unresolved(alias, reason) for alias in aliases[_MOST:]]
    return [*found, *late]


def resolve_one(alias: str, seconds: float = ONE_SECONDS) -> Resolved | Unresolved:
    printed = ask(["ssh", "-G", "--", alias], timeout_seconds=seconds)
    if isinstance(printed, NoAnswer):
        return Unresolved(alias, _not_resolved(printed.reason))
    if printed.code:
        return Unresolved(alias, _not_resolved(printed.said("ssh")))
    return read_resolved(alias, printed.text)


def _not_resolved(words: str) -> str:
    return _("not resolved: %(words)s") % {"words": words}


def read_resolved(alias: str, text: str) -> Resolved:
    """The output of `ssh -G`: one keyword and its value a line."""
    host, through, forwards = alias, "", []
    for line in text.splitlines():
        keyword, _blank, value = line.strip().partition(" ")
        value = value.strip()
        match keyword.lower():
            case "hostname" if value:
                host = value
            case "proxyjump" if value.lower() != "none":
                through = ", ".join(_hop(hop) for hop in value.split(","))
            case "proxycommand" if value.lower() != "none":
                through = through or _("a proxy command")
            case "localforward" if value:
                forwards.append(read_forward(value))
    return Resolved(alias, host, through, tuple(forwards))


def _hop(text: str) -> str:
    """`ssh://mira@bastion:2200` is bastion."""
    host = text.strip().removeprefix("ssh://").rpartition("@")[2]
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0] if host.count(":") == 1 else host


def read_forward(value: str) -> Forward:
    """One LocalForward as printed. A path may hold blanks: it is a socket anyway."""
    if bracketed := _BRACKETED.match(value):
        return Forward(bracketed[1] or "*", int(bracketed[2]), bracketed[3])
    if bare := _BARE.match(value):
        return Forward("", int(bare[1]), bare[2])
    if plain := _PLAIN.match(value):
        return Forward(plain[1] or "*", int(plain[2]), plain[3])
    return Forward("", 0, value)

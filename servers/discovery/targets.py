"""What a scan would knock on, as values; and how the sources' finds become one list.

Owns exclusion (own addresses, the hub itself) and merging. Resolves no name.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from servers.hosting import Address, unmapped

# What localhost means, whatever the resolver's order: a server may listen on one only.
LOOPBACKS = ("127.0.0.1", "::1")
# Sources whose targets somebody wrote down one by one: not a discovery of oneself.
_NAMED = frozenset({"host", "ssh-tunnels"})


@dataclass(frozen=True, slots=True)
class Target:
    """One (host, port) to ask. `host` is an address, or a name not yet resolved.

    `note` says how the source calls it (an alias, a domain, a network); `closed` what
    to say when nobody accepts there.
    """

    host: str
    port: int
    source: str
    note: str = ""
    closed: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "host": self.host,
            "port": self.port,
            "source": self.source,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class Unprobed:
    """Something a source knows of that is not asked, and why."""

    note: str
    reason: str
    host: str = ""

    def as_json(self) -> dict[str, Any]:
        return {"host": self.host, "note": self.note, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Found:
    """What one source says. `problem` is one line where it had nothing to say."""

    targets: tuple[Target, ...] = ()
    unprobed: tuple[Unprobed, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """What a source is asked with: the ports, and its argument where it takes one."""

    ports: tuple[int, ...]
    argument: str = ""
    cgnat_is_lan: bool = False


@dataclass(frozen=True, slots=True)
class Here:
    """This machine to a scan: its own addresses, and where the hub listens."""

    addresses: frozenset[str] = frozenset()
    hub_host: str = ""
    hub_port: int = 0

    def is_own(self, host: str) -> bool:
        return host in self.addresses and not _is_loopback(host)

    def is_hub(self, host: str, port: int) -> bool:
        """Whether the hub itself would answer there."""
        if port != self.hub_port:
            return False
        address = _address(host)
        if address is None:
            return host == self.hub_host
        own = host in self.addresses or address.is_loopback
        bound = _address(self.hub_host)
        return own and (bound is None or bound.is_unspecified or bound == address)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a scan would ask, once each, and what each source said."""

    targets: tuple[Target, ...] = ()
    sources: Mapping[str, Found] = field(default_factory=dict)

    def count(self, source: str) -> int:
        return len(self.sources[source].targets)


def make_plan(found: Iterable[tuple[str, Found]], here: Here) -> Plan:
    """Merge what the sources found: one target per (host, port), the first source's.

    Two names for one target are both in its note.
    """
    sources: dict[str, Found] = {}
    merged: dict[tuple[str, int], Target] = {}
    for name, one in found:
        kept = tuple(target for target in one.targets if _may_ask(target, here))
        before = sources.get(name, Found())
        sources[name] = Found(
            before.targets + kept,
            before.unprobed + one.unprobed,
            "; ".join(filter(None, (before.problem, one.problem))),
        )
        for target in kept:
            key = (target.host, target.port)
            merged[key] = _joined(merged[key], target) if key in merged else target
    return Plan(tuple(merged.values()), sources)


def _may_ask(target: Target, here: Here) -> bool:
    if here.is_hub(target.host, target.port):
        return False
    return target.source in _NAMED or not here.is_own(target.host)


def _joined(first: Target, second: Target) -> Target:
    notes = first.note.split(", ") if first.note else []
    if second.note and second.note not in notes:
        notes.append(second.note)
    closed = first.closed or second.closed
    return replace(first, note=", ".join(notes), closed=closed)


def _address(host: str) -> Address | None:
    try:
        return unmapped(ipaddress.ip_address(host))
    except ValueError:
        return None


def _is_loopback(host: str) -> bool:
    address = _address(host)
    return address is not None and address.is_loopback


def on_ports(
    host: str, ports: Iterable[int], source: str, note: str = ""
) -> tuple[Target, ...]:
    """One host's targets, in the order of the ports."""
    return tuple(Target(host, port, source, note) for port in ports)

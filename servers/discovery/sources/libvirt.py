"""Source `libvirt`: virtual machines and their addresses, from `virsh`."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from django.utils.translation import gettext as _

from servers.discovery.child import NoAnswer, Printed, ask
from servers.discovery.sources.ssh import printable
from servers.discovery.targets import Ask, Found, Target, Unprobed, on_ports
from servers.hosting import never_a_target

NAME = "libvirt"
SECONDS = 5.0
_AT_ONCE = 4
_MOST_DOMAINS = 256
# A running domain has a number; the words for the state are for people.
_ROW = re.compile(r"\s*(-|\d+)\s+(\S.*?)(?:\s{2,}(\S.*))?\s*")
_WAYS = ("lease", "arp", "agent")


@dataclass(frozen=True, slots=True)
class Domain:
    """A virtual machine as `virsh list --all` shows it."""

    name: str
    running: bool
    state: str


def find(ask_for: Ask) -> Found:
    """Each running domain by its addresses; the others are listed as what they are."""
    domains, problem = look()
    running = [domain for domain in domains if domain.running]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        addresses = list(pool.map(addresses_of, running))
    targets: list[Target] = []
    unprobed = [
        Unprobed(domain.name, domain.state or _("not running"))
        for domain in domains
        if not domain.running
    ]
    for domain, hosts in zip(running, addresses, strict=True):
        for host in hosts:
            targets.extend(on_ports(host, ask_for.ports, NAME, domain.name))
        if not hosts:
            unprobed.append(Unprobed(domain.name, _("running, no address known")))
    return Found(tuple(targets), tuple(unprobed), problem)


def look() -> tuple[list[Domain], str]:
    """The domains; or why there are none. One look, no waiting."""
    printed = ask(["virsh", "list", "--all"], timeout_seconds=SECONDS)
    if isinstance(printed, NoAnswer):
        return [], printed.reason
    if printed.code:
        return [], printable(printed.said("virsh"))
    domains = read_domains(printed.text)[:_MOST_DOMAINS]
    return domains, "" if domains else _("there is no virtual machine")


def read_domains(text: str) -> list[Domain]:
    """The rows of `virsh list --all`, in any language."""
    found = []
    for line in text.splitlines():
        if row := _ROW.fullmatch(line):
            name = printable(row[2])
            found.append(Domain(name, row[1] != "-", printable(row[3] or "")))
    return found


def addresses_of(domain: Domain) -> list[str]:
    """What the three places that may know it say, once each."""
    found: dict[str, None] = {}
    for way in _WAYS:
        argv = ["virsh", "domifaddr", "--source", way, "--", domain.name]
        printed = ask(argv, timeout_seconds=SECONDS)
        if isinstance(printed, Printed) and not printed.code:
            found.update(dict.fromkeys(read_addresses(printed.text)))
    return list(found)


def read_addresses(text: str) -> Iterator[str]:
    """The addresses of `virsh domifaddr` that may be asked.

    The prefix is left alone: the arp source prints /0, and that network is the
    whole Internet. Loopback and link-local are the guest's own.
    """
    for line in text.splitlines():
        words = line.split()
        if len(words) < 4 or words[-2].lower() not in {"ipv4", "ipv6"}:
            continue
        try:
            address = ipaddress.ip_address(words[-1].partition("/")[0])
        except ValueError:
            continue
        guests_own = address.is_loopback or address.is_link_local
        if not guests_own and not never_a_target(address):
            yield str(address)

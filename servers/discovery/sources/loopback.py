"""Source `loopback`: this machine, by both of its addresses."""

from __future__ import annotations

import socket

from servers.discovery.targets import LOOPBACKS, Ask, Found, on_ports

NAME = "loopback"


def find(ask: Ask) -> Found:
    """Every port on 127.0.0.1 and, where this machine has it, on ::1."""
    hosts = [host for host in LOOPBACKS if ":" not in host or _has_ipv6()]
    return Found(
        tuple(
            target for host in hosts for target in on_ports(host, ask.ports, NAME, "")
        )
    )


def _has_ipv6() -> bool:
    """Whether ::1 exists here. Connecting a datagram socket sends nothing."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sock:
            sock.connect(("::1", 9))
    except OSError:
        return False
    return True

"""Sockets of a sweep: opened without blocking, connected by numeric address."""

from __future__ import annotations

import errno
import socket
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One numeric address (with its zone where it has one) and port."""

    host: str
    port: int


def new_socket(family: int) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setblocking(False)
    return sock


def connect(sock: socket.socket, address: tuple[object, ...]) -> int:
    try:
        return sock.connect_ex(address)
    except OSError as error:  # a zone that is no interface of this machine
        return error.errno or errno.ENETUNREACH


def met_itself(sock: socket.socket) -> bool:
    """Whether the system gave it the very port it asked for: then it is connected to
    itself, and nobody listens (loopback, ports above 32,767)."""
    try:
        return bool(sock.getsockname() == sock.getpeername())
    except OSError:  # the other side is gone again: it did accept
        return False


def numeric(endpoint: Endpoint) -> tuple[int, tuple[object, ...]]:
    """The socket family and address; a zone id becomes its interface's number."""
    host, _, zone = endpoint.host.partition("%")
    if ":" not in host:
        return socket.AF_INET, (host, endpoint.port)
    return socket.AF_INET6, (host, endpoint.port, 0, _scope(zone))


def _scope(zone: str) -> int:
    if not zone:
        return 0
    if zone.isdigit():
        return int(zone)
    try:
        return socket.if_nametoindex(zone)
    except OSError:
        return 0

"""The address the hub listens on: read from text, bound, and what stands in the way."""

from __future__ import annotations

import errno
import socket
from dataclasses import dataclass

from django.utils.translation import gettext as _

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8710


class CannotListen(Exception):
    """The address cannot be used; says why in one line."""


@dataclass(frozen=True, slots=True)
class Address:
    """A host (IPv6 without brackets) and a port; 0 lets the system choose one."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def read_address(text: str) -> Address:
    """`HOST:PORT`, `[V6]:PORT`, `:PORT`, or a port alone. Raises CannotListen."""
    text = text.strip()
    host, colon, port = text.rpartition(":")
    if not colon:
        host, port = ("", text) if text.isdigit() else (text, str(DEFAULT_PORT))
    elif text.endswith("]"):
        host, port = text, str(DEFAULT_PORT)
    bracketed = host.startswith("[") and host.endswith("]")
    bare = host[1:-1] if bracketed else host
    usable = port.isascii() and port.isdigit() and int(port) <= 65535
    if not usable or (":" in bare and not bracketed):
        raise CannotListen(
            _("%(text)r is no address to listen on: HOST:PORT, with IPv6 in brackets.")
            % {"text": text}
        )
    return Address(bare or DEFAULT_HOST, int(port))


def listen(address: Address, backlog: int) -> socket.socket:
    """A socket that already queues connections. Raises CannotListen."""
    try:
        found = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except (OSError, UnicodeError):
        raise CannotListen(
            _("%(host)s is no address of this machine.") % {"host": address.host}
        ) from None
    family, kind, protocol, _name, where = found[0]
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(where)
        listener.listen(backlog)
    except OSError as error:
        listener.close()
        raise CannotListen(_reason(address, error)) from error
    listener.setblocking(False)
    return listener


def _reason(address: Address, error: OSError) -> str:
    where = {"address": address, "host": address.host, "port": address.port}
    if error.errno == errno.EADDRINUSE:
        return (
            _(
                "%(address)s is taken: a hub or another program listens there already. "
                "Choose another one with --address."
            )
            % where
        )
    if error.errno == errno.EACCES:
        return _("Port %(port)d may not be used by this account.") % where
    return _("%(host)s is no address of this machine.") % where

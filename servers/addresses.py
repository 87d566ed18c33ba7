"""Typed addresses become values here, once, and are written back the same way.

Owns parsing of URLs, hosts and ports; asks no network and no database.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from servers.errors import AddressError

_NAME = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)")
_NUMERIC_LABEL = re.compile(r"(?:\d+|0[xX][0-9a-fA-F]*)")
_CONTROL = re.compile(r"[\x00-\x20\x7f]")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a server answers: scheme, host (IPv6 without brackets), port, prefix.

    `prefix` is empty or starts with a slash and does not end with one.
    """

    scheme: str
    host: str
    port: int
    prefix: str = ""

    @property
    def netloc(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def url(self, path: str = "") -> str:
        """The full URL of an absolute `path` below the prefix."""
        return f"{self.scheme}://{self.netloc}{self.prefix}{path}"


def parse_port(text: str) -> int:
    """1 to 65535, or AddressError."""
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text) <= 65535:
        raise AddressError("A port is a number from 1 to 65535.")
    return int(text)


def parse_host(text: str) -> str:
    """An IP literal in its one spelling, or a lower-case host name.

    Raises AddressError for anything else, numbers in odd clothes included
    (`127.1`, `0x7f000001`): resolvers read them as addresses that no check sees.
    """
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    if not bare:
        raise AddressError("The host is missing.")
    if _CONTROL.search(bare):
        raise AddressError("A host has no spaces or control characters.")
    try:
        return str(ipaddress.ip_address(bare))
    except ValueError:
        pass
    if ":" in bare:
        raise AddressError("That is no IPv6 address.")
    return _host_name(bare)


def _host_name(bare: str) -> str:
    name = bare.rstrip(".").lower()
    try:
        name = name if name.isascii() else name.encode("idna").decode("ascii")
    except UnicodeError:
        raise AddressError("That is no host name.") from None
    labels = name.split(".")
    if len(name) > 253 or not all(_NAME.fullmatch(label) for label in labels):
        raise AddressError("That is no host name.")
    if _NUMERIC_LABEL.fullmatch(labels[-1]):
        raise AddressError("That is no IPv4 address: four numbers from 0 to 255.")
    return name


def parse_url(text: str) -> Origin:
    """A typed URL (scheme optional, http then) as an Origin.

    Credentials, queries and fragments are refused, and nothing typed is echoed: an
    address with a password in it must not come back in an error.
    """
    text = text.strip()
    if _CONTROL.search(text):
        raise AddressError("An address has no spaces or control characters.")
    if "://" not in text:
        text = f"http://{text}"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise AddressError(
            "That address cannot be read (port 1 to 65535, IPv6 in brackets)."
        ) from None
    _refuse_extras(parts)
    if port == 0:
        raise AddressError("A port is a number from 1 to 65535.")
    host = parse_host(_host_of(parts))
    default = 443 if parts.scheme == "https" else 80
    prefix = parts.path.rstrip("/")
    return Origin(parts.scheme, host, port or default, prefix)


def _host_of(parts: SplitResult) -> str:
    """The host as typed: `SplitResult.hostname` would lower a zone id's case."""
    netloc = parts.netloc
    if netloc.startswith("["):
        return netloc[: netloc.find("]") + 1]
    return netloc.partition(":")[0]


def _refuse_extras(parts: SplitResult) -> None:
    if parts.scheme not in {"http", "https"}:
        raise AddressError("Only http and https addresses can be used.")
    if "@" in parts.netloc:
        raise AddressError(
            "An address may not carry a user name or password; keys are typed apart."
        )
    if parts.query or parts.fragment:
        raise AddressError("An address may not carry a query or a fragment.")
    if "\\" in parts.path or ".." in parts.path.split("/"):
        raise AddressError("That path cannot be used.")

"""The server a backend talks to: where it is, its key, and what people call it.

Owns the API root and the destination's key; opens no connection.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from gpts.gate import Destination
from servers.addresses import Origin
from servers.hosting import Hosting

# What OpenAI-compatible roots end with: /v1, /api/v1, /api/paas/v4, /v1beta.
_VERSION = re.compile(r"v\d{1,2}(?:beta\d?|alpha\d?)?")
_ENDPOINTS = ("/chat/completions", "/completions", "/models")


@dataclass(frozen=True, slots=True)
class Upstream:
    """`origin.prefix` is the API root. `name` carries no address: people read it."""

    origin: Origin = field(repr=False)
    name: str
    api_key: str = field(default="", repr=False)

    @property
    def key(self) -> str:
        """What a confirmation is bound to: scheme, host and port, not the path."""
        return f"{self.origin.scheme}://{self.origin.netloc}"

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no sentence may carry."""
        return (self.api_key, self.origin.netloc, self.origin.host)

    def destination(self, hosting: Hosting) -> Destination:
        """Where a turn goes, as the gate sees it."""
        return Destination(self.key, self.name, self.origin.host, hosting)


def upstream_at(
    origin: Origin, *, name: str, api_key: str = "", family_root: str = "/v1"
) -> Upstream:
    """The upstream of a typed or kept address, with its API root completed."""
    root = api_root(origin.prefix, family_root)
    return Upstream(replace(origin, prefix=root), name, api_key)


def api_root(prefix: str, family_root: str = "/v1") -> str:
    """The path of the API: `family_root` is added where missing, never doubled.

    A path that ends with an endpoint, pasted whole, counts as its root.
    """
    for endpoint in _ENDPOINTS:
        prefix = prefix.removesuffix(endpoint)
    last = prefix.rpartition("/")[2]
    if _VERSION.fullmatch(last) or prefix.endswith(family_root):
        return prefix
    return prefix + family_root

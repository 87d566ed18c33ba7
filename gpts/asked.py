"""What a page asks for: the server and model in use, the words of a search.

A client names a server by key or handle; what it may not see is not found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest

from gpts.fitting import Place, model_of, place_of
from gpts.private import Private
from servers.cache import Reading, readings
from servers.hosting import Hosting
from servers.retained import Kept, visible_to

_MOST_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Asked:
    """`server` None: this person may use none. `others` can be switched to."""

    server: Kept | None
    model: str
    words: str
    servers: tuple[Kept, ...]

    @property
    def reading(self) -> Reading | None:
        return readings.latest(self.server) if self.server else None

    @property
    def place(self) -> Place:
        if self.server is None:
            return Place(Hosting.LOOPBACK)
        return place_of(self.server, self.model)

    @property
    def pending(self) -> bool:
        """Its claims were not read yet, and could be."""
        return self.server is not None and self.reading is None

    @property
    def query(self) -> str:
        """The same server and model in the address of a page."""
        if self.server is None:
            return ""
        chosen = {"server": str(self.server.pk), "model": self.model}
        return urlencode({name: value for name, value in chosen.items() if value})


def asked(request: HttpRequest, private: Private | None = None) -> Asked:
    """From the query; without a server in it, the first that can be used.

    `private`: of a gpt, whose pinned server and model come before all else.
    """
    form = request.GET
    servers = tuple(one for one in visible_to(request.user) if not one.unreadable)
    if private is not None and private.server is not None:
        servers = tuple(one for one in servers if one.pk == private.server)
    named = _named(form, servers)
    server = named or (servers[0] if servers else None)
    model = _short(form, "model") if named else ""
    if private is not None and private.model:
        model = private.model
    if server is not None:
        model = model_of(server, model, readings.latest(server))
    return Asked(server, model, _short(form, "q"), servers)


def _named(form: Mapping[str, str], servers: tuple[Kept, ...]) -> Kept | None:
    wanted = _short(form, "server").lower()
    for server in servers:
        if wanted in (str(server.pk), server.handle):
            return server
    return None


def _short(form: Mapping[str, str], name: str) -> str:
    return " ".join(str(form.get(name, "")).split())[:_MOST_CHARACTERS]

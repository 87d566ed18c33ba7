"""Who answers at one (host, port), and why we say so: the value the ladder makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from servers.addresses import Origin
from servers.claims import Claims
from servers.family import Kind, State
from servers.hosting import Hosting


@dataclass(frozen=True, slots=True)
class Why:
    """A path and the fact of its answer that decided."""

    path: str
    fact: str

    def as_json(self) -> dict[str, str]:
        return {"path": self.path, "fact": self.fact}


@dataclass(frozen=True, slots=True)
class Identity:
    """What one server is.

    `family` is a slug or None; `state` None where no LLM server was recognised.
    `models` are printable names. `unknown` names what was not said ("version"),
    `also_answers` slugs of the products it imitates. `problem` is one line when
    nothing answered. `asked` counts the requests sent.
    """

    kind: Kind
    family: str | None = None
    name: str = ""
    version: str | None = None
    state: State | None = None
    models: tuple[str, ...] = ()
    api_root: str | None = None
    why: tuple[Why, ...] = ()
    unknown: tuple[str, ...] = ()
    also_answers: tuple[str, ...] = ()
    capabilities: tuple[Claims, ...] = ()
    origin: Origin | None = None
    hosting: Hosting = Hosting.GLOBAL
    problem: str = ""
    asked: int = 0

    @property
    def answered(self) -> bool:
        """Whether anything came back at all."""
        return not self.problem

    @property
    def is_server(self) -> bool:
        """Whether it belongs among the servers: named, or surely LLM-like."""
        return bool(self.family) or self.kind in {Kind.COMPATIBLE, Kind.WANTS_KEY}

    def as_json(self) -> dict[str, Any]:
        """SERVER of the command line (stable keys)."""
        origin = self.origin
        return {
            "host": origin.host if origin else None,
            "port": origin.port if origin else None,
            "scheme": origin.scheme if origin else None,
            "kind": self.kind.value,
            "family": self.family,
            "name": self.name,
            "version": self.version,
            "state": self.state.value if self.state else None,
            "models": list(self.models),
            "hosting": self.hosting.value,
            "api_root": self.api_root,
            "why": [why.as_json() for why in self.why],
            "unknown": list(self.unknown),
            "also_answers": list(self.also_answers),
        }

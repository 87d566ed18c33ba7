"""What one product's file declares: names, ports, marks, and where things stand.

Values, and the small readers that follow them through an `Evidence`. Asks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from servers.bodies import MISSING, printable
from servers.claims import Claims
from servers.evidence import Evidence
from servers.marks import Fact, Mark, Verdict

MODELS = 5_000  # entries of a list that are read


class Kind(StrEnum):
    LLM = "llm"
    GATEWAY = "gateway"  # passes a text on to servers of its own choice
    CHAT_UI = "chat-ui"
    IMAGE = "image"
    COMPATIBLE = "openai-compatible"  # nobody's mark, but a list of models
    WANTS_KEY = "wants-key"  # nobody's mark, and a 401
    HTTP = "http"
    OTHER = "other"  # no HTTP, or nothing at all


class State(StrEnum):
    READY = "ready"
    LOADING = "loading"
    AUTH = "auth"  # the model list or the chat wants a key
    EMPTY = "empty"  # recognised, and no model is there


@dataclass(frozen=True, slots=True)
class Read:
    """Where a version stands: a path and a place of it (a field, or a header).

    With a `pattern`, its first group is the value; a text it does not match is none.
    """

    path: str
    place: str
    pattern: str = ""

    def found(self, evidence: Evidence) -> str:
        answer = evidence.answers.get(self.path)
        if answer is None:
            return ""
        if self.place.startswith("@header."):
            value: Any = answer.headers.get(self.place[8:])
        else:
            value = dug(answer.json, self.place)
        text = printable(value, 80)
        if self.pattern:
            hit = re.fullmatch(self.pattern, text)
            return hit[1] if hit else ""
        return text


@dataclass(frozen=True, slots=True)
class Listing:
    """Where models are listed: a path, the list's field ("" is the body itself), the
    fields of an entry that may hold its name, and names that stand for no model."""

    path: str = "/v1/models"
    field: str = "data"
    names: tuple[str, ...] = ("id", "name", "model")
    none: tuple[str, ...] = ()

    def entries(self, evidence: Evidence) -> list[Any] | None:
        """The entries, or None when the body is no such list. null is empty."""
        found = dug(evidence.json(self.path), self.field)
        if isinstance(found, str):
            return [found]
        if found is None:
            return []
        return found[:MODELS] if isinstance(found, list) else None

    def models(self, evidence: Evidence) -> tuple[str, ...] | None:
        """Names in their order, each once; None when they cannot be read."""
        entries = self.entries(evidence)
        if entries is None:
            return None
        named = (name_of(entry, self.names) for entry in entries)
        return tuple(dict.fromkeys(n for n in named if n and n not in self.none))


OPENAI_LIST = Listing()


def dug(value: Any, place: str) -> Any:
    """The field at the dotted `place`, or MISSING; "" and "." are the value itself."""
    for step in _steps(place):
        value = value.get(step, MISSING) if isinstance(value, dict) else MISSING
    return value


@cache
def _steps(place: str) -> tuple[str, ...]:
    return tuple(place.split(".")) if place not in ("", ".") else ()


def name_of(entry: Any, fields: tuple[str, ...] = ("id", "name", "model")) -> str:
    """The name an entry of a model list goes by, printable, or ""."""
    if isinstance(entry, str):
        return printable(entry)
    if not isinstance(entry, dict):
        return ""
    texts = (printable(entry.get(field)) for field in fields)
    return next((text for text in texts if text), "")


@dataclass(frozen=True, slots=True)
class Family:
    """One product.

    `api_root` is where OpenAI-shaped chat lives ("" the root), None where one cannot
    chat that way. `surface` are facts others imitate: they name nobody, and say what
    else a named server answers. `loading`, `auth`, `empty`: any fact makes the state.
    `claim_paths` are asked when somebody designated the server, `read_claims` reads
    what they say (None: the model list alone), `shows` names the models that only
    POST /api/show describes. `source` says what the file was learnt from,
    `look_alikes` who is confused with it.
    """

    slug: str
    name: str
    kind: Kind
    ports: tuple[int, ...]
    api_root: str | None
    marks: tuple[Mark, ...]
    source: str
    look_alikes: tuple[str, ...] = ()
    version: tuple[Read, ...] = ()
    models: tuple[Listing, ...] = (OPENAI_LIST,)
    loading: tuple[Fact, ...] = ()
    auth: tuple[Fact, ...] = ()
    empty: tuple[Fact, ...] = ()
    surface: tuple[Fact, ...] = ()
    claim_paths: tuple[str, ...] = ()
    read_claims: Callable[[Evidence], tuple[Claims, ...]] | None = None
    shows: Callable[[Evidence], tuple[str, ...]] | None = None

    @property
    def paths(self) -> frozenset[str]:
        """Every path this product is known by."""
        return frozenset().union(*(mark.paths for mark in self.marks))

    @property
    def asked_when_named(self) -> frozenset[str]:
        """Every further path for version, models and state."""
        facts = [fact.path for fact in (*self.loading, *self.auth, *self.empty)]
        reads = [read.path for read in self.version]
        return frozenset([*facts, *reads, *(listing.path for listing in self.models)])

    def wanted(self, evidence: Evidence) -> list[str]:
        """Once named: the paths still to ask for version, models and state.

        Of several places for one thing the next is asked only when the one before
        did not say it.
        """
        paths = [fact.path for fact in (*self.loading, *self.auth, *self.empty)]
        if not self.version_in(evidence):
            paths += _first_unasked([read.path for read in self.version], evidence)
        if self.models_in(evidence) is None:
            paths += _first_unasked([at.path for at in self.models], evidence)
        return [path for path in dict.fromkeys(paths) if not evidence.asked(path)]

    def version_in(self, evidence: Evidence) -> str:
        found = (read.found(evidence) for read in self.version)
        return next((text for text in found if text), "")

    def models_in(self, evidence: Evidence) -> tuple[str, ...] | None:
        found = (listing.models(evidence) for listing in self.models)
        return next((models for models in found if models is not None), None)

    def state_in(self, evidence: Evidence) -> State:
        """Loading is said before a key is asked for (llama.cpp does so itself)."""
        for state, facts in (
            (State.LOADING, self.loading),
            (State.AUTH, self.auth),
            (State.EMPTY, self.empty),
        ):
            if any(fact.judged(evidence) is Verdict.AGREES for fact in facts):
                return state
        models = self.models_in(evidence)
        if models is not None:
            return State.READY if models else State.EMPTY
        statuses = {evidence.status(listing.path) for listing in self.models}
        if statuses & {401, 403}:
            return State.AUTH
        return State.LOADING if 503 in statuses else State.READY


def _first_unasked(paths: list[str], evidence: Evidence) -> list[str]:
    return [path for path in paths if not evidence.asked(path)][:1]

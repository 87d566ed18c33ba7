"""What tells a product: facts as data, and the one small engine that reads them.

A fact names a path, a place in its answer and a test. A mark is facts that must all
agree, and look-alikes that must not. Pure: judges an `Evidence`, asks nothing.

Places: `software.name` is a field; `data.*.owned_by` that field of EVERY entry of a
list (with at least one), `data.?.owned_by` of SOME entry, `data.0.id` of the first;
`.` the JSON value itself. `@text`, `@size`, `@title`, `@routes` and `@header.server`
are the body as text, its bytes, the page's title, the OpenAPI document's paths, and
a header; `@json.error` a field even where the body says "no such path".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from servers.bodies import MISSING
from servers.evidence import Answer, Evidence


class Verdict(Enum):
    AGREES = "agrees"
    OPEN = "open"  # a path was not asked yet
    DIFFERS = "differs"


@dataclass(frozen=True, slots=True)
class Fact:
    """One test of one place. `status` None accepts any."""

    path: str
    place: str
    test: str
    wanted: Any
    status: int | tuple[int, ...] | None = 200

    def judged(self, evidence: Evidence) -> Verdict:
        answer = evidence.answers.get(self.path)
        if answer is None:
            silent = self.path in evidence.silences
            return Verdict.DIFFERS if silent else Verdict.OPEN
        return Verdict.AGREES if self._holds(answer) else Verdict.DIFFERS

    def _holds(self, answer: Answer) -> bool:
        statuses = (self.status,) if isinstance(self.status, int) else self.status
        if statuses is not None and answer.status not in statuses:
            return False
        place, _, rest = self.place.partition(".")
        if place in _PLACES:
            return _TESTS[self.test](_PLACES[place](answer, rest), self.wanted)
        return _agrees(answer.json, self.place, _TESTS[self.test], self.wanted)

    def __str__(self) -> str:
        place = "" if self.place == "." else f"{self.place.lstrip('@')} "
        wanted = self.wanted
        shown = ", ".join(map(str, wanted)) if isinstance(wanted, tuple) else wanted
        status = "" if self.status in (200, None) else f" ({self.status})"
        return f"{place}{_WORDS.get(self.test, self.test)} {shown}".strip() + status


Test = Callable[[Any, Any], bool]


def _agrees(value: Any, place: str, test: Test, wanted: Any) -> bool:
    """Walk `place` into `value`; `*` asks every entry, `?` one, a number that one."""
    if place == ".":
        return test(value, wanted)
    step, _, rest = place.partition(".")
    rest = rest or "."
    if step in {"*", "?"}:
        if not isinstance(value, list) or not value:
            return False
        quantifier = all if step == "*" else any
        return quantifier(_agrees(entry, rest, test, wanted) for entry in value)
    return _agrees(_step(value, step), rest, test, wanted)


def _step(value: Any, step: str) -> Any:
    if isinstance(value, dict):
        return value.get(step, MISSING)
    if isinstance(value, list) and step.isdigit() and int(step) < len(value):
        return value[int(step)]
    return MISSING


def _same(value: Any, wanted: Any) -> bool:
    return type(value) is type(wanted) and bool(value == wanted)


def _text(check: Callable[[str, str], Any]) -> Test:
    return lambda value, wanted: isinstance(value, str) and bool(check(value, wanted))


_TYPES: dict[str, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str) and bool(value.strip()),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "truth": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "list": lambda value: isinstance(value, list),
    "entries": lambda value: isinstance(value, list) and bool(value),
    "nothing": lambda value: value in ([], None) and value is not MISSING,
}

_TESTS: dict[str, Test] = {
    "is": _same,
    "in": lambda value, wanted: any(_same(value, one) for one in wanted),
    "starts": _text(str.startswith),
    "ends": _text(str.endswith),
    "matches": _text(lambda value, pattern: re.fullmatch(pattern, value)),
    "typed": lambda value, wanted: _TYPES[wanted](value),
    "has": lambda v, wanted: isinstance(v, dict) and all(key in v for key in wanted),
    "lacks": lambda v, keys: isinstance(v, dict) and not any(key in v for key in keys),
    "keys": lambda v, wanted: isinstance(v, dict) and v.keys() == set(wanted),
    "over": lambda value, wanted: value > wanted,
    "lists": lambda value, wanted: bool(value) and set(wanted) <= value,
}
_WORDS = {"is": "=", "in": "= one of", "starts": "begins", "ends": "ends in"}
_WORDS |= {
    "typed": "is",
    "over": "is over",
    "has": "has",
    "keys": "has exactly",
    "lists": "lists",
}

_PLACES: dict[str, Callable[[Answer, str], Any]] = {
    "@text": lambda answer, _: answer.text,
    "@size": lambda answer, _: answer.size,
    "@title": lambda answer, _: answer.title,
    "@routes": lambda answer, _: answer.routes,
    "@header": lambda answer, name: answer.headers.get(name, MISSING),
    "@json": lambda answer, rest: _step(answer.raw_json, rest),
    "@status": lambda answer, _: answer.status,
}


@dataclass(frozen=True, slots=True)
class Mark:
    """Facts that must all agree, and `unless` facts of look-alikes that must not.

    A look-alike counts as ruled out only when its path ANSWERED something else: a
    path that timed out proves nothing. `api_root` overrides the family's.
    """

    facts: tuple[Fact, ...]
    unless: tuple[Fact, ...] = ()
    api_root: str | None = None

    def judged(self, evidence: Evidence) -> Verdict:
        verdicts = [fact.judged(evidence) for fact in self.facts]
        if Verdict.DIFFERS in verdicts:
            return Verdict.DIFFERS
        guards = [self._ruled_out(fact, evidence) for fact in self.unless]
        if Verdict.DIFFERS in guards:
            return Verdict.DIFFERS
        return Verdict.OPEN if Verdict.OPEN in verdicts + guards else Verdict.AGREES

    @staticmethod
    def _ruled_out(fact: Fact, evidence: Evidence) -> Verdict:
        verdict = fact.judged(evidence)
        if verdict is Verdict.DIFFERS:
            answered = fact.path in evidence.answers
            return Verdict.AGREES if answered else Verdict.DIFFERS
        return Verdict.DIFFERS if verdict is Verdict.AGREES else Verdict.OPEN

    def warm(self, evidence: Evidence) -> bool:
        """Open, with at least one fact that agrees already."""
        return any(fact.judged(evidence) is Verdict.AGREES for fact in self.facts)

    def missing(self, evidence: Evidence) -> list[str]:
        """Paths still to ask before this mark can agree."""
        paths = [fact.path for fact in (*self.facts, *self.unless)]
        return [path for path in dict.fromkeys(paths) if not evidence.asked(path)]

    @property
    def paths(self) -> frozenset[str]:
        return frozenset(fact.path for fact in (*self.facts, *self.unless))


# --- The vocabulary of the families' files -----------------------------------------


def mark(*facts: Fact, unless: tuple[Fact, ...] = (), root: str | None = None) -> Mark:
    return Mark(facts, unless, root)


def says(path: str, place: str, value: Any, status: Any = 200) -> Fact:
    """The place holds exactly `value`, of the same type."""
    return Fact(path, place, "is", value, status)


def either(path: str, place: str, *values: Any, status: Any = 200) -> Fact:
    return Fact(path, place, "in", values, status)


def starts(path: str, place: str, text: str, status: Any = 200) -> Fact:
    return Fact(path, place, "starts", text, status)


def matches(path: str, place: str, pattern: str, status: Any = 200) -> Fact:
    """The whole text matches the regular expression."""
    return Fact(path, place, "matches", pattern, status)


def typed(path: str, place: str, kind: str, status: Any = 200) -> Fact:
    return Fact(path, place, "typed", kind, status)


def has(path: str, *keys: str, at: str = ".", status: Any = 200) -> Fact:
    """The object there has at least these keys."""
    return Fact(path, at, "has", keys, status)


def lacks(path: str, *keys: str, at: str = ".", status: Any = 200) -> Fact:
    return Fact(path, at, "lacks", keys, status)


def exactly(path: str, *keys: str, at: str = ".", status: Any = 200) -> Fact:
    """The object there has these keys and no other."""
    return Fact(path, at, "keys", keys, status)


def text(path: str, value: str, status: Any = 200) -> Fact:
    """The whole body, quotes and spaces included."""
    return Fact(path, "@text", "is", value, status)


def blank(path: str, status: Any = 200) -> Fact:
    """Not one byte of body."""
    return Fact(path, "@size", "is", 0, status)


def page(path: str, title: str, status: Any = 200) -> Fact:
    return Fact(path, "@title", "is", title, status)


def header(path: str, name: str, pattern: str) -> Fact:
    """A header of that path's answer, whatever its status."""
    return Fact(path, f"@header.{name}", "matches", pattern, None)


def owned(name: str, path: str = "/v1/models") -> Fact:
    """Every model of the list says it belongs to `name`."""
    return Fact(path, "data.*.owned_by", "is", name)


def titled(title: str) -> Fact:
    """The OpenAPI document is called that."""
    return Fact("/openapi.json", "info.title", "is", title)


def routes(*paths: str) -> Fact:
    """The OpenAPI document lists all of these."""
    return Fact("/openapi.json", "@routes", "lists", paths)

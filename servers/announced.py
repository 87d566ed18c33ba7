"""One announced value as a claim: read with its source, or unknown.

null, 0, "" and true-as-a-number are not values; text that is a number is one. A field
that is not there is unknown, never false. Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from servers.bodies import MISSING, printable
from servers.claims import UNKNOWN, Claim, Claims
from servers.family import dug

# A window of 1 makes a client cut everything, and none has a billion tokens.
_TOKENS = (2, 1_000_000_000)
_SLOTS = (1, 100_000)
_BILLIONS = (0.00001, 100_000.0)
_NUMBER = re.compile(r"\s*(\d{1,15}(?:\.\d{1,9})?)\s*")
_COUNT = re.compile(r"\s*(\d{1,9}(?:[.,]\d{1,6})?)\s*([KMBT])\s*", re.IGNORECASE)
_IN_NAME = re.compile(r"(?<![a-z0-9.])(\d{1,4}(?:\.\d{1,3})?)(b|m)(?![a-z0-9])")
_SCALE = {"K": 1e-6, "M": 1e-3, "B": 1.0, "T": 1e3}
_NO_TEXT = {"unknown", "none", "null", "n/a", "-"}


def number_in(value: Any) -> float | None:
    """A finite positive number, also as text ("131072"); else None."""
    if isinstance(value, str):
        hit = _NUMBER.fullmatch(value)
        value = float(hit[1]) if hit else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value > 0 else None


def _whole(value: Any, least: int, most: int) -> int | None:
    found = number_in(value)
    if found is None or found != int(found) or not least <= found <= most:
        return None
    return int(found)


def tokens(value: Any, source: str) -> Claim:
    """A window in tokens."""
    found = _whole(value, *_TOKENS)
    return UNKNOWN if found is None else Claim(found, source)


def slots(value: Any, source: str) -> Claim:
    found = _whole(value, *_SLOTS)
    return UNKNOWN if found is None else Claim(found, source)


def truth(value: Any, source: str) -> Claim:
    return Claim(value, source) if isinstance(value, bool) else UNKNOWN


def word(value: Any, source: str) -> Claim:
    """A short text, such as a quantization."""
    text = printable(value, 60)
    return UNKNOWN if not text or text.lower() in _NO_TEXT else Claim(text, source)


def parameters(value: Any, source: str) -> Claim:
    """A count with its unit ("8.0B", "137M", "3.0 B") in billions."""
    hit = _COUNT.fullmatch(value) if isinstance(value, str) else None
    if hit is None:
        return UNKNOWN
    return _billions(float(hit[1].replace(",", ".")) * _SCALE[hit[2].upper()], source)


def parameter_count(value: Any, source: str) -> Claim:
    """A plain count of parameters, in billions."""
    found = number_in(value)
    return UNKNOWN if found is None else _billions(found / 1e9, source)


def billions(value: Any, source: str) -> Claim:
    """A count that is in billions already."""
    found = number_in(value)
    return UNKNOWN if found is None else _billions(found, source)


def _billions(value: float, source: str) -> Claim:
    least, most = _BILLIONS
    if not least <= value <= most:
        return UNKNOWN
    return Claim(float(f"{value:.4g}"), source)


def estimated_parameters(model: str) -> Claim:
    """The one estimate: a size in the model's name (`sparrow:8b`, `x-1.5b-it`).

    Two different sizes in one name (an adapter's and its base's) are no estimate.
    Millions count only where no billions stand: `-1m` is often a window.
    """
    sizes = set(_IN_NAME.findall(model.lower()))
    found = {pair for pair in sizes if pair[1] == "b"} or sizes
    if len(found) != 1:
        return UNKNOWN
    ((size, unit),) = found
    claim = _billions(float(size) * _SCALE[unit.upper()], "the model's name")
    return replace(claim, estimated=True) if claim.known else UNKNOWN


def first(*claims: Claim) -> Claim:
    """The first that is known."""
    return next((claim for claim in claims if claim.known), UNKNOWN)


class Entry:
    """One object of a body, with the request it came from: makes sourced claims."""

    def __init__(self, value: Any, request: str) -> None:
        self.value, self.request = value, request

    def at(self, place: str) -> Any:
        return dug(self.value, place)

    def _first(self, make: Any, places: Iterable[str]) -> Claim:
        for place in places:
            value = self.at(place)
            if value is not MISSING:
                claim: Claim = make(value, f"{self.request} {place}")
                if claim.known:
                    return claim
        return UNKNOWN

    def tokens(self, *places: str) -> Claim:
        return self._first(tokens, places)

    def slots(self, *places: str) -> Claim:
        return self._first(slots, places)

    def truth(self, *places: str) -> Claim:
        return self._first(truth, places)

    def word(self, *places: str) -> Claim:
        return self._first(word, places)

    def parameters(self, *places: str) -> Claim:
        return self._first(parameters, places)

    def words(self, place: str) -> frozenset[str] | None:
        """The lower-case texts of a list (a dict's true keys); None for no list."""
        value = self.at(place)
        if isinstance(value, dict):
            return frozenset(str(key).lower() for key in value if value[key] is True)
        if not isinstance(value, list):
            return None
        return frozenset(one.lower() for one in value if isinstance(one, str))

    def among(self, place: str, *names: str, whole: bool = False) -> Claim:
        """True when the list holds one of `names`; with `whole` (a list that says
        everything) False when it holds others only."""
        found = self.words(place)
        if not found:
            return UNKNOWN
        source = f"{self.request} {place}"
        if found & set(names):
            return Claim(True, source)
        return Claim(False, source) if whole else UNKNOWN


def merged(found: Iterable[Claims]) -> tuple[Claims, ...]:
    """One Claims per model name, in order; where two of a name differ it is unknown."""
    by_name: dict[str, Claims] = {}
    for claims in found:
        other = by_name.get(claims.model)
        by_name[claims.model] = _agreed(other, claims) if other else claims
    return tuple(by_name.values())


def _agreed(one: Claims, two: Claims) -> Claims:
    values: dict[str, Claim] = {}
    for item in fields(Claims)[1:]:
        left, right = getattr(one, item.name), getattr(two, item.name)
        differ = left.known and right.known and left.value != right.value
        values[item.name] = UNKNOWN if differ else first(left, right)
    return Claims(one.model, **values)


def over(base: Claims, **better: Claim) -> Claims:
    """`base` with each known claim of `better` in its place."""
    known: dict[str, Any] = {name: c for name, c in better.items() if c.known}
    return replace(base, **known)

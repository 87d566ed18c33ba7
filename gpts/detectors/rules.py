"""Reads rules.yaml once and applies its rules to a text.

Owns anchors and patterns; whether a match is private is decided in checks.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gpts.detectors.checks import CHECKS, Check
from gpts.detectors.hits import DOUBTFUL, KINDS, Hit
from gpts.detectors.words import document


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of rules.yaml; see the head of that file."""

    kind: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    at: bool
    fold: bool
    group: str
    check: Check | None


@lru_cache(maxsize=1)
def rules() -> tuple[Rule, ...]:
    """Raises KeyError, re.error or ValueError where rules.yaml is wrong."""
    return tuple(_read(entry) for entry in document()["rules"])


def _read(entry: dict[str, Any]) -> Rule:
    kind = entry["kind"]
    if kind.removeprefix(DOUBTFUL) not in KINDS:
        raise ValueError(f"rules.yaml: {kind} is no kind.")
    fold = entry.get("fold", False)
    check = CHECKS[entry["check"]] if "check" in entry else None
    flags = re.IGNORECASE if fold else re.NOFLAG
    return Rule(
        kind=kind,
        anchors=tuple(str(anchor) for anchor in entry["anchors"]),
        pattern=re.compile(entry["pattern"], flags),
        at=entry.get("at", False),
        fold=fold,
        group=entry.get("group", ""),
        check=check,
    )


_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def lowered(text: str) -> str:
    """Lower case with every character in its place (`İ`.lower() is two)."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text.translate(_ASCII_LOWER)


def apply(text: str) -> Iterator[Hit]:
    """Every hit of every rule, overlapping ones included."""
    lower = lowered(text)
    for rule in rules():
        for match in _matches(rule, text, lower if rule.fold else text):
            hit = _hit(rule, match, text)
            if hit is not None:
                yield hit


def _matches(rule: Rule, text: str, searched: str) -> Iterable[re.Match[str]]:
    if rule.at:
        return _matches_at(rule, text, searched)
    if any(anchor in searched for anchor in rule.anchors):
        return rule.pattern.finditer(text)
    return ()


def _matches_at(rule: Rule, text: str, searched: str) -> Iterator[re.Match[str]]:
    """Matches that start at an anchor, each beginning behind the one before."""
    for anchor in rule.anchors:
        place = searched.find(anchor)
        while place >= 0:
            match = rule.pattern.match(text, place)
            if match is not None:
                yield match
            place = searched.find(anchor, match.end() if match else place + 1)


def _hit(rule: Rule, match: re.Match[str], text: str) -> Hit | None:
    if rule.check is not None:
        return rule.check(rule.kind, match, text)
    start, end = match.span(rule.group or 0)
    return Hit(rule.kind, start, end, text[start:end])

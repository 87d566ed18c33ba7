"""How alike two texts are, fast enough for a whole board. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

_WORD = re.compile(r"\w+")
Old = TypeVar("Old")
New = TypeVar("New")


def likeness(one: str, other: str) -> float:
    """Shared words, counted, of all words: 0 to 1. Order does not count."""
    first = Counter(_WORD.findall(one.casefold()))
    second = Counter(_WORD.findall(other.casefold()))
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else float(one == other)


def pairs(
    gone: Sequence[Old],
    new: Sequence[New],
    alike: Callable[[Old, New], float],
    least: float,
) -> list[tuple[Old, New]]:
    """Each gone one with the new one it most likely became; the likest first.

    Each is used once; what is less alike than `least` stays alone.
    """
    scored = [
        (alike(old, one), -at, -to, old, one)
        for at, old in enumerate(gone)
        for to, one in enumerate(new)
    ]
    found = []
    used_old: set[int] = set()
    used_new: set[int] = set()
    for score, at, to, old, one in sorted(
        scored, key=lambda row: row[:3], reverse=True
    ):
        if score < least or at in used_old or to in used_new:
            continue
        used_old.add(at)
        used_new.add(to)
        found.append((old, one))
    return found

"""What the catalogue page shows of each gpt: finished words, nothing to compute.

Pure, but for the language in force.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.text import capfirst
from django.utils.translation import get_language

from gpts.entries import Entry
from gpts.fitting import Ranked
from gpts.matching import Fit

# Without n, which begins a new conversation on every page.
LETTERS = "abcdefghijklmopqrstuvwxyz"
_CLASSES = {Fit.OK: "fits", Fit.UNKNOWN: "", Fit.NO: "fits-not"}


@dataclass(frozen=True, slots=True)
class Tile:
    """`key` is the letter that picks it, empty after the alphabet."""

    stem: str
    name: str
    description: str
    key: str
    rank: int
    verdict: str
    reason: str
    reason_class: str
    trust: str
    reviewed: bool

    @property
    def is_out(self) -> bool:
        return self.verdict == Fit.NO.value


def language() -> str:
    return (get_language() or "en")[:2]


def tiles(ranked: Iterable[Ranked]) -> list[Tile]:
    """In the order given, which is the order of the keys."""
    spoken = language()
    return [_tile(one, spoken) for one in ranked]


def _tile(one: Ranked, spoken: str) -> Tile:
    document = one.entry.document
    rank = one.rank
    return Tile(
        stem=one.entry.stem,
        name=document.name_in(spoken) if document else one.entry.stem,
        description=document.description_in(spoken) if document else "",
        key=LETTERS[rank - 1] if rank <= len(LETTERS) else "",
        rank=rank,
        verdict=one.match.verdict.value,
        reason=capfirst(one.match.reason),
        reason_class=_CLASSES[one.match.verdict],
        trust=one.entry.trust,
        reviewed=one.entry.reviewed,
    )


def searched(entries: Iterable[Entry], words: str) -> list[Entry]:
    """Those whose name, description or stem has every word, whatever the case."""
    wanted = words.casefold().split()
    if not wanted:
        return list(entries)
    spoken = language()
    return [
        entry
        for entry in entries
        if all(word in _text_of(entry, spoken) for word in wanted)
    ]


def _text_of(entry: Entry, spoken: str) -> str:
    document = entry.document
    if document is None:
        return entry.stem
    name, description = document.name_in(spoken), document.description_in(spoken)
    return f"{entry.stem}\n{name}\n{description}".casefold()

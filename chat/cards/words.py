"""What changed between two texts, word by word, for the eye. Pure.

Differences that cannot be seen (a no-break space, spaces at the end) are written out.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from dataclasses import dataclass

_TOKEN = re.compile(r"\w+|\s|[^\w\s]")
_WORDS = re.compile(r"\w")
_MOST_TOKENS = 1_500


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text: `kind` is same, removed or added."""

    kind: str
    text: str


def word_diff(original: str, proposed: str) -> tuple[Segment, ...]:
    """Both texts in one: what stays, what goes, what comes, in reading order."""
    if not original or not proposed:
        parts = (("removed", original), ("added", proposed))
        return tuple(Segment(kind, text) for kind, text in parts if text)
    old, new = _TOKEN.findall(original), _TOKEN.findall(proposed)
    if len(old) > _MOST_TOKENS or len(new) > _MOST_TOKENS:
        return (Segment("removed", original), Segment("added", proposed))
    found: list[Segment] = []
    for same, removed, added in _runs(old, new):
        for kind, text in (("same", same), ("removed", removed), ("added", added)):
            if text:
                shown = text if kind == "same" else _visible(text)
                found.append(Segment(kind, shown))
    return tuple(found)


def _runs(old: list[str], new: list[str]) -> list[tuple[str, str, str]]:
    """(same, "", "") and ("", removed, added) in order; a space or a comma alone
    between two changes belongs to both of them."""
    runs: list[tuple[str, str, str]] = []
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for at, (tag, a, b, c, d) in enumerate(codes):
        removed, added = "".join(old[a:b]), "".join(new[c:d])
        between = 0 < at < len(codes) - 1
        if tag == "equal" and not (between and not _WORDS.search(removed)):
            runs.append((removed, "", ""))
        elif runs and not runs[-1][0]:
            runs[-1] = ("", runs[-1][1] + removed, runs[-1][2] + added)
        else:
            runs.append(("", removed, added))
    return runs


def _visible(text: str) -> str:
    """Text that would show as nothing, by the names of its characters."""
    if text.strip() and not any(map(_hidden, text)):
        return text
    if text in {" ", "\n"}:
        return text if text == " " else "⏎\n"
    return "".join(_named(char) if _hidden(char) else char for char in text)


def _hidden(char: str) -> bool:
    return char not in " \n" and unicodedata.category(char) in {"Zs", "Cf", "Cc", "Zl"}


def _named(char: str) -> str:
    return f"[{unicodedata.name(char, f'U+{ord(char):04X}').lower()}]"

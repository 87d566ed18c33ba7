"""Protected names as words in a text: case, accents and spacing do not hide one.

Pure: is given the names, knows no list and no database.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from gpts.detectors.hits import Hit

# A word: letters and digits with their combining marks, no underscore, so that a
# name is found in `acme_orders` and in `acme-prod` too.
_WORD = re.compile(r"[^\W_][^\W_\u0300-\u036f]*+(?:[\u0300-\u036f]+[^\W_]*+)*+")
# Scripts written without spaces, where words have no borders to look for.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
# What may stand between the words of a name without changing it.
_LOOSE = re.compile(r"[\s\-_./\\'’·\u200b\u00ad]+")
_GAP_LIMIT = 6  # characters between two words of one name

# Letters that do not decompose, as people type them without the accent.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})


def fold(text: str) -> str:
    """Without case, accents and compatibility forms."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(char for char in apart if not unicodedata.combining(char))
    return kept.translate(_PLAIN)


@dataclass(frozen=True, slots=True)
class _Words:
    """A name cut into words and the exact punctuation between them, folded."""

    words: tuple[str, ...]
    gaps: tuple[str, ...]


class NameMatcher:
    """Finds the names it was made with; linear in the text, whatever their number."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_first: dict[str, list[_Words]] = {}
        self._pieces: list[str] = []
        self._names = sorted({fold(name.strip()) for name in names} - {""})
        for name in self._names:
            self._add(name)

    def __len__(self) -> int:
        return len(self._names)

    @cached_property
    def fingerprint(self) -> str:
        """Changes when the names do."""
        return hashlib.sha256("\n".join(self._names).encode()).hexdigest()

    def _add(self, name: str) -> None:
        if _UNSPACED.search(name):
            self._pieces.append(name)
            return
        found = list(_WORD.finditer(name))
        if not found:
            return
        words = tuple(match.group() for match in found)
        gaps = tuple(
            _tight(name[left.end() : right.start()])
            for left, right in zip(found, found[1:], strict=False)
        )
        self._by_first.setdefault(words[0], []).append(_Words(words, gaps))

    def find(self, text: str) -> Iterator[Hit]:
        if self._by_first:
            yield from self._find_words(text)
        if self._pieces and _UNSPACED.search(text):
            yield from self._find_pieces(text)

    def _find_words(self, text: str) -> Iterator[Hit]:
        for written, names in self._written_firsts(text):
            for start in _places(written, text):
                for name in names:
                    end = _end_of(name, text, start + len(written))
                    if end:
                        yield Hit("name", start, end, " ".join(name.words))

    def _written_firsts(self, text: str) -> Iterator[tuple[str, list[_Words]]]:
        """Each word of the text that begins a name, as it is written there."""
        for word in set(_WORD.findall(text)):
            names = self._by_first.get(fold(word))
            if names:
                yield word, names

    def _find_pieces(self, text: str) -> Iterator[Hit]:
        # One character stays one: NFKC could move the offsets.
        plain = text.lower() if len(text.lower()) == len(text) else text
        for piece in self._pieces:
            start = plain.find(piece)
            while start >= 0:
                yield Hit("name", start, start + len(piece), piece)
                start = plain.find(piece, start + len(piece))


def _places(word: str, text: str) -> Iterator[int]:
    """Where `word` stands as a word of its own."""
    place = text.find(word)
    while place >= 0:
        end = place + len(word)
        whole = _WORD.match(text, place)
        inside = place > 0 and text[place - 1].isalnum()
        if not inside and whole is not None and whole.end() == end:
            yield place
        place = text.find(word, end)


def _tight(gap: str) -> str:
    """What a gap says beyond separating: `&` of `C & A`, nothing of `Foo-Bar`."""
    return _LOOSE.sub("", gap)


def _end_of(name: _Words, text: str, end: int) -> int:
    """Where `name` ends whose first word ends at `end`, or 0."""
    for gap, word in zip(name.gaps, name.words[1:], strict=True):
        following = _WORD.search(text, end, end + _GAP_LIMIT + 4 * len(word) + 1)
        if following is None or following.start() - end > _GAP_LIMIT:
            return 0
        if _tight(text[end : following.start()]) != gap:
            return 0
        whole = _WORD.match(text, following.start())
        if whole is None or fold(whole.group()) != word:
            return 0
        end = whole.end()
    return end


@dataclass(frozen=True, slots=True)
class Names:
    """The protected names in force.

    `checked`: whether the list could be read. `entered`: how many names curators
    entered (hosts and labels of kept servers, in the matcher too, do not count).
    """

    matcher: NameMatcher
    checked: bool
    entered: int


NOT_CHECKED = Names(NameMatcher(()), checked=False, entered=0)

"""Private spans replaced by stable placeholders, and put back in what is shown.

Pure: callers bring the protected names. The same thing gets the same placeholder,
however it is spelt, in every text of a conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpts.detectors.hits import DOUBTFUL, Hit
from gpts.detectors.names import Names
from gpts.detectors.scan import scan

_PLACEHOLDER = re.compile(r"<([a-z]+(?:-[a-z]+)*)-([1-9][0-9]{0,5})>")


@dataclass(frozen=True, slots=True)
class Redacted:
    """The texts as they may go, and what each placeholder stands for."""

    texts: tuple[str, ...]
    originals: Mapping[str, str]


def redact(
    texts: Sequence[str], names: Names, known: Mapping[str, str] | None = None
) -> Redacted:
    """Replace everything private. `known`: placeholders given out before."""
    given = _Given(dict(known or {}), names, frozenset(_taken(texts)))
    return Redacted(tuple(given.without(text) for text in texts), given.originals)


def restore(text: str, originals: Mapping[str, str]) -> str:
    """Placeholders of ours back to what they stand for, in one pass."""
    return _PLACEHOLDER.sub(
        lambda found: originals.get(found.group(), found.group()), text
    )


def _taken(texts: Sequence[str]) -> Iterator[str]:
    """What only looks like a placeholder of ours must not be put back as one."""
    for text in texts:
        for found in _PLACEHOLDER.finditer(text):
            yield found.group()


class _Given:
    """The placeholders given out so far."""

    def __init__(
        self, originals: dict[str, str], names: Names, taken: frozenset[str]
    ) -> None:
        self.originals = originals
        self.names = names
        self.taken = taken
        self.by_value = {
            (placeholder[1:].rpartition("-")[0], self.value_of(original)): placeholder
            for placeholder, original in originals.items()
        }

    def value_of(self, original: str) -> str:
        """The one spelling of an original, as when it was found in its text."""
        hits = scan(original, self.names.matcher)
        whole = [hit for hit in hits if hit.end - hit.start == len(original)]
        return whole[0].value if whole and whole[0].value else original

    def without(self, text: str) -> str:
        parts, end = [], 0
        for hit in scan(text, self.names.matcher):
            parts += [text[end : hit.start], self.placeholder(hit, text)]
            end = hit.end
        return "".join([*parts, text[end:]])

    def placeholder(self, hit: Hit, text: str) -> str:
        original = text[hit.start : hit.end]
        kind = hit.kind.removeprefix(DOUBTFUL)
        key = (kind, hit.value or original)
        if key not in self.by_value:
            self.by_value[key] = self.unused(kind)
            self.originals[self.by_value[key]] = original
        return self.by_value[key]

    def unused(self, kind: str) -> str:
        number = 1
        while (name := f"<{kind}-{number}>") in self.originals or name in self.taken:
            number += 1
        return name

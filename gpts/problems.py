"""What is wrong with a gpt, each problem with its line, collected while reading on.

Pure. A problem keeps its sentence and its values apart, so that a cached one is read
in the language of whoever looks at it. No message carries a raw control character.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext, gettext_noop

# A hostile file could have one problem a byte; nobody reads past the first ones.
MOST_PROBLEMS = 50
_SHOWN_CHARACTERS = 60
# Values that are words of ours and not of the file.
_WORDS = frozenset({"wanted", "found"})
_MORE = gettext_noop("There are more problems; these are the first %(count)s.")


def shown(text: str) -> str:
    """`text` as it may stand in a message: shortened, invisible characters spelt."""
    short = text[:_SHOWN_CHARACTERS]
    more = "..." if len(text) > _SHOWN_CHARACTERS else ""
    return "".join(ch if ch.isprintable() else _spelt(ch) for ch in short) + more


def shown_path(path: object) -> str:
    """A path as it may stand on a terminal: a file name can hold anything."""
    return "/".join(shown(part) for part in str(path).split("/"))


def _spelt(character: str) -> str:
    return {"\n": "\\n", "\t": "\\t"}.get(character, f"\\u{ord(character):04x}")


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem. `line` counts from 1 in the file, None where no line is meant."""

    sentence: str
    values: Mapping[str, str | int] = field(default_factory=dict)
    line: int | None = None
    fatal: bool = True

    @property
    def message(self) -> str:
        values = {
            name: gettext(value) if name in _WORDS and isinstance(value, str) else value
            for name, value in self.values.items()
        }
        return gettext(self.sentence) % values

    def as_json(self) -> dict[str, Any]:
        return {"message": self.message, "line": self.line, "fatal": self.fatal}


class Problems:
    """The problems found so far, at most MOST_PROBLEMS fatal ones and as many others.

    `fatal` and `warn` take the sentence as `gettext_noop` marked it, and its values:
    text is made harmless with `shown` here, so that no caller can forget it.
    """

    def __init__(self) -> None:
        self._found: dict[bool, list[Problem]] = {True: [], False: []}

    def fatal(self, line: int | None, sentence: str, /, **values: str | int) -> None:
        self._add(line, sentence, values, fatal=True)

    def warn(self, line: int | None, sentence: str, /, **values: str | int) -> None:
        self._add(line, sentence, values, fatal=False)

    def _add(
        self,
        line: int | None,
        sentence: str,
        values: dict[str, str | int],
        *,
        fatal: bool,
    ) -> None:
        found = self._found[fatal]
        if len(found) > MOST_PROBLEMS:
            return
        if len(found) == MOST_PROBLEMS:
            found.append(Problem(_MORE, {"count": MOST_PROBLEMS}, fatal=fatal))
            return
        safe = {k: shown(v) if isinstance(v, str) else v for k, v in values.items()}
        found.append(Problem(sentence, safe, line, fatal))

    @property
    def any_fatal(self) -> bool:
        return bool(self._found[True])

    @property
    def full(self) -> bool:
        """Nobody reads on: reading may stop."""
        return len(self._found[True]) > MOST_PROBLEMS

    def in_order(self) -> tuple[Problem, ...]:
        """By line; what belongs to no line comes last."""
        both = [*self._found[True], *self._found[False]]
        return tuple(sorted(both, key=lambda p: (p.line is None, p.line or 0)))

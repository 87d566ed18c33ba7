"""JSON as models write it: a small parser that forgives dress and never guesses.

Pure. Forgiven: trailing commas, comments, raw line breaks in strings, typographic
quotes as delimiters. Refused with the place: an unescaped quote, a key twice, NaN,
Infinity, numbers out of range, nesting without end, and whatever broke off.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

MOST_NESTING = 40
_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.S)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")
_WORD = re.compile(r"[A-Za-z_+-][\w.+-]*")
_PLAIN = re.compile(r'[^"\\]*')
_ESCAPES = {
    '"': '"', "\\": "\\", "/": "/",
    "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "'": "'",  # no JSON, but it can mean nothing else
}  # fmt: skip
_WORDS = {"true": True, "false": False, "null": None}
_LONGEST_NUMBER = 24  # digits and signs
_OPENING = frozenset("“„”‟")
_CLOSING = frozenset("”“")
_WITHIN = _OPENING | frozenset('"\\')
_AFTER_STRING = re.compile(r"\s*(?:[,:}\]]|//|/\*|$)")


class LooseError(Exception):
    """Why it is no JSON, and where: `position` is an offset into the text.

    `ended` means that the text was over before the document was.
    """

    def __init__(self, message: str, position: int, *, ended: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.ended = ended


@dataclass(frozen=True, slots=True)
class Place:
    """A position as a person counts: line and column from 1."""

    line: int
    column: int


def place_of(text: str, position: int) -> Place:
    before = text[:position]
    return Place(before.count("\n") + 1, position - before.rfind("\n"))


def parse_at(text: str, start: int) -> tuple[Any, int]:
    """The value that begins at `start`, and the position behind it."""
    reader = _Reader(text, start)
    value = reader.value(0)
    return value, reader.at


class _Reader:
    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at

    def value(self, depth: int) -> Any:
        if depth > MOST_NESTING:
            raise self._error("nested too deeply")
        self._space()
        sign = self._peek()
        if sign == "{":
            return self._object(depth)
        if sign == "[":
            return self._array(depth)
        if sign == '"' or sign in _OPENING:
            return self._string()
        return self._scalar()

    # --- composed values ---

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self.at += 1
        while not self._closes("}"):
            start = self.at
            if self._peek() != '"' and self._peek() not in _OPENING:
                raise self._error("a key in double quotes is needed")
            key = self._string()
            if key in found:
                raise LooseError(f"the key {key!r} stands there twice", start)
            self._expect(":", "a colon is needed after a key")
            found[key] = self.value(depth + 1)
            self._separator("}")
        return found

    def _array(self, depth: int) -> list[Any]:
        found: list[Any] = []
        self.at += 1
        while not self._closes("]"):
            found.append(self.value(depth + 1))
            self._separator("]")
        return found

    def _closes(self, sign: str) -> bool:
        self._space()
        if self._peek() != sign:
            return False
        self.at += 1
        return True

    def _separator(self, closing: str) -> None:
        """A comma, also one before the end; or the end, which stays to be read."""
        self._space()
        if self._peek() == ",":
            self.at += 1
        elif self._peek() != closing:
            raise self._error(f"a comma or {closing} is needed")

    def _expect(self, sign: str, message: str) -> None:
        self._space()
        if self._peek() != sign:
            raise self._error(message)
        self.at += 1

    # --- single values ---

    def _scalar(self) -> Any:
        number = _NUMBER.match(self._text, self.at)
        if number:
            return self._number(number)
        word = _WORD.match(self._text, self.at)
        if word is None or word[0] not in _WORDS:
            # A literal that breaks off at the end of the text was cut.
            raise self._error("a value is needed")
        self.at = word.end()
        return _WORDS[word[0]]

    def _number(self, found: re.Match[str]) -> int | float:
        """A whole number also where it is written with a fraction of zero."""
        if len(found[0]) > _LONGEST_NUMBER:
            raise self._error("a number is too long")
        value = float(found[0])
        if not math.isfinite(value) or abs(value) > 2**53:
            raise self._error("a number is out of range")
        self.at = found.end()
        return int(value) if value.is_integer() else value

    def _string(self) -> str:
        if self._peek() == '"':
            return self._plain_string()
        return self._typographic_string()

    def _plain_string(self) -> str:
        start = self.at
        self.at += 1
        parts = []
        while True:
            plain = _PLAIN.match(self._text, self.at)
            parts.append(plain[0] if plain else "")
            self.at = plain.end() if plain else self.at
            sign = self._peek()
            if sign == '"':
                self.at += 1
                return "".join(parts)
            if not sign:
                raise LooseError("a string does not end", start, ended=True)
            parts.append(self._escape())

    def _escape(self) -> str:
        start = self.at
        sign = self._text[start + 1 : start + 2]
        if sign == "u":
            return self._code_point()
        if not sign:
            raise LooseError("an escape breaks off", start, ended=True)
        if sign not in _ESCAPES:
            raise LooseError(f"\\{sign} is no escape", start)
        self.at += 2
        return _ESCAPES[sign]

    def _code_point(self) -> str:
        high = self._hex(self.at)
        self.at += 6
        if not 0xD800 <= high <= 0xDFFF:
            return chr(high)
        if high < 0xDC00 and self._text.startswith("\\u", self.at):
            low = self._hex(self.at)
            if 0xDC00 <= low <= 0xDFFF:
                self.at += 6
                return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
        raise LooseError("half a character stands alone", self.at - 6)

    def _hex(self, start: int) -> int:
        digits = self._text[start + 2 : start + 6]
        if re.fullmatch(r"[0-9a-fA-F]{4}", digits) is None:
            ended = start + 2 + len(digits) >= len(self._text)
            raise LooseError("an escape is broken", start, ended=ended)
        return int(digits, 16)

    def _typographic_string(self) -> str:
        """A string between “ and ”. Another quote within it makes it ambiguous."""
        start = self.at
        end = start + 1
        while end < len(self._text) and self._text[end] not in _WITHIN:
            end += 1
        if end >= len(self._text):
            raise LooseError("a string does not end", start, ended=True)
        closes = self._text[end] in _CLOSING
        if not closes or not _AFTER_STRING.match(self._text, end + 1):
            raise LooseError("a quote within typographic quotes is ambiguous", end)
        self.at = end + 1
        return self._text[start + 1 : end]

    # --- the text ---

    def _peek(self) -> str:
        return self._text[self.at : self.at + 1]

    def _space(self) -> None:
        found = _SPACE.match(self._text, self.at)
        self.at = found.end() if found else self.at

    def _error(self, message: str) -> LooseError:
        rest = self._text[self.at :].strip()
        ended = not rest or any(
            word.startswith(rest) for word in (*_WORDS, "/*")
        ) or rest in {"-", "/"}  # fmt: skip
        return LooseError(message, self.at, ended=ended)

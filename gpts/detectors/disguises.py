"""Texts in disguise: defanged, escaped, full-width, with invisible characters.

A disguised text is written out plainly once, with a map back to where it stood.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

# Without one of these a text wears no disguise (compared without case).
_SIGNS: tuple[str, ...] = (
    "[.]",
    "(.)",
    "{.}",
    "[dot]",
    "(dot)",
    "{dot}",
    "[:",
    "[at]",
    "(at)",
    "[@]",
)
_SIGNS += (
    "{at}",
    "hxxp",
    "&#",
    "&commat;",
    "&period;",
    "&colon;",
    "\\u00",
    "\\x",
    "\\.",
)
_SIGNS += ("%2", "%3", "%4", "%5", "%6", "%7", "\u200b", "\u200c", "\u200d", "\u2060")
_SIGNS += ("\ufeff", "\u00ad", "[://]", "\\@", "\\:", "[/]")
# Every alternative begins with a character of its own: searched for at full speed.
_DISGUISE = re.compile(
    r"[\[({](?P<sign>\.|[dD][oO][tT]|[aA][tT]|@|::?|://|/)[\])}][ ]?"
    r"|[hH](?P<scheme>[xX]{2})(?=[pP][sS]?(?:\b|:))"
    r"|&(?P<entity>#\d{2,5}|#[xX][0-9a-fA-F]{2,4}|commat|period|colon|sol|lowbar);"
    r"|\\(?:[uU]00|x)(?P<code>[2-7][0-9a-fA-F])"
    r"|%(?P<percent>[2-7][0-9a-fA-F])"
    r"|\\(?<=\w\\)\\?(?P<escaped>[.@:])(?=\w)"
    r"|[\u200b\u200c\u200d\u2060\ufeff\u00ad]+(?P<unseen>)"
)
_SIGN = {"dot": ".", "at": "@"}
_AROUND = 320  # characters beside a disguise that are read with it

# Full-width forms, digits and dots of other scripts: one character for one.
_WIDE = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_WIDE |= {
    zero + digit: str(digit) for zero in (0x660, 0x6F0, 0x966) for digit in range(10)
}
_WIDE |= dict.fromkeys((0x2024, 0x3002, 0xFE52, 0xFF61), ".")


_ANY_WIDE = re.compile(f"[{''.join(map(chr, _WIDE))}]")


def narrow(text: str) -> str:
    """Full-width and foreign digits as ASCII, every character in its place."""
    if text.isascii() or not _ANY_WIDE.search(text):
        return text
    return _ANY_WIDE.sub(lambda match: _WIDE[ord(match.group())], text)


@dataclass(frozen=True, slots=True)
class Plain:
    """The plain text; from `places[i]` on it stands at `origins[i]` of the original."""

    text: str
    places: tuple[int, ...]
    origins: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where plain [start, end) stands in the original, disguise included."""
        first, offset = self._piece(start)
        begin = self.origins[first] + (0 if first % 2 else offset)
        last, offset = self._piece(end - 1)
        if last % 2:
            return begin, self.origins[last + 1]
        return begin, self.origins[last] + offset + 1

    def disguised(self, start: int, end: int) -> bool:
        """Whether a disguise lies within plain [start, end), or is it in part."""
        begin, finish = self.span(start, end)
        return (
            finish - begin != end - start
            or any(self._piece(place)[0] % 2 for place in (start, end - 1))
            or self._piece(start)[0] != self._piece(end - 1)[0]
        )

    def _piece(self, place: int) -> tuple[int, int]:
        """Which piece a place lies in (odd ones were disguised), and how far in."""
        index = bisect_right(self.places, place) - 1
        return index, place - self.places[index]


def unmask(text: str, lower: str) -> Iterator[Plain]:
    """The stretches of a text that wear a disguise, each without it."""
    if not any(sign in lower for sign in _SIGNS):
        return
    cluster: list[re.Match[str]] = []
    for match in _DISGUISE.finditer(text):
        if cluster and match.start() - cluster[-1].end() > 2 * _AROUND:
            yield _plain(text, cluster)
            cluster = []
        cluster.append(match)
    if cluster:
        yield _plain(text, cluster)


def _plain(text: str, cluster: list[re.Match[str]]) -> Plain:
    last = _border(text, cluster[0].start())
    pieces: list[str] = []
    places = [0]
    origins = [last]
    length = 0
    for match in cluster:
        start = match.start()
        if match["sign"] and start > last and text[start - 1] == " ":
            start -= 1  # `mira [at] example`
        written = _written(match)
        pieces += (text[last:start], written)
        length += start - last
        places += (length, length + len(written))
        origins += (start, match.end())
        length += len(written)
        last = match.end()
    pieces.append(text[last : last + _AROUND])
    return Plain("".join(pieces), tuple(places), tuple(origins))


def _border(text: str, start: int) -> int:
    """Where the stretch begins: a line's start, or some way back in a long line."""
    least = max(0, start - _AROUND)
    return max(least, text.rfind("\n", least, start) + 1)


def _written(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    hidden = match[kind]
    if kind == "sign":
        return _SIGN.get(hidden.lower(), hidden)
    if kind in ("code", "percent"):
        return chr(int(hidden, 16))
    if kind == "entity":
        return html.unescape(f"&{hidden};")
    return {"scheme": "htt", "unseen": "", "escaped": hidden}[kind]

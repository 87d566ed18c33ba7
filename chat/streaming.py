"""A text that is still arriving, as HTML: finished blocks are frozen, the rest moves.

All frozen parts and the last tail, joined, are exactly `markdown.render` of the whole
text, however it was cut into pieces. The work is linear in its length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from chat.markdown import first_lines, normal, render_blocks

# A tail up to this long is read anew at every update: bounded work each time.
SHORT_TAIL = 1_500
# Beyond this a block is not shown formatted before it is finished.
LONG_TAIL = 12_000
# One in between when it grew by a quarter, or seems to end and the budget allows:
# no more than so many characters read for each one received.
BUDGET = 12

_FENCE = re.compile(r"\n* {0,3}(`{3,}|~{3,})")
_SEEMS_TO_END = re.compile(r"\n[ \t]*\n|\n {0,3}(?:`{3,}|~{3,})[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Fragment:
    """What changed: `frozen` is added before the tail, `tail` replaces it.

    `in_code`: the tail ends in a code block that is still open; text that follows
    belongs into it.
    """

    frozen: str
    tail: str
    in_code: bool = False


class StreamingMarkdown:
    """Feed pieces; ask for an update as often as the page should change."""

    def __init__(self) -> None:
        self._tail = ""
        self._new: list[str] = []
        self._new_length = 0
        self._held = ""
        self._read_length = 0
        self._received = 0
        self._spent = 0
        self._frozen: list[str] = []

    def feed(self, text: str) -> None:
        """More of the text, as it came."""
        text = self._held + text
        # A lone CR at the end may be half of CRLF.
        self._held = "\r" if text.endswith("\r") else ""
        piece = normal(text[:-1] if self._held else text)
        if piece:
            self._new.append(piece)
            self._new_length += len(piece)
            self._received += len(piece)

    def update(self) -> Fragment | None:
        """What to show now, or None: nothing new, or too early to read it again.

        Until the next one the page shows what comes as plain text after the tail.
        """
        if not self._new or not self._due():
            return None
        self._take()
        frozen = self._freeze()
        if not frozen and len(self._tail) > LONG_TAIL:
            return None
        return Fragment(frozen, *_unfinished(self._tail))

    def close(self) -> Fragment:
        """The end: everything left is finished."""
        if self._held:
            self._new.append("\n")
            self._held = ""
        self._take()
        rest = render_blocks(self._tail)
        self._tail = ""
        self._frozen.append(rest)
        return Fragment(rest, "")

    def so_far(self) -> Fragment:
        """Everything fed until now, for somebody who starts to look at it."""
        tail = self._tail + "".join(self._new)
        return Fragment("".join(self._frozen), *_unfinished(tail))

    def _due(self) -> bool:
        length = len(self._tail) + self._new_length
        if length <= SHORT_TAIL or length >= self._read_length * 1.25:
            return True
        if self._spent + length > BUDGET * self._received:
            return False
        seam = self._tail[-80:] + "".join(self._new)
        return _SEEMS_TO_END.search(seam) is not None

    def _take(self) -> None:
        self._tail += "".join(self._new)
        self._new.clear()
        self._new_length = 0
        self._read_length = len(self._tail)
        self._spent += len(self._tail)

    def _freeze(self) -> str:
        """Blocks that nothing can change any more: all but the last one that begins
        on a complete line. A line without its end may still become anything."""
        complete = self._tail.rfind("\n") + 1
        if not complete:
            return ""
        starts = first_lines(self._tail[:complete])
        if len(starts) < 2:
            return ""
        cut = _offset_of_line(self._tail, starts[-1])
        frozen = render_blocks(self._tail[:cut])
        self._tail = self._tail[cut:]
        self._read_length = len(self._tail)
        self._frozen.append(frozen)
        return frozen


def _unfinished(tail: str) -> tuple[str, bool]:
    """The tail as HTML, and whether it is one code fence without its end."""
    if len(tail) > LONG_TAIL and not _in_open_fence(tail):
        return f'<p class="plain">{escape(tail)}</p>', False
    return render_blocks(tail, finished=False), _in_open_fence(tail)


def _in_open_fence(tail: str) -> bool:
    opened = _FENCE.match(tail)
    if opened is None:
        return False
    closing = re.compile(
        rf"\n {{0,3}}{re.escape(opened[1][0])}{{{len(opened[1])},}}[ \t]*(?:\n|$)"
    )
    return closing.search(tail, opened.end()) is None


def _offset_of_line(text: str, line: int) -> int:
    offset = 0
    for _ in range(line):
        offset = text.index("\n", offset) + 1
    return offset

"""Server-sent events out of raw bytes. Pure: fed pieces of any size, cut anywhere.

Only CR, LF and CRLF end a line (WHATWG HTML, "Parsing an event stream"); a Unicode
separator never does. Knows nothing of what the events say.
"""

from __future__ import annotations

from dataclasses import dataclass

# One event, or one line, of an answer: 8 MiB is far above any honest one.
EVENT_LIMIT_BYTES = 8 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


class TooLong(Exception):
    """One line or event is longer than the limit: reading on would fill memory."""


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event: its name ("" where none was given) and its data lines, joined."""

    name: str
    data: bytes


class Decoder:
    """Feed it bytes; it returns the events that they complete.

    More forgiving than the standard where servers are sloppy: a line that is a JSON
    object of its own counts as an event, and whatever else is no field is kept in
    `stray` (a web page, a JSON body over several lines), up to the limit.
    """

    def __init__(self, limit_bytes: int = EVENT_LIMIT_BYTES) -> None:
        self._limit = limit_bytes
        self._tail = bytearray()
        self._after_cr = False
        self._at_start = True
        self._name = ""
        self._data: list[bytes] = []
        self._size = 0
        self.stray = bytearray()

    def feed(self, piece: bytes) -> list[ServerEvent]:
        """The events that end within `piece`. Raises TooLong."""
        if self._after_cr and piece.startswith(b"\n"):
            piece = piece[1:]
            self._after_cr = False
        if not piece:
            return []
        self._after_cr = piece.endswith(b"\r")
        if b"\n" not in piece and b"\r" not in piece:
            self._keep_tail(piece)
            return []
        return self._lines(piece)

    def finish(self) -> list[ServerEvent]:
        """The bytes are at their end: a last event may lack its blank line."""
        found: list[ServerEvent] = []
        if self._tail:
            self._line(bytes(self._tail), found)
            self._tail.clear()
        self._dispatch(found)
        return found

    def _lines(self, piece: bytes) -> list[ServerEvent]:
        # bytes.splitlines knows CR, LF and CRLF alone; that of str knows more.
        lines = piece.splitlines()
        if self._tail:
            lines[0] = bytes(self._tail) + lines[0]
            self._tail.clear()
        if not piece.endswith((b"\n", b"\r")):
            self._keep_tail(lines.pop())
        found: list[ServerEvent] = []
        for line in lines:
            self._line(line, found)
        return found

    def _keep_tail(self, piece: bytes) -> None:
        if len(self._tail) + len(piece) > self._limit:
            raise TooLong
        self._tail += piece

    def _line(self, line: bytes, found: list[ServerEvent]) -> None:
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(_BOM)
        if line.startswith(b"data:"):
            self._add(line[5:])
        elif not line:
            self._dispatch(found)
        elif not line.startswith(b":"):
            self._other(line, found)

    def _other(self, line: bytes, found: list[ServerEvent]) -> None:
        field, _, value = line.partition(b":")
        if field == b"event":
            self._name = value.strip().decode("utf-8", "replace")
        elif field == b"data":
            self._add(b"")
        elif line[:1] == b"{" and line.rstrip()[-1:] == b"}":
            found.append(ServerEvent("", line))
        elif field not in {b"id", b"retry"}:
            self._add_stray(line)

    def _add(self, value: bytes) -> None:
        value = value.removeprefix(b" ")
        self._size += len(value) + 1
        if self._size > self._limit:
            raise TooLong
        self._data.append(value)

    def _add_stray(self, line: bytes) -> None:
        if len(self.stray) + len(line) > self._limit:
            raise TooLong
        self.stray += line + b"\n"

    def _dispatch(self, found: list[ServerEvent]) -> None:
        if self._data:
            found.append(ServerEvent(self._name, b"\n".join(self._data)))
            self._data = []
            self._size = 0
        self._name = ""

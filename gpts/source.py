"""From the bytes of a gpt to its header and its body, each with its first line.

Pure. Refuses what is not UTF-8, what hides characters, and a header that is absent
or not closed: taken as plain text, the header itself would be sent as a prompt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.utils.translation import gettext_noop as _

from gpts.problems import Problems

FILE_LIMIT_BYTES = 1024 * 1024
# PyYAML takes 4 s for 1 MB; see the limits of `frontmatter` for the rest.
HEADER_LIMIT_BYTES = 64 * 1024

# Longest first: the mark of UTF-32 begins with that of UTF-16.
_OTHER_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_UTF8_MARK = b"\xef\xbb\xbf"
# Tab and line feed remain; C1 controls reach terminals as well.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# YAML 1.1 breaks lines here, editors do not: line numbers would lie.
_SEPARATOR = re.compile("[\u2028\u2029]")
# What YAML forbids besides control characters.
_NONCHARACTER = re.compile("[\ufffe\uffff]")
# Text that reads one way and is another ("Trojan source").
_TURNS_TEXT = re.compile("[\u202a-\u202e\u2066-\u2069]")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_MARKER_LINE = re.compile(r"^<!--\s*\[", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Cut:
    """Header (without its two fences) and body; lines count from 1 in the file."""

    header: str
    header_line: int
    body: str
    body_line: int


def decode(raw: bytes, problems: Problems) -> str | None:
    """The text with `\\n` for every line end and no byte order mark, or None."""
    if len(raw) > FILE_LIMIT_BYTES:
        problems.fatal(None, _("The file is larger than 1 MiB."))
        return None
    encoding = _other_encoding(raw)
    if encoding:
        problems.fatal(
            1, _("This looks like %(encoding)s: save it as UTF-8."), encoding=encoding
        )
        return None
    body = raw.removeprefix(_UTF8_MARK)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        before = body[: error.start]
        problems.fatal(
            before.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1,
            _("Not UTF-8 at byte %(offset)s (from 0): save the file as UTF-8."),
            offset=error.start + len(raw) - len(body),
        )
        return None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if _is_clean(text, problems) else None


def _other_encoding(raw: bytes) -> str:
    for mark, name in _OTHER_MARKS:
        if raw.startswith(mark):
            return name
    if raw[:2] in (b"-\x00", b"\x00-"):
        return "UTF-32" if raw[:4] in (b"-\x00\x00\x00", b"\x00\x00\x00-") else "UTF-16"
    return "UTF-32" if raw[:4] == b"\x00\x00\x00-" else ""


def _is_clean(text: str, problems: Problems) -> bool:
    """No control characters anywhere; a turned direction of writing is warned of."""
    bad = _CONTROL.search(text)
    if bad:
        problems.fatal(
            line_of(text, bad.start()),
            _("Control character U+%(code)s: remove it."),
            code=f"{ord(bad.group()):04X}",
        )
        return False
    turned = _TURNS_TEXT.search(text)
    if turned:
        problems.warn(
            line_of(text, turned.start()),
            _("Invisible character U+%(code)s turns the direction of the text."),
            code=f"{ord(turned.group()):04X}",
        )
    return True


def line_of(text: str, position: int, first: int = 1) -> int:
    return first + text.count("\n", 0, position)


def cut(text: str, problems: Problems) -> Cut | None:
    """Header and body, or None with the reason among the problems."""
    opening, _newline, rest = text.partition("\n")
    if opening.rstrip(" \t") != "---":
        _report_no_header(text, problems)
        return None
    end = _END.search(rest)
    marker = _MARKER_LINE.search(rest, 0, end.start() if end else len(rest))
    if end is None or marker:
        problems.fatal(1, _("The header that starts in line 1 is not closed (---)."))
        return None
    if end.group().startswith("..."):
        problems.fatal(
            line_of(rest, end.start(), 2), _("Close the header with --- , not with ...")
        )
        return None
    header = rest[: end.start()]
    if not _header_is_readable(header, problems):
        return None
    after = end.end() + 1
    return Cut(header, 2, rest[after:], line_of(rest, end.start(), 3))


def _report_no_header(text: str, problems: Problems) -> None:
    start = text.lstrip("\n \t\ufeff\u200b")
    if not start:
        problems.fatal(1, _("The file is empty."))
    elif start.startswith("---") and start is not text:
        problems.fatal(1, _("The header (---) must begin in line 1, before all else."))
    else:
        problems.fatal(1, _("There is no header: line 1 must be --- and nothing else."))


def _header_is_readable(header: str, problems: Problems) -> bool:
    if len(header.encode()) > HEADER_LIMIT_BYTES:
        problems.fatal(1, _("The header is longer than 64 KiB."))
        return False
    for pattern in (_SEPARATOR, _NONCHARACTER):
        bad = pattern.search(header)
        if bad:
            problems.fatal(
                line_of(header, bad.start(), 2),
                _("Character U+%(code)s may not stand in the header."),
                code=f"{ord(bad.group()):04X}",
            )
            return False
    return True

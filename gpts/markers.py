"""The body of a gpt cut by its markers into the system prompt and the question.

Pure. A marker stands alone on its line, outside code and comments. One that is
misspelt is refused: taken as text, it would send the system prompt as a question.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field

from django.utils.translation import gettext_noop as _

from gpts.problems import Problems
from gpts.source import line_of

WORDS = ("system", "question")

# No prompt has so many; half a megabyte of them would take half a second.
MOST_STOPS = 20_000
# Where a scan may have to stop: a code fence, or the start of something like a comment.
_STOP = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})(?P<words>[^\n]*)$|<!|<[-\u2013\u2014]|&lt;[!-]",
    re.MULTILINE,
)
_MARKER = re.compile(r" {0,3}<!--\s*\[([^\]]{0,60})\]\s*-->\s*")
# Space to the eye, but not to `strip`.
_INVISIBLE = " \t\n\u00a0\u200b\u200c\u200d\u2060\ufeff"
_COMMENT_START = re.compile(r"<!--")
_HIDDEN_MARKER = re.compile(
    r"^[ \t]*<!--\s*\[\s*(?:system|question)\s*\]", re.MULTILINE | re.IGNORECASE
)
_INLINE_MARKER = re.compile(
    r"<!--\s*\[\s*(?:system|question)\s*\]\s*-->", re.IGNORECASE
)
# A line of one word behind something like `<!`: `<!- system ->`, `<!-- [system]`.
_NEAR_MARKER = re.compile(
    r"\s*(?:<|&lt;)[!\u2013\u2014-][^\w]{0,20}(\w{3,20})[^\w]{0,20}(?:&gt;|gt;)?\s*"
)


@dataclass(frozen=True, slots=True)
class Marker:
    """`start` is where its line begins, `end` where the next line does."""

    word: str
    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Sections:
    system: str
    question: str


@dataclass(slots=True)
class _Scan:
    """Reads on from `position`, and knows the line it is in without counting twice."""

    body: str
    first_line: int
    problems: Problems
    position: int = 0
    markers: list[Marker] = field(default_factory=list)
    open_fence_line: int = 0
    _counted: tuple[int, int] = (0, 0)

    def line(self, position: int) -> int:
        before, lines = self._counted
        lines += self.body.count("\n", before, position)
        self._counted = (position, lines)
        return self.first_line + lines

    def line_end(self, position: int) -> int:
        end = self.body.find("\n", position)
        return len(self.body) if end < 0 else end


def cut_sections(body: str, first_line: int, problems: Problems) -> Sections | None:
    """The two parts without blank lines around them; None with the reason noted."""
    scan = _Scan(body, first_line, problems)
    stops = 0
    while scan.position < len(body) and not problems.full:
        stop = _STOP.search(body, scan.position)
        if stop is None:
            break
        stops += 1
        if stops > MOST_STOPS:
            problems.fatal(None, _("The body has too many code fences and comments."))
            return None
        if stop["fence"]:
            _skip_fence(scan, stop)
        else:
            _read_line(scan, body.rfind("\n", 0, stop.start()) + 1)
    return _sections(scan)


def _skip_fence(scan: _Scan, opening: re.Match[str]) -> None:
    """To behind the closing fence, or to the end: CommonMark 0.31, section 4.5."""
    mark, words = opening["fence"][0], opening["words"]
    scan.position = opening.end() + 1
    if mark == "`" and "`" in words:
        return  # inline code that begins a line, not a fence
    length = len(opening["fence"])
    closing = re.compile(rf"^ {{0,3}}{mark}{{{length},}}[ \t]*$", re.MULTILINE)
    found = closing.search(scan.body, opening.end())
    if found is None:
        scan.open_fence_line = scan.line(opening.start())
    scan.position = found.end() + 1 if found else len(scan.body)


def _read_line(scan: _Scan, start: int) -> None:
    """Decide about the one line that holds something like a comment."""
    end = scan.line_end(start)
    text = scan.body[start:end]
    scan.position = end + 1
    marker = _MARKER.fullmatch(text) if "[" in text else None
    if marker:
        _note_marker(scan, marker[1].strip().lower(), start, end)
    elif not _report_near_marker(scan, text, start):
        _skip_comment(scan, text, start)


def _note_marker(scan: _Scan, word: str, start: int, end: int) -> None:
    line = scan.line(start)
    if word not in WORDS:
        close = difflib.get_close_matches(word, WORDS, n=1)
        sentence = _("Unknown marker [%(word)s]: use [system] or [question].")
        if close:
            sentence = _("Unknown marker [%(word)s]: did you mean [%(close)s]?")
        scan.problems.fatal(line, sentence, word=word, close="".join(close))
        return
    scan.markers.append(Marker(word, start, min(end + 1, len(scan.body)), line))


def _report_near_marker(scan: _Scan, text: str, start: int) -> bool:
    """Whether the line meant to be a marker; then it is reported."""
    if "[" in text and _is_indented_marker(text):
        scan.problems.warn(
            scan.line(start), _("An indented marker is code, and is sent as text.")
        )
    elif close := _near_word(text):
        scan.problems.fatal(
            scan.line(start),
            _("A misspelt marker: write <!-- [%(word)s] --> alone on its line."),
            word=close,
        )
    elif "[" in text and _outside_code(text, _INLINE_MARKER):
        scan.problems.fatal(
            scan.line(start), _("A marker must stand alone on its line.")
        )
    else:
        return False
    return True


def _near_word(text: str) -> str:
    """The marker's word that a short line nearly is, or an empty string."""
    near = _NEAR_MARKER.fullmatch(text) if len(text) < 200 else None
    close = difflib.get_close_matches(near[1].lower(), WORDS, n=1) if near else []
    return "".join(close)


def _is_indented_marker(text: str) -> bool:
    found = _MARKER.fullmatch(text.strip())
    return found is not None and found[1].strip().lower() in WORDS


def _outside_code(
    text: str, pattern: re.Pattern[str], start: int = 0
) -> re.Match[str] | None:
    """The first match from `start` on that is not between backticks of the line."""
    ticks, before = 0, 0
    for found in pattern.finditer(text, start):
        ticks += text.count("`", before, found.start())
        before = found.start()
        if ticks % 2 == 0:
            return found
    return None


def _skip_comment(scan: _Scan, text: str, start: int) -> None:
    """Past a comment of several lines; a marker inside it is refused."""
    after_last_end = text.rfind("-->") + 3 if "-->" in text else 0
    opening = _outside_code(text, _COMMENT_START, after_last_end)
    if opening is None:
        return
    inside = start + opening.end()
    close = scan.body.find("-->", inside)
    last = scan.line_end(close if close >= 0 else len(scan.body))
    first_line = scan.line(start)
    hidden = _HIDDEN_MARKER.search(scan.body, inside, last)
    if hidden:
        scan.problems.fatal(
            scan.line(hidden.start()),
            _("A marker inside the comment that begins in line %(line)s."),
            line=first_line,
        )
    scan.position = last + 1


def _sections(scan: _Scan) -> Sections | None:
    if not scan.markers:
        if not scan.problems.any_fatal:
            _report_no_question(scan)
        return None
    _check_before(scan)
    _check_order(scan)
    parts = dict.fromkeys(WORDS, "")
    for marker, after in zip(scan.markers, [*scan.markers[1:], None], strict=True):
        part = scan.body[marker.end : after.start if after else len(scan.body)]
        parts[marker.word] = strip_blank_lines(part)
    if not any(marker.word == "question" for marker in scan.markers):
        _report_no_question(scan)
    elif not parts["question"].strip(_INVISIBLE):
        scan.problems.fatal(scan.markers[-1].line, _("The question is empty."))
    return Sections(parts["system"], parts["question"])


def _check_before(scan: _Scan) -> None:
    """Nothing but blank lines stands before the first marker."""
    before = scan.body[: scan.markers[0].start]
    if before.strip():
        first = len(before) - len(before.lstrip())
        scan.problems.fatal(
            line_of(scan.body, first, scan.first_line),
            _("Text before the first marker belongs to no part: move it below one."),
        )


def _check_order(scan: _Scan) -> None:
    seen: dict[str, Marker] = {}
    for marker in scan.markers:
        if marker.word in seen:
            scan.problems.fatal(
                marker.line,
                _("A second marker [%(word)s]; the first stands in line %(line)s."),
                word=marker.word,
                line=seen[marker.word].line,
            )
        elif marker.word == "system" and "question" in seen:
            scan.problems.fatal(
                marker.line, _("[system] comes before [question]: change the order.")
            )
        seen.setdefault(marker.word, marker)


def _report_no_question(scan: _Scan) -> None:
    if scan.open_fence_line:
        scan.problems.fatal(
            scan.open_fence_line,
            _("The code fence that begins here is not closed: no question is found."),
        )
        return
    scan.problems.fatal(
        scan.first_line,
        _("There is no question: add <!-- [question] --> and its text."),
    )


def strip_blank_lines(text: str) -> str:
    """Without blank lines at both ends; the first line keeps its indent."""
    first = len(text) - len(text.lstrip())
    return text[text.rfind("\n", 0, first) + 1 :].rstrip()

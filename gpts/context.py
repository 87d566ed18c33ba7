"""The declared context of a reviewed gpt, read: its files and its commands' output.

Blocking (disk, processes). What was refused, did not fit or had no time left is told
by name; what is read is scanned before it is cut.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.utils.translation import gettext as _

from gpts import globbing
from gpts.allowed import Allowed, Argument, operands, problem
from gpts.detectors.names import Names
from gpts.detectors.scan import scan
from gpts.document import Command, Context
from gpts.gate import Finding, locate
from gpts.opening import NotOpened, Root, opened
from gpts.running import NotRun, run

SOURCE_CHARACTERS = 8_000
ALL_CHARACTERS = 24_000
COMMAND_SECONDS = 30.0
ALL_SECONDS = 60.0
# Read beyond the cut, so that a secret across it is seen whole.
_READ_BYTES = 4 * SOURCE_CHARACTERS + 128 * 1024
_LEAST_ROOM = 200  # characters; less is not worth a heading
_ERROR_CHARACTERS = 2_000
_PLACEHOLDER = re.compile(r"\{([A-Za-z][A-Za-z0-9_]{0,39})\}")
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])"
)
_BYTE_ORDER_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


@dataclass(frozen=True, slots=True)
class Piece:
    """One source as it is sent. `findings` lie across its cut, located in the whole
    source; those within the text are found in the message it becomes part of."""

    label: str
    text: str
    bytes: int
    truncated: bool = False
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Left:
    """What was declared and is not sent, and why."""

    label: str
    reason: str


@dataclass(frozen=True, slots=True)
class Gathered:
    pieces: tuple[Piece, ...] = ()
    left: tuple[Left, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for piece in self.pieces for finding in piece.findings)


class NotRead(Exception):
    """A declared source that is not sent; its text is the reason."""


def gather(
    declared: Context,
    inputs: Mapping[str, str],
    *,
    roots: Sequence[Root],
    allowed: Sequence[Allowed],
    names: Names,
) -> Gathered:
    """Everything the gpt declares, in its order, as far as the bounds allow."""
    gathering = _Gathering(inputs, tuple(roots), tuple(allowed), names)
    for path in declared.files:
        gathering.file(path)
    for command in declared.commands:
        gathering.command(command)
    return Gathered(tuple(gathering.pieces), tuple(gathering.left))


def roots_at(paths: Sequence[str | Path]) -> tuple[Root, ...]:
    """The folders that are there; one that is not is told by a system check."""
    found = (Root.at(str(path)) for path in paths)
    return tuple(root for root in found if root is not None)


class _Gathering:
    """One reading: what is left of the characters and of the seconds."""

    def __init__(
        self,
        inputs: Mapping[str, str],
        roots: tuple[Root, ...],
        allowed: tuple[Allowed, ...],
        names: Names,
    ) -> None:
        self.inputs = inputs
        self.roots = roots
        self.allowed = allowed
        self.names = names
        self.pieces: list[Piece] = []
        self.left: list[Left] = []
        self.room = ALL_CHARACTERS
        self.seconds = ALL_SECONDS
        self.seen: set[tuple[int, int]] = set()

    # --- files ---------------------------------------------------------------------

    def file(self, declared: str) -> None:
        try:
            if globbing.is_pattern(declared):
                self._pattern(declared)
            else:
                self._read(_filled(declared, self.inputs), self.roots)
        except (NotRead, NotOpened) as error:
            self.left.append(Left(declared, str(error)))

    def _pattern(self, declared: str) -> None:
        """What a value holds is never a pattern itself."""
        pattern = _filled(declared, self.inputs, escape=True)
        found = globbing.find(pattern, self.roots)
        for path in found.paths:
            try:
                self._read(path, (found.root,))
            except (NotRead, NotOpened) as error:
                self.left.append(Left(path, str(error)))
        self.left += [Left(path, reason) for path, reason in found.left]

    def _read(self, path: str, roots: tuple[Root, ...]) -> None:
        with opened(path, roots) as handle:
            found = os.fstat(handle)
            if (found.st_dev, found.st_ino) in self.seen:
                return  # the same file by another pattern or link
            self.seen.add((found.st_dev, found.st_ino))
            raw = _read_bytes(handle)
        text = _as_text(raw, whole=found.st_size <= len(raw))
        self._add(path, text, found.st_size, whole=found.st_size <= len(raw))

    # --- commands ------------------------------------------------------------------

    def command(self, declared: Command) -> None:
        try:
            self._run(declared)
        except NotRead as error:
            self.left.append(Left(declared.label, str(error)))

    def _run(self, declared: Command) -> None:
        argv = [Argument(word, _filled(word, self.inputs)) for word in declared.argv]
        refused = problem(argv, self.allowed) or _operand_problem(argv, self.roots)
        if refused:
            raise NotRead(refused)
        if not self.roots:
            raise NotRead(_("no folder is allowed by LLMHUB_CONTEXT_ROOTS"))
        seconds = min(COMMAND_SECONDS, self.seconds)
        if seconds <= 0:
            raise NotRead(_("no time was left for it"))
        started = time.monotonic()
        try:
            ran = run([a.final for a in argv], self.roots[0].real, seconds)
        except NotRun:
            raise NotRead(_("%s is not installed here") % argv[0].final) from None
        finally:
            self.seconds -= time.monotonic() - started
        if ran.late:
            raise NotRead(_("it took longer than %d seconds") % seconds)
        text = _as_text(bytes(ran.out), whole=not ran.cut)
        if ran.code:
            text = _with_error(text, ran.code, bytes(ran.err))
        self._add(declared.label, text, len(ran.out), whole=not ran.cut)

    # --- bounds --------------------------------------------------------------------

    def _add(self, label: str, text: str, size: int, *, whole: bool) -> None:
        room = min(SOURCE_CHARACTERS, self.room)
        if whole and len(text) <= room:
            piece = Piece(label, text, size)
        elif room < _LEAST_ROOM:
            raise NotRead(_("the 24,000 characters of context were used up"))
        else:
            piece = self._cut(label, text, size, room)
        self.pieces.append(piece)
        self.room -= len(piece.text)

    def _cut(self, label: str, text: str, size: int, room: int) -> Piece:
        """At a line's end, and never through something private."""
        mark = _("[cut here: %(size)d bytes in all]") % {"size": size}
        most = room - len(mark) - 1
        end = text.rfind("\n", 0, most) + 1 or most
        across = []
        for hit in scan(text[: room + 128 * 1024], self.names.matcher):
            if hit.start < end < hit.end or hit.start < room < hit.end:
                across.append(locate(hit, text, label))
                end = min(end, hit.start)
        kept = text[:end]
        joint = "" if kept.endswith("\n") or not kept else "\n"
        return Piece(label, f"{kept}{joint}{mark}", size, True, tuple(across))


def _filled(template: str, inputs: Mapping[str, str], *, escape: bool = False) -> str:
    """Inputs in the place of their names, once. Raises NotRead for one without."""

    def value(found: re.Match[str]) -> str:
        given = inputs.get(found[1], "")
        if not given.strip():
            raise NotRead(_("{%(name)s} has no value") % {"name": found[1]})
        if "\0" in given:
            raise NotRead(
                _("{%(name)s} holds a control character") % {"name": found[1]}
            )
        return re.sub(r"([*?\[])", r"[\1]", given) if escape else given

    return _PLACEHOLDER.sub(value, template)


def _operand_problem(command: Sequence[Argument], roots: tuple[Root, ...]) -> str:
    """A command reads what its operands name: protected names, and what lies outside
    the roots, are no operands either, also behind `rev:` and `key=`."""
    for word, after_dashes in operands(command):
        if word.startswith("@") and not after_dashes:
            return _("%s names a file of arguments") % word
        whole = after_dashes or "://" in word
        words = [word] if whole else [word, *re.split(r"[:=]", word)]
        for path in filter(None, words):
            reason = _path_problem(path, roots)
            if reason:
                return f"{word}: {reason}"
    return ""


def _path_problem(path: str, roots: tuple[Root, ...]) -> str:
    try:
        with opened(path, roots):
            return ""
    except NotOpened as error:
        climbs = path.startswith("~/") or ".." in path.split("/")
        return str(error) if error.forbidden or climbs else ""


def _read_bytes(handle: int) -> bytes:
    pieces = bytearray()
    while len(pieces) < _READ_BYTES:
        piece = os.read(handle, _READ_BYTES - len(pieces))
        if not piece:
            break
        pieces += piece
    return bytes(pieces)


def _as_text(raw: bytes, *, whole: bool) -> str:
    """Raises NotRead for what is no text. `whole`: the last character is complete."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            even = len(raw) - len(raw) % 4
            return _decoded(raw[: len(raw) if whole else even], encoding, whole=whole)
    if b"\0" in raw:
        raise NotRead(_("it is a binary file"))
    text = _decoded(raw.removeprefix(b"\xef\xbb\xbf"), "utf-8", whole=whole)
    text = _ESCAPES.sub("", text)
    if (
        sum(ord(char) < 32 and char not in "\t\n\r\f" for char in text)
        > len(text) // 20
    ):
        raise NotRead(_("it is a binary file"))
    return text


def _decoded(raw: bytes, encoding: str, *, whole: bool) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        if not whole and error.start >= len(raw) - 4:
            return raw[: error.start].decode(encoding)
        raise NotRead(_("it is not UTF-8 text")) from None


def _with_error(text: str, code: int, error: bytes) -> str:
    """What a failing command said on its standard error, which is no output else."""
    said = _ESCAPES.sub("", error.decode(errors="replace")).strip()[:_ERROR_CHARACTERS]
    joint = "" if text.endswith("\n") or not text else "\n"
    return f"{text}{joint}[exit code {code}]\n{said}"

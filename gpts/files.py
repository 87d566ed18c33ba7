"""Gpts as files: which names of a folder are gpts, and the bytes of one of them.

Knows the disk and nothing of a document. A folder is flat: `*.md`, no sub-folders.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.utils.translation import gettext_noop as _

from gpts.document import Parsed
from gpts.problems import Problem, shown
from gpts.reading import read_document
from gpts.source import FILE_LIMIT_BYTES

STEM = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")


@dataclass(frozen=True, slots=True)
class Stamp:
    """Tells whether a file is still the one that was read."""

    modified_ns: int
    size: int
    inode: int


def stem_of(name: str) -> str:
    """`Commit-Message.md` -> `commit-message`: capitals make no second gpt.

    A name that may not be one is spelt so that it can be shown.
    """
    stem = name.removesuffix(".md")
    return stem.lower() if STEM.fullmatch(stem) else shown(stem)


def gpt_files(folder: Path) -> Iterator[os.DirEntry[str]]:
    """The `*.md` entries of a folder by name, whatever they are; dot files left out."""
    with os.scandir(folder) as entries:
        named = [e for e in entries if e.name.endswith(".md") and e.name[0] != "."]
    yield from sorted(named, key=lambda entry: entry.name)


def stamp_of(entry: os.DirEntry[str] | Path) -> Stamp | None:
    """None for what is no readable regular file (a FIFO would block the reader)."""
    try:
        found = entry.stat()
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return Stamp(found.st_mtime_ns, found.st_size, found.st_ino)


def read_file(path: str | Path) -> Parsed:
    """The file read and understood, or why it could not be."""
    if not STEM.fullmatch(Path(path).name.removesuffix(".md")):
        return _refused(_("Rename the file: letters, digits, - and _ before .md only."))
    try:
        raw = _read_bytes(path)
    except FileNotFoundError:
        return _refused(_("There is no such file."))
    except OSError as error:
        return _refused(_("The file cannot be read: %(why)s."), why=_why(error))
    if raw is None:
        return _refused(_("This is no regular file."))
    return read_document(raw)


def _read_bytes(path: str | Path) -> bytes | None:
    """At most one byte more than may be; None for what is no regular file."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as stream:  # noqa: PTH123 - a descriptor, no path
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return stream.read(FILE_LIMIT_BYTES + 1)


def _why(error: OSError) -> str:
    return shown(error.strerror or type(error).__name__)


def _refused(sentence: str, **values: str) -> Parsed:
    return Parsed(None, (Problem(sentence, values),))

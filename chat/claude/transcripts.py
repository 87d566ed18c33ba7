"""Saved Claude Code sessions, found by identifier: where they ran, and the branch.

Of a transcript only two structural fields are ever taken (`cwd`, `gitBranch`), from
its first 40 lines; titles, prompts and messages are not read into any value. Symbolic
links are never followed, and no path comes from a client.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chat.claude.envelope import session_id

HEAD_LINES = 40
_HEAD_BYTES = 1024 * 1024  # a first line may carry a pasted picture
_MOST_FILES = 20_000


@dataclass(frozen=True, slots=True)
class Transcript:
    """One saved session. `changed` is seconds since 1970; the path stays inside."""

    session_id: str
    path: Path
    changed: float


@dataclass(frozen=True, slots=True)
class Head:
    """The two fields that are read of a transcript; empty where it has none."""

    directory: str = ""
    branch: str = ""


def saved_sessions(config: Path) -> list[Transcript]:
    """Every saved session below `config` (`~/.claude`), the latest first.

    The same identifier in several folders is one session, its latest file.
    """
    found: dict[str, Transcript] = {}
    for transcript in _files(config / "projects"):
        known = found.get(transcript.session_id)
        if known is None or known.changed < transcript.changed:
            found[transcript.session_id] = transcript
    return sorted(found.values(), key=lambda item: -item.changed)


def _files(projects: Path) -> Iterator[Transcript]:
    for folder in _entries(projects):
        if not folder.is_dir(follow_symlinks=False):
            continue
        for entry in _entries(Path(folder.path)):
            identifier = session_id(entry.name.removesuffix(".jsonl"))
            if not identifier or not entry.name.endswith(".jsonl"):
                continue
            try:
                if entry.is_file(follow_symlinks=False):
                    changed = entry.stat(follow_symlinks=False).st_mtime
                    yield Transcript(identifier, Path(entry.path), changed)
            except OSError:  # gone since it was listed
                continue


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """What stands in a real folder; nothing for a link, or one that is not there."""
    if folder.is_symlink():
        return []
    try:
        with os.scandir(folder) as entries:
            return [
                entry for _, entry in zip(range(_MOST_FILES), entries, strict=False)
            ]
    except OSError:
        return []


def read_head(transcript: Transcript) -> Head:
    """Directory and branch, each from the first line that has it."""
    directory = branch = ""
    for row in _rows(transcript.path):
        directory = directory or _text(row.get("cwd"))
        branch = branch or _text(row.get("gitBranch"))
        if directory and branch:
            break
    return Head(directory, branch)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in _first_lines(path):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row


def _first_lines(path: Path) -> list[bytes]:
    """The whole lines within the bounds; a line that is still being written is not."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return []
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return []
        lines: list[bytes] = []
        left = _HEAD_BYTES
        while left > 0 and len(lines) < HEAD_LINES:
            line = file.readline(left)
            left -= len(line)
            if not line.endswith(b"\n"):
                break
            lines.append(line)
        return lines


def _text(value: Any) -> str:
    return value if isinstance(value, str) and len(value) <= 4096 else ""

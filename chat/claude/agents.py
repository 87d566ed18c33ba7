"""The answer to `claude agents --json`, and the registry of its processes, as rows.

Pure, but for reading the registry's `<pid>.json` files; whatever else stands beside
them (tokens, sockets) is never opened. Every field came with some version and may be
missing; an unknown kind or status is shown as it is.
"""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from chat.claude.envelope import folded, session_id

_PROCESS_FILE = re.compile(r"[1-9]\d{0,9}\.json")
_SHORT_ID = re.compile(r"[0-9a-f]{4,}(?:-[0-9a-f-]*)?", re.I)
_DECODER = json.JSONDecoder()
_FILE_BYTES = 64 * 1024
_MOST_ROWS = 1_000


@dataclass(frozen=True, slots=True)
class AgentRow:
    """One session as something announced it. `session_id` may be empty (it cannot be
    asked then), or be known by its beginning alone (`prefix`)."""

    session_id: str = ""
    prefix: str = ""
    pid: int | None = None
    kind: str = ""
    status: str = ""
    directory: str = ""
    name: str = ""
    version: str = ""
    started: datetime | None = None
    start_ticks: int | None = None


def read_agents(stdout: str, exit_code: int) -> list[AgentRow] | None:
    """The rows, or None: this version cannot list sessions."""
    if exit_code != 0:
        return None
    for bracket in islice(re.finditer(r"\[", stdout), 100):
        try:
            rows, _ = _DECODER.raw_decode(stdout, bracket.start())
        except (ValueError, RecursionError):
            continue  # a bracket in the noise before the list
        if any(not isinstance(row, dict) for row in rows):
            return None
        return [read_row(row) for row in rows[:_MOST_ROWS]]
    return None


def read_registry(config: Path) -> list[AgentRow]:
    """The rows of `sessions/<pid>.json`, each believed only about its own pid."""
    folder = config / "sessions"
    try:
        names = [] if folder.is_symlink() else sorted(p.name for p in folder.iterdir())
    except OSError:
        return []
    rows = []
    for name in names[: _MOST_ROWS * 4]:
        if _PROCESS_FILE.fullmatch(name):
            row = _process_row(folder / name)
            if row is not None and row.pid == int(name.removesuffix(".json")):
                rows.append(row)
    return rows


def _process_row(path: Path) -> AgentRow | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        try:
            row = json.loads(file.read(_FILE_BYTES))
        except (ValueError, RecursionError):
            return None
    return read_row(row) if isinstance(row, dict) else None


def read_row(row: dict[str, Any]) -> AgentRow:
    """One announced session; fields that are not what they should be are missing."""
    short = _text(row.get("id"))
    whole = session_id(row.get("sessionId") or row.get("session_id")) or session_id(
        short
    )
    status = _text(row.get("status")) or _text(row.get("state"))
    waiting = _text(row.get("waitingFor"))
    return AgentRow(
        session_id=whole,
        prefix=short.lower() if _SHORT_ID.fullmatch(short) else "",
        pid=_number(row.get("pid")),
        kind=_text(row.get("kind")),
        status=f"{status}: {waiting}" if status and waiting else status or waiting,
        directory=_path(row.get("cwd")),
        name=_text(row.get("name")),
        version=_text(row.get("version")),
        started=_moment(row.get("startedAt")),
        start_ticks=_number(row.get("procStart")),
    )


def _text(value: Any) -> str:
    return folded(value) if isinstance(value, str) else ""


def _path(value: Any) -> str:
    """A directory as it is: it is used, not only shown."""
    return value if isinstance(value, str) and len(value) <= 4096 else ""


def _number(value: Any) -> int | None:
    """A whole number, also written as text; procStart is one of those."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:20])
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    return value


def _moment(value: Any) -> datetime | None:
    """ISO text, or milliseconds or seconds since 1970; aware UTC."""
    try:
        if isinstance(value, str) and not value.isdigit():
            moment = datetime.fromisoformat(value)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(
                UTC
            )
        number = float(value)
        seconds = number / 1000 if number > 100_000_000_000 else number
        return datetime.fromtimestamp(seconds, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None

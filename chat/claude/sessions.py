"""The Claude Code sessions of this machine: one row for each, live ones first.

Joins what `claude agents --json` lists, the registry of its processes, and the saved
transcripts. Blocking, bounded by 15 s; starts no session and reads no conversation.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from chat.claude.agents import AgentRow, read_agents, read_registry
from chat.claude.child import config_folder, find_program, run_briefly
from chat.claude.envelope import folded
from chat.claude.liveness import PROC, is_alive
from chat.claude.transcripts import Head, Transcript, read_head, saved_sessions
from chat.errors import ChatError

LIST_SECONDS = 12.0  # of the 15 that a listing has
READ_SECONDS = 2.0
MOST_SAVED = 200
_LEAST_PREFIX = 4


class NoSession(ChatError):
    """No session, or more than one, goes by what was typed."""


@dataclass(frozen=True, slots=True)
class Session:
    """One session. `session_id` is empty where it is not known: it cannot be asked.

    `directory` is the whole path, for the hub alone; `folder` its last part, which is
    what people see. `live` is proved by pid and start time together.
    """

    session_id: str = ""
    pid: int | None = None
    kind: str = ""
    status: str = ""
    directory: str = ""
    name: str = ""
    version: str = ""
    branch: str = ""
    live: bool = False
    saved: bool = False

    @property
    def short(self) -> str:
        return self.session_id[:8]

    @property
    def folder(self) -> str:
        return folded(Path(self.directory).name) if self.directory else ""

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.session_id or None,
            "pid": self.pid,
            "kind": self.kind,
            "status": self.status,
            "dir": self.folder,
            "name": self.name,
            "version": self.version,
            "branch": self.branch,
            "live": self.live,
        }


@dataclass(frozen=True, slots=True)
class Listing:
    """What was found, and in `notes` what could not be listed and why."""

    sessions: tuple[Session, ...] = ()
    notes: tuple[str, ...] = ()


def list_sessions(
    environ: Mapping[str, str] = os.environ, *, proc: Path = PROC
) -> Listing:
    """Every session that can be seen, live ones first, then the latest saved."""
    program = find_program(environ)
    if program is None:
        return Listing(notes=(_("There is no claude program on this machine."),))
    config = config_folder(environ)
    listed, notes = _announced(program, environ)
    saved = saved_sessions(config)
    registry = read_registry(config)
    rows = [_enriched(row, registry, saved) for row in listed]
    sessions = [_session(row, saved, proc) for row in rows]
    known = {session.session_id for session in sessions}
    rest = [item for item in saved if item.session_id not in known][:MOST_SAVED]
    until = time.monotonic() + READ_SECONDS
    for item in rest:
        # Past its time a row is listed without what its file says.
        head = read_head(item) if time.monotonic() < until else Head()
        sessions.append(_saved_session(item, head, registry, proc))
    ordered = sorted(sessions, key=lambda session: not session.live)
    return Listing(tuple(ordered), notes)


def _announced(
    program: str, environ: Mapping[str, str]
) -> tuple[list[AgentRow], tuple[str, ...]]:
    argv = [program, "agents", "--json"]
    printed = run_briefly(argv, environ, timeout_seconds=LIST_SECONDS)
    if printed is None:
        return [], (_("claude did not list its sessions in time."),)
    rows = read_agents(printed.stdout, printed.exit_code)
    if rows is None:
        return [], (_("This version of claude cannot list its live sessions."),)
    return rows, ()


def _enriched(
    row: AgentRow, registry: list[AgentRow], saved: list[Transcript]
) -> AgentRow:
    """What the registry knows of the same process, where the row says nothing."""
    same = next((known for known in registry if known.pid == row.pid), None)
    if same and same.session_id and row.session_id not in {"", same.session_id}:
        same = None
    if same:
        row = replace(
            row,
            session_id=row.session_id or same.session_id,
            kind=row.kind or same.kind,
            status=row.status or same.status,
            directory=row.directory or same.directory,
            name=row.name or same.name,
            version=row.version or same.version,
            started=same.started or row.started,
            start_ticks=same.start_ticks,
        )
    if row.session_id or not row.prefix:
        return row
    found = [s.session_id for s in saved if s.session_id.startswith(row.prefix)]
    return replace(row, session_id=found[0]) if len(found) == 1 else row


def _session(row: AgentRow, saved: list[Transcript], proc: Path) -> Session:
    transcript = next((s for s in saved if s.session_id == row.session_id), None)
    head = read_head(transcript) if transcript else Head()
    return Session(
        session_id=row.session_id,
        pid=row.pid,
        kind=row.kind,
        status=row.status,
        directory=row.directory or head.directory,
        name=row.name,
        version=row.version,
        branch=folded(head.branch),
        live=_alive(row, proc),
        saved=transcript is not None,
    )


def _alive(row: AgentRow, proc: Path) -> bool:
    return is_alive(
        row.pid, started=row.started, start_ticks=row.start_ticks, proc=proc
    )


def _saved_session(
    transcript: Transcript, head: Head, registry: list[AgentRow], proc: Path
) -> Session:
    """A saved session; the registry may know a process that holds it all the same."""
    session = Session(
        session_id=transcript.session_id,
        kind="saved",
        directory=head.directory,
        branch=folded(head.branch),
        saved=True,
    )
    for row in registry:
        if row.session_id == transcript.session_id and _alive(row, proc):
            return replace(
                session,
                pid=row.pid,
                kind=row.kind or session.kind,
                status=row.status,
                name=row.name,
                version=row.version,
                live=True,
            )
    return session


def find_session(text: str, sessions: tuple[Session, ...]) -> Session:
    """The session that an identifier, or its beginning, names. Raises NoSession.

    Only what was listed is found: an identifier never becomes a path.
    """
    wanted = text.strip().lower()
    if len(wanted) < _LEAST_PREFIX:
        raise NoSession(_("A session is named by at least 4 of its characters."))
    found = {
        session.session_id: session
        for session in reversed(sessions)  # of two rows the first, a live one, stays
        if session.session_id.startswith(wanted)
    }
    if wanted in found:
        return found[wanted]
    if not found:
        raise NoSession(
            _("No Claude Code session has that identifier: see claude_sessions.")
        )
    if len(found) > 1:
        raise NoSession(_("Several sessions begin like that: type more of it."))
    return next(iter(found.values()))

"""`claude_sessions`: the Claude Code sessions of this machine. Needs no database."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from chat.claude.sessions import Listing, Session, list_sessions

_COLUMNS = ("id", "pid", "kind", "status", "dir", "name", "version", "branch")


class Command(BaseCommand):
    help = (
        "List this machine's Claude Code sessions, live ones first. Exit code 1 when "
        "there is none. A `claude -p` under way is not listed."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="One JSON document.")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.LLMHUB_CLAUDE:
            if options["json"]:
                self.stdout.write("[]")
            raise CommandError(
                _("Claude sessions are switched off: set LLMHUB_CLAUDE=1.")
            )
        listing = list_sessions()
        for note in listing.notes:
            self.stderr.write(note)
        if options["json"]:
            rows = [session.as_json() for session in listing.sessions]
            self.stdout.write(json.dumps(rows, ensure_ascii=False, indent=2))
        else:
            self._print(listing)
        if not listing.sessions:
            sys.exit(1)

    def _print(self, listing: Listing) -> None:
        if not listing.sessions:
            self.stdout.write(_("no sessions"))
            return
        rows = [_COLUMNS, *(_row(session) for session in listing.sessions)]
        widths = [max(len(row[column]) for row in rows) for column in range(8)]
        for row in rows:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            self.stdout.write("  ".join(cells).rstrip())


def _row(session: Session) -> tuple[str, ...]:
    status = session.status or (_("live") if session.live else _("not running"))
    return (
        session.short or _("(cannot be asked)"),
        str(session.pid) if session.pid else "-",
        session.kind or "-",
        status,
        session.folder or "-",
        session.name or "-",
        session.version or "-",
        session.branch or "-",
    )

"""`restore FILE`: put a copy made by `backup` back in place of the database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from llmhub.encryption import EncryptionError
from llmhub.models import IndexKey


class Command(BaseCommand):
    help = (
        "Replace the database by FILE. Stop the hub first. What is replaced is kept "
        "beside it as *.before-restore."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        if connection.vendor != "sqlite":
            raise CommandError("This database is not SQLite: use pg_restore.")
        source: Path = options["file"]
        check_copy(source)
        replace_database(source)
        call_command("migrate", verbosity=0, interactive=False)
        try:
            IndexKey.current()
        except EncryptionError:
            raise CommandError(
                "Restored, but LLMHUB_KEYS does not open it: put back the keys it "
                "was made with."
            ) from None
        self.stdout.write(f"Restored from {source}.")


def check_copy(source: Path) -> None:
    """Raises CommandError unless `source` is an intact database of a hub."""
    if not source.is_file():
        raise CommandError(f"{source} is no file.")
    try:
        with closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as copy:
            intact = copy.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            copy.execute("SELECT count(*) FROM servers_server").fetchone()
    except sqlite3.DatabaseError:
        intact = False
    if not intact:
        raise CommandError(f"{source} is no intact copy of a hub's database.")


def replace_database(source: Path) -> None:
    """Through SQLite's own backup: readers and the WAL see one consistent change."""
    current = Path(str(connection.settings_dict["NAME"]))
    aside = current.with_name(current.name + ".before-restore")
    connection.ensure_connection()
    with closing(sqlite3.connect(aside)) as copy:
        connection.connection.backup(copy)
    aside.chmod(0o600)
    with closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as copy:
        copy.backup(connection.connection)
    connection.close()

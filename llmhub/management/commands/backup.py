"""`backup FILE`: a consistent copy of the SQLite database while the hub runs."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection


class Command(BaseCommand):
    help = (
        "Copy the database to FILE (0600). Secrets in it stay encrypted: keep "
        "LLMHUB_KEYS elsewhere, without them the copy is unreadable."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        if connection.vendor != "sqlite":
            raise CommandError("This database is not SQLite: use pg_dump.")
        copy_database(options["file"])
        self.stdout.write(f"Copied to {options['file']}.")


def copy_database(target: Path) -> None:
    """Copy the live database to `target`, which must not exist yet."""
    try:
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise CommandError(f"{target} exists already; it was not touched.") from None
    except OSError as error:
        raise CommandError(f"{target} cannot be written: {error.strerror}.") from None
    os.close(handle)
    connection.ensure_connection()
    with sqlite3.connect(target) as copy:
        connection.connection.backup(copy)
    copy.close()

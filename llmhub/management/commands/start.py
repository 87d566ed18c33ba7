"""`start`: what `make run` does. Prepares what is missing, then serves."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from llmhub.roles import CURATORS


class Command(BaseCommand):
    help = (
        "Migrate if needed, make the first curator if there is none, look once for "
        "servers on this machine, and serve."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--prepare-only", action="store_true", help="do all of it but serving"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        settings.LLMHUB_VAR.mkdir(mode=0o700, parents=True, exist_ok=True)
        settings.LLMHUB_VAR.chmod(0o700)
        first_time = migrate_if_needed()
        collect_static_if_needed()
        password = make_first_curator()
        if password:
            self.stdout.write("\nThe first curator. This password is shown only now:")
            self.stdout.write(f"  user name  curator\n  password   {password}\n")
        if first_time:
            self.stdout.write("Looking for LLM servers on this machine...")
            # It exits 1 where nothing was found, which is no reason not to serve.
            with suppress(SystemExit):
                call_command("scan", source=["loopback"], stdout=self.stdout)
        if not options["prepare_only"]:
            call_command("serve", stdout=self.stdout)


def migrate_if_needed() -> bool:
    """Bring the database up to date. True if it was empty before."""
    executor = MigrationExecutor(connection)
    empty = not executor.loader.applied_migrations
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", verbosity=0, interactive=False)
    return empty


def collect_static_if_needed() -> None:
    """Collect when any source file is newer than the last collection."""
    manifest = Path(settings.STATIC_ROOT) / "staticfiles.json"
    if not manifest.exists() or _newest_source() > manifest.stat().st_mtime:
        call_command("collectstatic", verbosity=0, interactive=False, clear=True)


def _newest_source() -> float:
    return max(
        Path(storage.path(name)).stat().st_mtime
        for finder in get_finders()
        for name, storage in finder.list([])
    )


def make_first_curator() -> str:
    """The password of a new curator, or nothing where somebody curates already."""
    curators = User.objects.filter(is_active=True)
    if curators.filter(is_superuser=True) or curators.filter(groups__name=CURATORS):
        return ""
    password = secrets.token_urlsafe(12)
    user = User.objects.create_superuser("curator", password=password)
    user.groups.add(Group.objects.get(name=CURATORS))
    return password

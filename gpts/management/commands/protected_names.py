"""`protected_names [list|add NAME...|remove NAME...]`: what must not leave."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from gpts import protected
from llmhub.encryption import Unreadable


class Command(BaseCommand):
    help = "Count, add or remove protected names; they are printed only with --show."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "action", nargs="?", choices=["list", "add", "remove"], default="list"
        )
        parser.add_argument("name", nargs="*", metavar="NAME")
        parser.add_argument("--show", action="store_true", help="Print the names.")
        parser.add_argument("--json", action="store_true", help="One JSON document.")

    def handle(self, *args: Any, **options: Any) -> None:
        action, typed = options["action"], options["name"]
        if bool(typed) is (action == "list"):
            raise CommandError(_MISUSED[action], returncode=2)
        try:
            changed = self._change(action, typed)
            kept = protected.entered_names()
        except protected.NameRefused as error:
            raise CommandError(str(error), returncode=2) from error
        except DatabaseError as error:
            raise CommandError(
                "The database cannot be read: run `manage.py migrate`."
            ) from error
        self._report(kept, show=options["show"], as_json=options["json"])
        if action != "list" and not changed:
            raise SystemExit(1)

    def _change(self, action: str, typed: list[str]) -> int:
        if action == "add":
            return protected.add(typed)
        return protected.remove(typed) if action == "remove" else 0

    def _report(
        self, kept: list[str | Unreadable], *, show: bool, as_json: bool
    ) -> None:
        words = [str(name) for name in kept]
        if as_json:
            document: dict[str, Any] = {"count": len(kept)}
            if show:
                document["names"] = words
            self.stdout.write(json.dumps(document))
            return
        for word in words if show else ():
            self.stdout.write(word)
        self.stdout.write(f"{len(kept)} protected names.")


_MISUSED = {
    "list": "`list` takes no names: use add or remove.",
    "add": "Name what to add.",
    "remove": "Name what to remove.",
}

"""`rotate_keys`: write everything stored encrypted again under the first key."""

from __future__ import annotations

import json
from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand, CommandParser
from django.db import models, transaction

from llmhub.encryption import EncryptedTextField, Unreadable


class Command(BaseCommand):
    help = (
        "Write every encrypted value again under the first of LLMHUB_KEYS. Put the "
        "new key first, keep the old ones behind it, run this, then drop the old."
    )
    requires_migrations_checks = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        written, unreadable = 0, 0
        for model, field in encrypted_fields():
            done, lost = rotate(model, field)
            written, unreadable = written + done, unreadable + lost
        if options["json"]:
            found = {"written": written, "unreadable": unreadable}
            self.stdout.write(json.dumps(found))
        else:
            self.stdout.write(f"{written} values written under the first key.")
            if unreadable:
                self.stdout.write(
                    f"{unreadable} values no key opens: left as they are."
                )
        if unreadable:
            raise SystemExit(1)


def encrypted_fields() -> list[tuple[type[models.Model], str]]:
    """Every (model, field name) that stores ciphertext."""
    return [
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.local_concrete_fields
        if isinstance(field, EncryptedTextField)
    ]


def rotate(model: type[models.Model], field: str) -> tuple[int, int]:
    """Write one field of all rows again; (written, unreadable)."""
    written = unreadable = 0
    with transaction.atomic():
        # Locked, so that a save in between is neither lost nor overwritten.
        rows = model._base_manager.select_for_update().order_by("pk")
        for pk, value in rows.values_list("pk", field).iterator(chunk_size=500):
            if isinstance(value, Unreadable):
                unreadable += 1
            elif value is not None:
                model._base_manager.filter(pk=pk).update(**{field: value})
                written += 1
    return written, unreadable

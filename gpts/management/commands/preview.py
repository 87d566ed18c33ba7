"""`preview`: exactly what a gpt would send, and what the gate thinks of it.

`--file` needs no database: it works before any migration.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from gpts import files
from gpts.allowed import BadAllowList, read_allowed
from gpts.catalogue import find
from gpts.context import roots_at
from gpts.document import Document
from gpts.errors import GptsError
from gpts.gate import Verdict
from gpts.opening import Root
from gpts.preview import Bounds, Preview, missing, preview
from gpts.private import Private, private_of
from gpts.problems import shown_path
from gpts.typed import typed_inputs
from servers.hosting import Hosting


class Command(BaseCommand):
    help = (
        "Print exactly what a gpt would send: messages, sources, findings, verdict. "
        "Sends nothing. Exit code 1 where the gate blocks it."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("gpt", nargs="?", help="A gpt of the catalogue.")
        which.add_argument("--file", type=Path, help="A gpt's file.")
        parser.add_argument(
            "--input", action="append", default=[], metavar="NAME=VALUE"
        )
        parser.add_argument(
            "--root", type=Path, help="Read declared files below this folder alone."
        )
        parser.add_argument(
            "--hosting",
            choices=[rung.value for rung in Hosting],
            default=Hosting.LAN.value,
            help="Where it would go.",
        )
        parser.add_argument("--question", default="", help="What a person adds.")
        parser.add_argument("--json", action="store_true", help="One JSON document.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            found = self._preview(options)
        except (GptsError, BadAllowList) as error:
            raise CommandError(str(error), returncode=2) from error
        if options["json"]:
            self.stdout.write(json.dumps(found.as_json(), indent=1))
        else:
            self._print(found)
        if found.judged.verdict is Verdict.BLOCK:
            raise SystemExit(1)

    def _preview(self, options: dict[str, Any]) -> Preview:
        document, private, may_read = _gpt(options)
        inputs = dict(private.inputs) | typed_inputs(document, options["input"])
        for name, problem in missing(document, inputs).items():
            raise CommandError(f"--input {name}: {problem}", returncode=2)
        bounds = Bounds(
            Hosting(options["hosting"]),
            _roots(options["root"], may_read=may_read),
            read_allowed(settings.LLMHUB_CONTEXT_COMMANDS),
        )
        return preview(
            document,
            inputs,
            bounds,
            question=options["question"],
            private_addition=private.addition,
        )

    def _print(self, found: Preview) -> None:
        for message in found.messages:
            self.stdout.write(f"--- {message.role}\n{message.content}\n")
        for source in found.sources:
            words = source.refused or f"{source.bytes} bytes"
            cut = ", cut" if source.truncated else ""
            self.stdout.write(f"source {shown_path(source.label)}: {words}{cut}")
        for finding in found.findings:
            place = f"{finding.source} {finding.start}-{finding.end}"
            self.stdout.write(f"found {finding.kind} in {place}: {finding.excerpt}")
        self.stdout.write(f"{found.judged.verdict.value}: {found.judged.reason}")


def _gpt(options: dict[str, Any]) -> tuple[Document, Private, bool]:
    """The document, this hub's additions, and whether the settings' roots are open
    to it: a file that somebody names is nobody's reviewed gpt."""
    if options["file"] is None:
        entry = find(options["gpt"])
        if entry.document is None:
            raise GptsError(entry.why_not_usable)
        return entry.document, private_of(entry.stem), entry.reviewed
    parsed = files.read_file(options["file"])
    if parsed.document is None:
        fatal = next(problem for problem in parsed.problems if problem.fatal)
        line = f"line {fatal.line}: " if fatal.line else ""
        raise GptsError(f"{line}{fatal.message}")
    return parsed.document, Private(), False


def _roots(named: Path | None, *, may_read: bool) -> tuple[Root, ...]:
    """The folder a person names, else those of the settings for a reviewed gpt."""
    if named is None:
        return roots_at(settings.LLMHUB_CONTEXT_ROOTS) if may_read else ()
    roots = roots_at([named])
    if not roots:
        raise GptsError(f"{shown_path(named)} is no folder to read from.")
    return roots

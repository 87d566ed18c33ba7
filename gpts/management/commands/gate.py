"""`gate`: what is private in a text, and whether it may go to a rung of hosting.

Needs no database: without one the protected names are "not checked", and it says so.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gpts.gate import Finding, Judgement, Verdict, find_in, judge
from gpts.problems import shown_path
from gpts.protected import names
from servers.hosting import Hosting

LIMIT_BYTES = 64 * 1024 * 1024
# UTF-32's mark begins with UTF-16's.
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


class Command(BaseCommand):
    help = (
        "Find what is private in a file or in standard input. Exit code 1 where it "
        "may not go (anything found, with --hosting global), so that it serves as a "
        "filter or a pre-commit hook."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--hosting",
            choices=[rung.value for rung in Hosting],
            default=Hosting.LAN.value,
            help="Where the text would go.",
        )
        parser.add_argument("--json", action="store_true", help="One JSON document.")
        parser.add_argument("file", nargs="?", default="-", help="Else standard input.")

    def handle(self, *args: Any, **options: Any) -> None:
        source = options["file"]
        text = read_text(source)
        known = names()
        findings = find_in(text, shown_path(source), known)
        judged = judge(findings, Hosting(options["hosting"]), known)
        if options["json"]:
            self.stdout.write(
                json.dumps(
                    {
                        "verdict": judged.verdict.value,
                        "reason": judged.reason,
                        "findings": [asdict(finding) for finding in findings],
                        "names_checked": known.checked,
                    },
                    indent=1,
                )
            )
        else:
            self._print(text, findings, judged)
        if judged.verdict is Verdict.BLOCK:
            raise SystemExit(1)

    def _print(
        self, text: str, findings: tuple[Finding, ...], judged: Judgement
    ) -> None:
        """`file:line: kind: excerpt`, then the verdict."""
        line, counted = 1, 0
        for finding in sorted(findings, key=lambda one: one.start):
            line += text.count("\n", counted, finding.start)
            counted = finding.start
            place = f"{finding.source}:{line}"
            self.stdout.write(f"{place}: {finding.kind}: {finding.excerpt}")
        self.stdout.write(f"{judged.verdict.value}: {judged.reason}")


def read_text(source: str) -> str:
    """A file's text, or standard input for `-`; bytes that are no text stand as �."""
    try:
        if source == "-":
            raw = sys.stdin.buffer.read(LIMIT_BYTES + 1)
        else:
            with Path(source).open("rb") as stream:
                raw = stream.read(LIMIT_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it cannot be read"
        raise CommandError(f"{shown_path(source)}: {why}.", returncode=2) from error
    if len(raw) > LIMIT_BYTES:
        raise CommandError(f"{shown_path(source)}: larger than 64 MB.", returncode=2)
    return decoded(raw)


def decoded(raw: bytes) -> str:
    """Text of any Unicode encoding: between NULs no rule would find anything."""
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return raw.decode(encoding, errors="replace")
    half = len(raw) // 2
    if half and raw[1::2].count(0) > 0.7 * half:
        return raw.decode("utf-16-le", errors="replace")
    if half and raw[::2].count(0) > 0.7 * half:
        return raw.decode("utf-16-be", errors="replace")
    return raw.decode("utf-8-sig", errors="replace")

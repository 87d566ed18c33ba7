"""`gpts check` tells what is wrong with files; `gpts list` what fits a kept server."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from gpts import files
from gpts.document import Parsed
from gpts.problems import shown


class Command(BaseCommand):
    help = "Checks gpt files, or lists the gpts that fit a kept server."
    # `check` works before any migration.
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        check = actions.add_parser(
            "check", help="Problems of files, or of the *.md of a folder, with lines."
        )
        check.add_argument("path", nargs="+", type=Path)
        check.add_argument("--json", action="store_true", help="One JSON document.")

    def handle(self, *args: Any, **options: Any) -> None:
        self._check(options["path"], as_json=options["json"])

    def _check(self, paths: list[Path], *, as_json: bool) -> None:
        """Exit code 1 when a file has a fatal problem or none was found."""
        checked = [(path, files.read_file(path)) for path in _spread(paths)]
        if as_json:
            rows = [_row(path, parsed) for path, parsed in checked]
            self.stdout.write(json.dumps(rows, ensure_ascii=True, indent=1))
        else:
            self._print(checked)
        if not checked or not all(parsed.ok for _path, parsed in checked):
            raise SystemExit(1)

    def _print(self, checked: list[tuple[Path, Parsed]]) -> None:
        for path, parsed in checked:
            for problem in parsed.problems:
                place = f"{shown_path(path)}:{problem.line or 1}"
                kind = "error" if problem.fatal else "warning"
                self.stdout.write(f"{place}: {kind}: {problem.message}")
        bad = sum(not parsed.ok for _path, parsed in checked)
        self.stdout.write(f"{len(checked)} checked, {bad} refused.")


def _spread(paths: list[Path]) -> list[Path]:
    """Files as named; a folder as its `*.md`."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            try:
                found.extend(Path(entry.path) for entry in files.gpt_files(path))
            except OSError as error:
                raise CommandError(
                    f"{shown_path(path)}: {error.strerror}", returncode=2
                ) from None
        else:
            found.append(path)
    return found


def shown_path(path: Path) -> str:
    """The path as it may stand on a terminal: a file name can hold anything."""
    return "/".join(shown(part) for part in str(path).split("/"))


def _row(path: Path, parsed: Parsed) -> dict[str, Any]:
    return {
        "stem": files.stem_of(path.name),
        "ok": parsed.ok,
        "problems": [problem.as_json() for problem in parsed.problems],
        "match": None,
    }

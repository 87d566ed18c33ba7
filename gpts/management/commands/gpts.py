"""`gpts check` tells what is wrong with files; `gpts list` what fits a kept server."""

from __future__ import annotations

import asyncio
import json
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from gpts import files
from gpts.catalogue import catalogue
from gpts.document import Parsed
from gpts.entries import Entry
from gpts.fitting import Place, ranked
from gpts.matching import Fit, Match
from gpts.problems import shown_path
from servers.cache import BUDGET_SECONDS, Reading, readings
from servers.errors import NotKept
from servers.retained import Kept, find

_SIGNS = {Fit.OK: "fits", Fit.UNKNOWN: "?", Fit.NO: "no"}


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
        listing = actions.add_parser(
            "list", help="The catalogue, what fits the server first."
        )
        listing.add_argument("--server", required=True, help="A handle or a label.")
        listing.add_argument("--model", default="", help="Else the server's usual one.")
        listing.add_argument("--json", action="store_true", help="One JSON document.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["action"] == "check":
            self._check(options["path"], as_json=options["json"])
            return
        try:
            self._list(options["server"], options["model"], as_json=options["json"])
        except NotKept as error:
            raise CommandError(str(error), returncode=2) from None
        except DatabaseError:
            raise CommandError(
                "The database cannot be read: run `manage.py migrate`."
            ) from None

    # --- check ---------------------------------------------------------------------

    def _check(self, paths: list[Path], *, as_json: bool) -> None:
        """Exit code 1 when a file has a fatal problem or none was found."""
        checked = [(path, files.read_file(path)) for path in _spread(paths)]
        if as_json:
            self._write_json(
                _row(files.stem_of(path.name), parsed) for path, parsed in checked
            )
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

    # --- list ----------------------------------------------------------------------

    def _list(self, server: str, model: str, *, as_json: bool) -> None:
        """Exit code 1 when the catalogue holds nothing."""
        kept = find(server)
        found = catalogue()
        rows = ranked(found.entries.values(), asyncio.run(place_now(kept, model)))
        if as_json:
            used = [_row(r.entry.stem, r.entry.parsed, r.match) for r in rows]
            aside = [_row(e.stem, e.parsed, _refusal(e)) for e in found.aside]
            self._write_json([*used, *aside])
        else:
            for row in rows:
                sign = _SIGNS[row.match.verdict]
                self.stdout.write(f"{sign:5} {row.entry.stem:28} {row.match.reason}")
            for entry in found.aside:
                self.stdout.write(f"{'-':5} {entry.stem:28} {entry.why_not_usable}")
        if not rows:
            raise SystemExit(1)

    def _write_json(self, rows: Iterable[dict[str, Any]]) -> None:
        self.stdout.write(json.dumps(list(rows), indent=1))


async def place_now(kept: Kept, model: str) -> Place:
    """The server as it answers now; what it does not say in time stays unknown."""
    if kept.unreadable:
        return Place(kept.hosting)
    try:
        async with asyncio.timeout(BUDGET_SECONDS):
            identity, claims = await readings.reader(kept)
    except TimeoutError:
        return Place(kept.hosting)
    wanted = model or kept.default_model or "".join(identity.models[:1])
    return Place(kept.hosting, Reading(identity, claims, 0).claims_of(wanted))


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


def _refusal(entry: Entry) -> Match | None:
    """An entry that is set aside fits nothing; a broken one was never matched."""
    return Match(Fit.NO, "", entry.why_not_usable) if entry.document else None


def _row(stem: str, parsed: Parsed, match: Match | None = None) -> dict[str, Any]:
    return {
        "stem": stem,
        "ok": parsed.ok,
        "problems": [problem.as_json() for problem in parsed.problems],
        "match": match.as_json() if match else None,
    }

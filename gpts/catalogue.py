"""The catalogue: library, folders, database, read again only where something changed.

Owns the caches. Knows the disk through `files` and the rows through the ORM; which
of several wins is decided in `entries`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from gpts import files
from gpts.document import Parsed
from gpts.entries import Catalogue, Entry, Layer, settle
from gpts.errors import NoSuchGpt
from gpts.models import Gpt
from gpts.private import is_migrated
from gpts.problems import Problem
from gpts.reading import read_document

LIBRARY = Path(__file__).parent / "library"
_REVIEWED = "=reviewed"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of gpts and whether what lies in it counts as reviewed."""

    path: Path
    reviewed: bool = False
    layer: Layer = Layer.FOLDER


def folder_of(setting: str) -> Folder:
    """`path` or `path=reviewed`, an entry of LLMHUB_GPT_FOLDERS."""
    return Folder(Path(setting.removesuffix(_REVIEWED)), setting.endswith(_REVIEWED))


@dataclass(slots=True)
class Shelf:
    """Entries of some folders and of the database, by what they were read from.

    `parses` counts readings, so that a changed file can be seen to cost one.
    """

    folders: tuple[Folder, ...]
    parses: int = 0
    _files: dict[str, tuple[object, Entry]] = field(default_factory=dict)
    _revisions: dict[int, Parsed] = field(default_factory=dict)
    _settled: tuple[list[Entry], Catalogue] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def catalogue(self) -> Catalogue:
        """As it is now; the same object as before while nothing changed."""
        with self._lock:
            found = [*self._of_folders(), *self._of_database()]
            if self._settled is None or not _are_same(self._settled[0], found):
                self._settled = (found, settle(found))
            return self._settled[1]

    def _of_folders(self) -> list[Entry]:
        seen: dict[str, tuple[object, Entry]] = {}
        for folder in self.folders:
            self._read_folder(folder, seen)
        self._files = seen
        return [entry for _stamp, entry in seen.values()]

    def _read_folder(
        self, folder: Folder, seen: dict[str, tuple[object, Entry]]
    ) -> None:
        try:
            listed = list(files.gpt_files(folder.path))
        except OSError as error:
            self._keep_unreadable(folder, error, seen)
            return
        stems: set[str] = set()
        for item in listed:
            stamp = files.stamp_of(item)
            known = self._files.get(item.path)
            if known is None or known[0] != stamp:
                known = (stamp, self._read(folder, item.path))
            if known[1].stem in stems:
                known = (stamp, replace(known[1], parsed=_TWIN))
            stems.add(known[1].stem)
            seen[item.path] = known

    def _read(self, folder: Folder, path: str) -> Entry:
        self.parses += 1
        return Entry(
            files.stem_of(Path(path).name),
            folder.layer,
            files.read_file(path),
            folder.reviewed,
            place=str(folder.path),
        )

    def _keep_unreadable(
        self, folder: Folder, error: OSError, seen: dict[str, tuple[object, Entry]]
    ) -> None:
        """A folder that cannot be listed is shown like a broken file."""
        path, why = str(folder.path), error.strerror or type(error).__name__
        known = self._files.get(path)
        if known is None or known[0] != why:
            sentence = gettext_noop("This folder of gpts cannot be read: %(why)s.")
            parsed = Parsed(None, (Problem(sentence, {"why": why}),))
            known = (why, Entry(folder.path.name, folder.layer, parsed, place=path))
        seen[path] = known

    def _of_database(self) -> Iterator[Entry]:
        rows = _stored()
        wanted = {pk for _stem, pk, _at, _by in rows if pk is not None}
        self._read_revisions(wanted)
        for stem, pk, reviewed_at, reviewer in rows:
            if pk is not None:
                yield Entry(
                    stem,
                    Layer.DATABASE,
                    self._revisions[pk],
                    reviewed_at is not None,
                    reviewer or "",
                )

    def _read_revisions(self, wanted: set[int]) -> None:
        """Revisions never change, so each is read once."""
        kept = {pk: old for pk, old in self._revisions.items() if pk in wanted}
        missing = Gpt.objects.filter(current_id__in=wanted - kept.keys())
        for pk, source in missing.values_list("current_id", "current__source"):
            if pk is not None:
                self.parses += 1
                kept[pk] = read_document(source or "")
        self._revisions = kept


def _stored() -> list[tuple[str, int | None, datetime | None, str | None]]:
    """Stem, revision and its review of each; none before the first migration."""
    columns = ("current_id", "current__reviewed_at", "current__reviewed_by__username")
    try:
        kept = Gpt.objects.filter(current__isnull=False)
        return list(kept.values_list("stem", *columns))
    except DatabaseError:
        if is_migrated():
            raise
        return []


def _are_same(before: list[Entry], now: list[Entry]) -> bool:
    """Compared by identity where possible: entries are kept while nothing changed."""
    return len(before) == len(now) and all(
        old is new or (old.parsed is new.parsed and old == new)
        for old, new in zip(before, now, strict=True)
    )


_TWIN = Parsed(
    None,
    (Problem(gettext_noop("Another file has this name but for capitals: rename it.")),),
)
_shelves: dict[tuple[Folder, ...], Shelf] = {}


def shelf() -> Shelf:
    """The process's shelf for the settings in force."""
    folders = (
        Folder(LIBRARY, reviewed=True, layer=Layer.LIBRARY),
        *(folder_of(setting) for setting in settings.LLMHUB_GPT_FOLDERS),
    )
    return _shelves.setdefault(folders, Shelf(folders))


def catalogue() -> Catalogue:
    return shelf().catalogue()


def find(stem: str) -> Entry:
    """The usable gpt of that stem. Raises NoSuchGpt, with the reason if known."""
    found = catalogue()
    entry = found.get(stem)
    if entry is not None:
        return entry
    for aside in found.aside:
        if aside.stem == stem.lower():
            raise NoSuchGpt(aside.why_not_usable)
    raise NoSuchGpt(_("There is no gpt of that name."))

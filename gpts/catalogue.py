"""The catalogue: library, folders, database, read again only where something changed.

Owns the caches. Knows the disk through `files` and the rows through the ORM; which
of several wins is decided in `entries`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from gpts import files
from gpts.document import Parsed
from gpts.entries import Catalogue, Entry, Layer, settle
from gpts.errors import NoSuchGpt
from gpts.models import Gpt
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
    """Parsed gpts of some folders and of the database, by what they were read from.

    `parses` counts readings, so that a changed file can be seen to cost one.
    """

    folders: tuple[Folder, ...]
    parses: int = 0
    _files: dict[str, tuple[files.Stamp | None, Parsed]] = field(default_factory=dict)
    _revisions: dict[int, Parsed] = field(default_factory=dict)
    _settled: tuple[tuple[Any, ...], Catalogue] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def catalogue(self) -> Catalogue:
        """As it is now; the same object as before while nothing changed."""
        with self._lock:
            found = [*self._of_folders(), *self._of_database()]
            # Entries hold cached readings, so that equal keys mean nothing changed.
            key = tuple((e.stem, e.layer, e.reviewer, id(e.parsed)) for e in found)
            if self._settled is None or self._settled[0] != key:
                self._settled = (key, settle(found))
            return self._settled[1]

    def _of_folders(self) -> list[Entry]:
        seen: dict[str, tuple[files.Stamp | None, Parsed]] = {}
        found = [entry for folder in self.folders for entry in self._of(folder, seen)]
        self._files = seen
        return found

    def _of(
        self, folder: Folder, seen: dict[str, tuple[files.Stamp | None, Parsed]]
    ) -> Iterator[Entry]:
        try:
            listed = list(files.gpt_files(folder.path))
        except OSError as error:
            yield self._unreadable(folder, error, seen)
            return
        stems: set[str] = set()
        for item in listed:
            seen[item.path] = self._read(item.path, files.stamp_of(item))
            stem = files.stem_of(item.name)
            parsed = seen[item.path][1] if stem not in stems else _TWIN
            stems.add(stem)
            yield Entry(
                stem, folder.layer, parsed, folder.reviewed, place=str(folder.path)
            )

    def _read(
        self, path: str, stamp: files.Stamp | None
    ) -> tuple[files.Stamp | None, Parsed]:
        known = self._files.get(path)
        if known is not None and known[0] == stamp:
            return known
        self.parses += 1
        return (stamp, files.read_file(path))

    def _unreadable(
        self,
        folder: Folder,
        error: OSError,
        seen: dict[str, tuple[files.Stamp | None, Parsed]],
    ) -> Entry:
        """A folder that cannot be listed is shown like a broken file."""
        path = str(folder.path)
        why = error.strerror or type(error).__name__
        known = self._files.get(path)
        if known is None or known[1].problems[0].values["why"] != why:
            sentence = gettext_noop("This folder of gpts cannot be read: %(why)s.")
            known = (None, Parsed(None, (Problem(sentence, {"why": why}),)))
        seen[path] = known
        return Entry(folder.path.name, folder.layer, known[1], place=path)

    def _of_database(self) -> Iterator[Entry]:
        rows = list(
            Gpt.objects.filter(current__isnull=False).values_list(
                "stem",
                "current_id",
                "current__reviewed_at",
                "current__reviewed_by__username",
            )
        )
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

"""One gpt of the catalogue as a value, and which of several of one stem is used.

Pure. By stem a later one wins and says what it overrides; an unreviewed one never
shadows a reviewed one, is for this machine alone and may declare no command.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gpts.document import Document, Parsed
from gpts.problems import Problem
from gpts.requirements import Requirements


class Layer(StrEnum):
    """Where a gpt comes from; a later layer overrides an earlier one."""

    LIBRARY = "library"
    FOLDER = "folder"
    DATABASE = "database"

    @property
    def words(self) -> str:
        return str(_LAYER_WORDS[self])


_LAYER_WORDS = {
    Layer.LIBRARY: gettext_lazy("shipped with the hub"),
    Layer.FOLDER: gettext_lazy("from a folder of this hub"),
    Layer.DATABASE: gettext_lazy("written in the hub"),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A gpt and its standing. `place` is for curators (a folder's path).

    `overrides` is the layer of the one that it replaces; `yields_to` that of the
    reviewed one which it may not shadow.
    """

    stem: str
    layer: Layer
    parsed: Parsed
    reviewed: bool = False
    reviewer: str = ""
    place: str = ""
    overrides: Layer | None = None
    yields_to: Layer | None = None

    @property
    def document(self) -> Document | None:
        return self.parsed.document

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self.parsed.problems

    @property
    def requires(self) -> Requirements:
        """In force: an unreviewed gpt is for servers of this machine alone."""
        asked = self.document.requires if self.document else Requirements()
        return asked if self.reviewed else asked.on_this_machine()

    @property
    def has_forbidden_command(self) -> bool:
        document = self.document
        return bool(document and document.context.commands and not self.reviewed)

    @property
    def usable(self) -> bool:
        return (
            self.document is not None
            and self.yields_to is None
            and not self.has_forbidden_command
        )

    @property
    def why_not_usable(self) -> str:
        """One line; empty for a usable one."""
        if self.document is None:
            fatal = next((p for p in self.problems if p.fatal), None)
            return fatal.message if fatal else ""
        if self.has_forbidden_command:
            return _("It declares commands and waits for its review.")
        if self.yields_to is not None:
            return _("A reviewed gpt of that name is used instead, %(where)s.") % {
                "where": self.yields_to.words
            }
        return ""

    @property
    def trust(self) -> str:
        """Who stands for it, in words."""
        if not self.reviewed:
            return _("not reviewed: for servers on this machine only")
        if self.reviewer:
            return _("reviewed by %(name)s") % {"name": self.reviewer}
        return _("reviewed, %(where)s") % {"where": self.layer.words}


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every gpt: those in use by stem, in order of name, and those set aside."""

    entries: Mapping[str, Entry]
    aside: tuple[Entry, ...] = ()

    def get(self, stem: str) -> Entry | None:
        return self.entries.get(stem.lower())


def settle(found: Iterable[Entry]) -> Catalogue:
    """Decide among entries given in the order of their layers."""
    used: dict[str, Entry] = {}
    aside: list[Entry] = []
    for entry in found:
        before = used.get(entry.stem)
        if not entry.usable:
            aside.append(entry)
        elif before is None:
            used[entry.stem] = entry
        elif before.reviewed and not entry.reviewed:
            aside.append(replace(entry, yields_to=before.layer))
        else:
            used[entry.stem] = replace(entry, overrides=before.layer)
    ordered = sorted(used.values(), key=_by_name)
    return Catalogue({entry.stem: entry for entry in ordered}, tuple(aside))


def _by_name(entry: Entry) -> tuple[str, str]:
    return (entry.document.name.casefold() if entry.document else "", entry.stem)

"""Keeping what a scan found. The only part of a scan that needs a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection
from django.utils.translation import gettext as _

from servers.adding import Wish, keep_identity
from servers.discovery.search import Sighting
from servers.errors import AddressError, AlreadyKept, ServersError
from servers.retained import kept_servers


@dataclass(frozen=True, slots=True)
class Choice:
    """Which rows of the table to keep; every one, or some by number."""

    every: bool
    numbers: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Outcome:
    """One wish to keep: the handle it has now, or why it was not kept."""

    sighting: Sighting
    handle: str = ""
    problem: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "host": self.sighting.origin.host,
            "port": self.sighting.origin.port,
            "handle": self.handle or None,
            "problem": self.problem or None,
        }


class KeepError(ServersError):
    """Nothing could be kept: no such row, or no usable database."""


def parse_choice(text: str) -> Choice | None:
    """`all` or `1,3`; nothing for an empty text. Raises AddressError."""
    text = text.strip().lower()
    if not text:
        return None
    if text == "all":
        return Choice(every=True)
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        raise AddressError("--keep takes `all`, or numbers of the table: 1,3.")
    return Choice(every=False, numbers=frozenset(int(part) for part in parts))


def handles_to_be(servers: Sequence[Sighting]) -> list[str]:
    """The handle each has, or would have if all new ones were kept in this order."""
    there = _kept_by_place()
    ranks = iter(range(len(there) + 1, len(there) + len(servers) + 1))
    places = [(one.origin.host, one.origin.port) for one in servers]
    return [
        _("kept: %(handle)s") % {"handle": there[place]}
        if place in there
        else f"server-{next(ranks)}"
        for place in places
    ]


def _kept_by_place() -> dict[tuple[str, int], str]:
    """Handles by (host, port); empty where there is no database yet."""
    if _no_database_file():
        return {}
    try:
        return {(k.origin.host, k.origin.port): k.handle for k in kept_servers()}
    except (DatabaseError, ImproperlyConfigured):
        return {}


def _no_database_file() -> bool:
    """SQLite would make the file by looking; a scan writes nothing."""
    if connection.vendor != "sqlite":
        return False
    name = str(connection.settings_dict["NAME"])
    return not name.startswith("file:") and not Path(name).exists()


def keep_found(servers: Sequence[Sighting], choice: Choice) -> list[Outcome]:
    """Keep the chosen ones, in the table's order. Raises KeepError."""
    absent = [n for n in sorted(choice.numbers) if n > len(servers)]
    if absent:
        numbers = ", ".join(str(number) for number in absent)
        raise KeepError(_("There is no row %(numbers)s.") % {"numbers": numbers})
    chosen = [
        one
        for number, one in enumerate(servers, 1)
        if choice.every or number in choice.numbers
    ]
    if chosen and _no_database_file():
        raise KeepError(_("There is no database yet: run `make run` once."))
    try:
        return [_keep(one) for one in chosen]
    except DatabaseError as error:
        words = " ".join(str(error).split())
        refused = _("The database refused: %(words)s")
        raise KeepError(refused % {"words": words}) from error
    except ImproperlyConfigured as error:
        raise KeepError(str(error)) from error


def keep_chosen(
    chosen: Sequence[Sighting], label: str, groups: tuple[Any, ...]
) -> list[Outcome]:
    """Keep these, visible to `groups`; several with one label are told apart."""
    label = label.strip()
    several = len(chosen) > 1 and label
    return [
        _keep(one, f"{label} {number}" if several else label, groups)
        for number, one in enumerate(chosen, 1)
    ]


def _keep(one: Sighting, label: str = "", groups: tuple[Any, ...] = ()) -> Outcome:
    try:
        wish = Wish(one.origin, label=label, groups=groups)
        kept = keep_identity(wish, one.identity)
    except AlreadyKept as error:
        return Outcome(one, problem=str(error))
    return Outcome(one, handle=kept.handle)

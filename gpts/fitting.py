"""Gpts held against the servers in use: what fits, what may, what does not.

The bridge from the catalogue to kept servers: claims come from the cache of readings,
unknown until read. Waits for no server.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from gpts.catalogue import find
from gpts.entries import Entry
from gpts.errors import DoesNotFit
from gpts.matching import Fit, Match, match
from gpts.private import Private, private_of
from gpts.rendering import Absent, Piece, Rendered, render
from servers.cache import Reading, readings
from servers.claims import Claims
from servers.errors import NotKept
from servers.hosting import Hosting
from servers.retained import Kept, get


@dataclass(frozen=True, slots=True)
class Place:
    """A server and model that gpts are held against. `claims` None: never read.

    `server` is the primary key of a kept one, None for any other destination.
    """

    hosting: Hosting
    claims: Claims | None = None
    server: int | None = None

    def match(self, entry: Entry) -> Match:
        return match(entry.requires, self.claims, self.hosting)


def place_of(server: Kept, model: str = "", hosting: Hosting | None = None) -> Place:
    """As last read; `hosting` where it was just classified anew."""
    reading = readings.latest(server)
    claims = reading.claims_of(model_of(server, model, reading)) if reading else None
    return Place(hosting or server.hosting, claims, server.pk)


def model_of(server: Kept, model: str, reading: Reading | None) -> str:
    """The model in use: the one named, the server's usual one, or its only one."""
    if model or server.default_model:
        return model or server.default_model
    announced = reading.identity.models if reading else ()
    return announced[0] if len(announced) == 1 else ""


@dataclass(frozen=True, slots=True)
class Ranked:
    """An entry with its match; `rank` counts from 1 in the order shown."""

    rank: int
    entry: Entry
    match: Match


def ranked(entries: Iterable[Entry], place: Place) -> list[Ranked]:
    """Those that fit first, then unknown, then no; each in the order given."""
    matched = [(entry, place.match(entry)) for entry in entries]
    order = list(Fit)
    matched.sort(key=lambda pair: order.index(pair[1].verdict))
    return [
        Ranked(rank, entry, found) for rank, (entry, found) in enumerate(matched, 1)
    ]


@dataclass(frozen=True, slots=True)
class Use:
    """A gpt about to be used with one server: the entry, this hub's own additions."""

    entry: Entry
    private: Private
    match: Match

    @property
    def unknown(self) -> str:
        """What could not be checked, repeated at the moment of sending; or empty."""
        return self.match.reason if self.match.verdict is Fit.UNKNOWN else ""

    def typed(self, inputs: Mapping[str, str]) -> dict[str, str]:
        """What was typed, with the hub's own defaults where nothing was."""
        document = self.entry.document
        declared = {item.name for item in document.inputs} if document else set()
        defaults = {k: v for k, v in self.private.inputs.items() if k in declared}
        return defaults | {
            name: value
            for name, value in inputs.items()
            if value.strip() or name not in defaults
        }

    def render(
        self,
        inputs: Mapping[str, str],
        context_pieces: Iterable[Piece] = (),
        context_left: Iterable[Absent] = (),
    ) -> Rendered:
        """What it says for these inputs, with the hub's defaults and addition."""
        if self.entry.document is None:
            raise DoesNotFit(self.entry.why_not_usable)
        return render(
            self.entry.document,
            self.typed(inputs),
            private_addition=self.private.addition,
            context_pieces=context_pieces,
            context_left=context_left,
        )


def use(stem: str, place: Place) -> Use:
    """The gpt of that stem for that place.

    Raises NoSuchGpt, and DoesNotFit where its text would travel farther than it may
    or to another server than it is pinned to: what no person can wave through.
    """
    entry = find(stem)
    private = private_of(entry.stem)
    if private.unreadable:
        raise DoesNotFit(_("The private config of this gpt cannot be read."))
    if private.server not in (None, place.server):
        raise DoesNotFit(_why_pinned(private))
    found = place.match(entry)
    if found.verdict is Fit.NO and found.requirement == "hosting":
        raise DoesNotFit(_why_too_far(entry, found))
    return Use(entry, private, found)


def _why_pinned(private: Private) -> str:
    try:
        server = str(get(private.server or 0))
    except NotKept:
        server = _("a server that is not kept any more")
    return _("This gpt is pinned to %(server)s.") % {"server": server}


def _why_too_far(entry: Entry, found: Match) -> str:
    if not entry.reviewed:
        return _("This gpt is not reviewed: it is for servers on this machine only.")
    return _("This gpt %(reason)s.") % {"reason": found.reason}

"""A sighting as a line of the scan page: words for a person, nothing decided here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from servers.discovery.search import Sighting
from servers.family import Kind, State
from servers.identity import Identity, Why
from servers.retained import Kept
from servers.scan_output import where

_MODELS_SHOWN = 2
_WHY_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Row:
    """One server found. `place` is its number in the scan; `kept` its handle or ""."""

    place: int
    name: str
    version: str
    at: str
    note: str
    chip: str
    state: str
    models: str
    more: str
    models_unknown: str
    hosting: str
    why: tuple[Why, ...]
    also: str
    kept: str


def rows_of(
    sightings: Iterable[Sighting], kept: Iterable[Kept], start: int = 0
) -> list[Row]:
    """The servers among `sightings`, numbered by their place from `start` on."""
    handles = {(one.origin.host, one.origin.port): one.handle for one in kept}
    return [
        _row(place, one, handles.get((one.origin.host, one.origin.port), ""))
        for place, one in enumerate(sightings)
        if place >= start and one.is_server
    ]


def _row(place: int, one: Sighting, kept: str) -> Row:
    identity = one.identity
    state, chip = _state(identity)
    models, more = _models(identity.models)
    return Row(
        place=place,
        name=_name(identity),
        version=identity.version or "",
        at=where(one.origin.host, one.origin.port),
        note=one.target.note,
        chip=chip,
        state=state,
        models=models,
        more=more,
        models_unknown="" if models else _why_no_models(identity),
        hosting=identity.hosting.value,
        why=identity.why[:_WHY_SHOWN],
        also=", ".join(identity.also_answers),
        kept=kept,
    )


def _name(identity: Identity) -> str:
    words = {
        Kind.COMPATIBLE: _("OpenAI-compatible"),
        Kind.WANTS_KEY: _("Unknown, wants a key"),
    }
    return identity.name or words.get(identity.kind, identity.family or identity.kind)


def _state(identity: Identity) -> tuple[str, str]:
    """The words of the state, and the chip that shows it."""
    if identity.state is State.AUTH and identity.kind is Kind.CHAT_UI:
        return _("wants a login"), "auth"
    words = {
        State.READY: _("ready"),
        State.LOADING: _("loading"),
        State.AUTH: _("wants a key"),
        State.EMPTY: _("no model yet"),
    }
    if identity.state is None:
        return _("unknown"), "unknown"
    return words[identity.state], identity.state.value


def _models(models: tuple[str, ...]) -> tuple[str, str]:
    left = len(models) - _MODELS_SHOWN
    more = ngettext("and %d more", "and %d more", left) % left if left > 0 else ""
    return ", ".join(models[:_MODELS_SHOWN]), more


def _why_no_models(identity: Identity) -> str:
    if identity.state is State.LOADING:
        return _("not known while it loads")
    if identity.state is State.AUTH:
        return _("not shown without a key")
    return ""

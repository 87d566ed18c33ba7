"""What a server that somebody designated says of its models.

The one place that sends a server's own key (to its exact origin, TLS verified), reads
long bodies, and may send POST /api/show. Any failure leaves a field unknown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from servers.addresses import Origin
from servers.bodies import MISSING
from servers.claims import Claims
from servers.entries import list_claims
from servers.evidence import Evidence
from servers.family import Family
from servers.hosting import Placed
from servers.identity import Identity
from servers.ladder import LISTS, family_of, read_again, unnamed
from servers.manners import HEALTH
from servers.patience import Patience
from servers.recognise import (
    BUDGET_SECONDS,
    COSTLY_HEALTH,
    heard,
    placed_within,
    without_api_root,
)
from servers.shown import shown_path
from servers.wire import Reply, Wire

READING_SECONDS = 3.0
IN_FLIGHT = 16


async def read_server(
    origin: Origin,
    api_key: str = "",
    *,
    budget_seconds: float = BUDGET_SECONDS,
    cgnat_is_lan: bool = False,
) -> tuple[Identity, tuple[Claims, ...]]:
    """Who answers at a designated origin (asked without the key), and its claims."""
    placed = await placed_within(origin.host, budget_seconds, cgnat_is_lan)
    identity, evidence = await heard(origin, placed, budget_seconds)
    if not identity.is_server:
        return identity, ()
    asked = identity.origin or origin
    # A key goes where its owner typed it to, not where a stranger's TLS alert points.
    key = api_key if asked.scheme == origin.scheme else ""
    return await read_claims(asked, key, identity, evidence=evidence, placed=placed)


async def read_claims(
    origin: Origin,
    api_key: str,
    identity: Identity,
    *,
    evidence: Evidence | None = None,
    placed: Placed | None = None,
    seconds: float = READING_SECONDS,
) -> tuple[Identity, tuple[Claims, ...]]:
    """The identity read again with the key, and its models' claims.

    `evidence` of the recognition spares what it answered in full (only without a
    key: with one a server may say more).
    """
    placed = placed or await placed_within(origin.host, seconds, False)
    family = family_of(identity.family) if identity.family else None
    known = _reusable(evidence) if evidence and not api_key else Evidence()
    async with Patience(seconds) as patience:
        wire = Wire(
            without_api_root(origin),
            placed.addresses,
            patience=patience,
            key=api_key,
            designated=True,
            connections=IN_FLIGHT,
        )
        known = await _interviewed(wire, known, family)
    return _concluded(identity, family, known, api_key)


async def _interviewed(wire: Wire, known: Evidence, family: Family | None) -> Evidence:
    async with wire:
        known = await _asked(wire, known, _paths(family), family)
        shown = family.shows(known) if family and family.shows else ()
        return await _described(wire, known, shown)


def _reusable(evidence: Evidence) -> Evidence:
    """Answers that came whole; a list the cap cut is asked again."""
    whole = {path: one for path, one in evidence.answers.items() if not one.cut}
    return Evidence(whole)


def _paths(family: Family | None) -> list[str]:
    if family is None:
        return [LISTS[0].path]
    listed = [listing.path for listing in family.models]
    facts = [fact.path for fact in (*family.loading, *family.auth, *family.empty)]
    version = [read.path for read in family.version[:1]]
    return list(dict.fromkeys([*listed, *family.claim_paths, *facts, *version]))


async def _asked(
    wire: Wire, known: Evidence, paths: Iterable[str], family: Family | None
) -> Evidence:
    health = family is not None and family.slug not in COSTLY_HEALTH
    asked = (
        wire.get(path, health=health and path == HEALTH)
        for path in paths
        if path not in known.answers
    )
    return known.with_reply(*await asyncio.gather(*asked))


async def _described(wire: Wire, known: Evidence, models: Iterable[str]) -> Evidence:
    """POST /api/show of each model, at most IN_FLIGHT at once (the wire sees to it)."""
    names = list(models)
    replies = await asyncio.gather(*(wire.show(name) for name in names))
    pairs = zip(names, replies, strict=True)
    found = [
        replace(reply, path=shown_path(name))
        for name, reply in pairs
        if isinstance(reply, Reply)
    ]
    return known.with_reply(*found)


def _concluded(
    identity: Identity, family: Family | None, known: Evidence, key: str
) -> tuple[Identity, tuple[Claims, ...]]:
    if family is None:
        claims = next((c for c in (list_claims(known, at) for at in LISTS) if c), ())
        read = _nameless(identity, known) if key and claims else identity
        return replace(read, capabilities=claims), claims
    reader = family.read_claims or partial(_listed, family)
    claims = reader(known)
    # Without any reply (down since, or the key's TLS failed) nothing is known anew.
    read = read_again(identity, family, known) if known.answers else identity
    return replace(read, capabilities=claims), claims


def _nameless(identity: Identity, known: Evidence) -> Identity:
    """With its key, a server that wanted one may turn out to have a model list."""
    return replace(
        unnamed(known),
        origin=identity.origin,
        hosting=identity.hosting,
        asked=identity.asked,
    )


def _listed(family: Family, known: Evidence) -> tuple[Claims, ...]:
    for listing in family.models:
        if known.json(listing.path) is not MISSING:
            return list_claims(known, listing)
    return ()

"""Keeping a server by its address: recognise first, then keep what was found.

Owns the road that the admin, `servers add` and `scan --keep` share. Blocking.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from servers import retained
from servers.addresses import Origin
from servers.claims import Claims
from servers.errors import NotAnswering, NotTarget
from servers.hosting import never_a_target_host
from servers.identity import Identity
from servers.reading import read_claims
from servers.recognise import recognise
from servers.retained import Kept

# What a server announces is bounded too.
MOST_SLOTS = 64


@dataclass(frozen=True, slots=True)
class Wish:
    """What a curator asks to keep. `even_if_down` keeps an address that is silent."""

    origin: Origin
    label: str = ""
    api_key: str = ""
    default_model: str = ""
    slots: int | None = None
    groups: tuple[Any, ...] = ()
    even_if_down: bool = False


def look(origin: Origin) -> Identity:
    """Recognise what answers at `origin` now, without a key. Blocking."""
    return asyncio.run(
        recognise(
            origin,
            budget_seconds=settings.LLMHUB_PROBE_SECONDS,
            cgnat_is_lan=settings.LLMHUB_CGNAT_IS_LAN,
        )
    )


def add(wish: Wish) -> Kept:
    """Recognise and keep.

    Raises NotTarget for an address nothing is ever sent to, NotAnswering where
    nothing answers and the wish does not allow that, AlreadyKept.
    """
    refuse_non_targets(wish.origin)
    identity = look(wish.origin)
    if not identity.answered and not wish.even_if_down:
        raise NotAnswering(
            _("Nothing answers there. Say so explicitly to keep it all the same.")
        )
    return keep_identity(wish, identity)


def keep_identity(wish: Wish, identity: Identity) -> Kept:
    """Keep what was recognised already, where it really answered (https, root)."""
    origin = identity.origin if identity.answered and identity.origin else wish.origin
    claims = announced(origin, identity)
    model = wish.default_model or first_to_chat_with(identity, claims)
    return retained.keep(
        origin,
        family=identity.family or "",
        hosting=identity.hosting,
        label=wish.label,
        api_key=wish.api_key,
        default_model=model,
        slots=wish.slots or slots_of(model, claims),
        groups=wish.groups,
    )


def announced(origin: Origin, identity: Identity) -> tuple[Claims, ...]:
    """What it says of its models now that it is designated; asked without a key."""
    if not identity.is_server:
        return ()
    return asyncio.run(read_claims(origin, "", identity))[1]


def first_to_chat_with(identity: Identity, claims: tuple[Claims, ...]) -> str:
    """The first model that does not say it only embeds; the first of all otherwise."""
    useless = {found.model for found in claims if not found.chats}
    useless |= {
        found.model
        for found in claims
        if found.embeddings.value is True and found.chat.value is not True
    }
    chatting = [model for model in identity.models if model not in useless]
    return next(iter([*chatting, *identity.models]), "")


def slots_of(model: str, claims: tuple[Claims, ...]) -> int | None:
    """How many turns it says it answers at once; None where it does not."""
    for found in claims:
        if found.model == model and isinstance(found.slots.value, int):
            return min(max(found.slots.value, 1), MOST_SLOTS)
    return None


def refuse_non_targets(origin: Origin) -> None:
    """Raises NotTarget for metadata, multicast and unspecified addresses."""
    reason = never_a_target_host(origin.host)
    if reason:
        raise NotTarget(reason)

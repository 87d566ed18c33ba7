"""Whether a server is asked for a form of answer, and with which parameters.

At the edge: a typed address is recognised by GET alone; a kept server by its row.
"""

from __future__ import annotations

import asyncio
from typing import Any

from chat.cards.schema import BOARD_ANSWER, params_for, takes_schema
from servers.addresses import parse_url
from servers.errors import AddressError, NotKept
from servers.recognise import recognise
from servers.retained import find


def family_at(url: str, *, seconds: float) -> str | None:
    """The family that answers at a typed address; None where nobody can say."""
    try:
        origin = parse_url(url)
    except AddressError:
        return None
    return asyncio.run(recognise(origin, budget_seconds=seconds)).family


def family_of(handle: str) -> str | None:
    """The family of a kept server."""
    try:
        return find(handle).family
    except NotKept:
        return None


def params_of(family: str | None, schema: dict[str, Any] = BOARD_ANSWER) -> Any:
    return params_for(schema) if takes_schema(family, None) else {}

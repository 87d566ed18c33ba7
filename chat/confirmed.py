"""Third parties a person confirmed by typing their host: once per login session.

The session is stored in clear, so it keeps keyed hashes and never an address.
"""

from __future__ import annotations

from typing import Any

from django.utils.crypto import constant_time_compare, salted_hmac

from gpts.gate import Destination

_SESSION_KEY = "confirmed_destinations"


def is_confirmed(session: Any, destination: Destination) -> bool:
    return _mark(destination) in session.get(_SESSION_KEY, [])


def confirm(session: Any, destination: Destination, typed: str) -> bool:
    """Whether `typed` is the destination's host; remembered if so."""
    said, wanted = typed.strip().lower(), destination.host.lower()
    if not constant_time_compare(said, wanted):
        return False
    if not is_confirmed(session, destination):
        session[_SESSION_KEY] = [*session.get(_SESSION_KEY, []), _mark(destination)]
    return True


def confirmed_keys(session: Any, destination: Destination) -> frozenset[str]:
    """What `chat.transcript.Asking.retyped` wants: the key, if it was typed."""
    found = [destination.key] if is_confirmed(session, destination) else []
    return frozenset(found)


def _mark(destination: Destination) -> str:
    return salted_hmac(
        "chat.confirmed", destination.key, algorithm="sha256"
    ).hexdigest()

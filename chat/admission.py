"""Who may follow a turn: asked when a stream opens, and again while it is open.

Blocking (ORM); called from a thread. A stream outlives the request that opened it,
so it must not outlive the session, the person or the permission.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.http import parse_cookie
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from chat.access import READ, people_who_may
from chat.models import LIVE_STATES, TEMPORARY_FROM, Turn
from chat.temporary import memory


@dataclass(frozen=True, slots=True)
class Admitted:
    """One follower: whose session, which person, which turn and how it stood."""

    session: str
    person: int
    turn: int
    state: str
    last_event: int

    @property
    def live(self) -> bool:
        return self.state in LIVE_STATES


@dataclass(frozen=True, slots=True)
class Denied:
    """`login`: nobody is logged in. Otherwise there is no such turn for them."""

    login: bool = False


def admit(cookie: str, key: int) -> Admitted | Denied:
    """Whether the session in this Cookie header may follow that turn."""
    session_key = parse_cookie(cookie).get(settings.SESSION_COOKIE_NAME, "")
    session = _sessions({session_key}).get(session_key) if session_key else None
    pk = _user_key(session)
    user = people_who_may(READ, [pk]).get(pk)
    if user is None or not _is_theirs(session, user):
        return Denied(login=not _is_logged_in(session, pk))
    found = _standing(user.pk, key)
    return Admitted(session_key, user.pk, key, *found) if found else Denied()


def _is_logged_in(session: dict[str, Any] | None, pk: int) -> bool:
    user = User.objects.filter(pk=pk, is_active=True).first()
    return user is not None and _is_theirs(session, user)


def _user_key(session: dict[str, Any] | None) -> int:
    said = (session or {}).get(SESSION_KEY, "")
    return int(said) if str(said).isdigit() else 0


def _standing(person: int, key: int) -> tuple[str, int] | None:
    """State and last event of a turn, if it is theirs."""
    if key >= TEMPORARY_FROM:
        if _temporary_owner(key) != {key: person}:
            return None
        turn = memory.turn(key)
        return turn.state, turn.last_event
    rows = Turn.objects.filter(pk=key, conversation__owner=person).order_by()
    return rows.values_list("state", "last_event").first()


def still(admitted: Iterable[Admitted]) -> set[Admitted]:
    """Those that would be admitted again, in a few queries however many they are."""
    asked = set(admitted)
    sessions = _sessions({one.session for one in asked})
    people = people_who_may(READ, {one.person for one in asked})
    owners = _owners({one.turn for one in asked})
    return {
        one
        for one in asked
        if owners.get(one.turn) == one.person
        and one.person in people
        and _is_theirs(sessions.get(one.session), people[one.person])
    }


def _sessions(keys: set[str]) -> dict[str, dict[str, Any]]:
    store = SessionStore()
    rows = Session.objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    return {row.session_key: store.decode(row.session_data) for row in rows}


def _owners(keys: set[int]) -> dict[int, int]:
    rows = Turn.objects.filter(pk__in=[key for key in keys if key < TEMPORARY_FROM])
    found = dict(rows.order_by().values_list("pk", "conversation__owner_id"))
    for key in keys:
        if key >= TEMPORARY_FROM:
            found |= _temporary_owner(key)
    return found


def _temporary_owner(key: int) -> dict[int, int]:
    try:
        return {key: memory.turn(key).conversation.owner_id}
    except Turn.DoesNotExist:
        return {}


def _is_theirs(session: dict[str, Any] | None, user: User) -> bool:
    if session is None or session.get(SESSION_KEY) != str(user.pk):
        return False
    known = session.get(HASH_SESSION_KEY, "")
    hashes = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return any(constant_time_compare(known, one) for one in hashes)

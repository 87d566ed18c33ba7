"""A person's conversations as a list: the latest ones, or those with some words.

Reads titles and, in a search, texts; decrypts no more than it must. Knows no page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from chat.models import LIVE_STATES, Conversation, Turn
from chat.temporary import memory
from llmhub.encryption import Unreadable

SHOWN = 60
# A search reads at most so many turns, newest first; the page says so.
SEARCHED_TURNS = 5_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the list. `live`: an answer is on its way."""

    pk: int
    title: str
    updated: datetime
    live: bool = False
    temporary: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Entries under one heading."""

    heading: str
    entries: tuple[Entry, ...]


def recent(user: Any, limit: int = SHOWN) -> list[Entry]:
    """The last used ones; temporary ones first."""
    rows = _rows(user)[:limit]
    return _entries([*memory.conversations(user.pk), *rows], user)


def _rows(user: Any) -> QuerySet[Conversation]:
    """Without the calls of boards, which stand on their board."""
    mine = Conversation.objects.filter(owner=user, board=None)
    return mine.only("title", "updated")


def search(user: Any, words: str, limit: int = SHOWN) -> list[Entry]:
    """Those whose title, questions or answers hold all the words."""
    wanted = words.lower().split()
    rows = _rows(user)
    titled = {row.pk: row for row in rows if _holds(str(row.title or ""), wanted)}
    if len(titled) < limit:
        found = list(_in_turns(user, wanted, set(titled), limit - len(titled)))
        titled |= rows.in_bulk(found)
    latest = sorted(titled.values(), key=lambda row: row.updated, reverse=True)
    return _entries(latest[:limit], user)


def _in_turns(
    user: Any, wanted: list[str], known: set[int], limit: int
) -> Iterator[int]:
    turns = (
        Turn.objects.filter(conversation__owner=user, conversation__board=None)
        .order_by("-pk")
        .values_list("conversation_id", "question", "answer")
    )
    for pk, question, answer in turns[:SEARCHED_TURNS].iterator(chunk_size=200):
        if pk not in known and _holds(f"{question or ''} {answer or ''}", wanted):
            known.add(pk)
            yield pk
            limit -= 1
            if not limit:
                return


def _holds(text: str, wanted: list[str]) -> bool:
    lowered = text.lower()
    return all(word in lowered for word in wanted)


def _entries(rows: Iterable[Conversation], user: Any) -> list[Entry]:
    found = list(rows)
    live = set(
        Turn.objects.filter(conversation__owner=user, state__in=LIVE_STATES)
        .order_by()
        .values_list("conversation_id", flat=True)
    )
    return [
        Entry(
            pk=row.pk,
            title=title_of(row),
            updated=row.updated,
            live=row.pk in live
            or (row.temporary and any(turn.live for turn in memory.turns(row.pk))),
            temporary=row.temporary,
        )
        for row in found
    ]


def title_of(conversation: Conversation) -> str:
    """What it is called; one that no key opens is listed all the same."""
    if isinstance(conversation.title, Unreadable):
        return _("Unreadable: its key is missing")
    return conversation.title or _("New conversation")


def grouped(entries: Iterable[Entry], now: datetime | None = None) -> list[Group]:
    """Today, the last seven days, earlier; empty groups are left out."""
    today = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    week = today - timedelta(days=6)
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.temporary:
            heading = _("Temporary")
        elif entry.updated >= today:
            heading = _("Today")
        else:
            heading = _("This week") if entry.updated >= week else _("Earlier")
        groups.setdefault(heading, []).append(entry)
    return [Group(heading, tuple(found)) for heading, found in groups.items()]

"""The engine of a process that does not own one: another process runs its turns.

Everything goes through rows: a queued row is a submit, a flag is a stop, and what
arrives is read back piece by piece.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from asgiref.sync import sync_to_async
from django.db.models import QuerySet
from django.utils import timezone

from chat.engine import jobs, rows
from chat.engine.base import Batches, Notice, Place
from chat.models import LIVE_STATES, Piece, State, Turn

POLL_SECONDS = 0.25
T = TypeVar("T")


@dataclass(slots=True)
class _Heard:
    """How much of a turn its follower has: characters, and the last number."""

    number: int
    answer: int = 0
    reasoning: int = 0


class Elsewhere:
    def submit(self, key: int) -> None:
        """Its row says queued: the owner of the engine finds it."""

    def cancel(self, key: int) -> None:
        _unfinished(key).filter(state__in=LIVE_STATES).update(stop_requested=True)
        _unfinished(key).filter(state=State.RATE_LIMITED).update(
            state=State.INTERRUPTED, ended=timezone.now()
        )

    def resume(self, key: int) -> None:
        jobs.requeued(key)

    def continue_by_itself(self, key: int, wanted: bool) -> None:
        rows.set_by_itself(key, wanted)

    def recover(self) -> None:
        """The owner of the engine recovers."""

    def place(self, key: int) -> Place | None:
        """By age alone: what the owner knows of fairness is not in rows."""
        turn = rows.turn_by_key(key)
        if turn is None or turn.state != State.QUEUED:
            return None
        others = Turn.objects.filter(server=turn.server, ended=None)
        ahead = others.filter(state=State.QUEUED, created__lt=turn.created).count()
        running = others.filter(state=State.RUNNING).count()
        lanes = (turn.server.slots if turn.server else None) or 1
        return Place(ahead, running, lanes)

    async def follow(self, key: int, after: int = 0) -> Batches:
        heard, place = await _in_thread(_heard_before, key, after), None
        while True:
            batch, over = await _in_thread(_read, key, heard)
            now = await _in_thread(self.place, key)
            if now is not None and now != place:
                place = now
                batch.append(Notice("queue", now.as_json()))
            yield batch
            if over:
                return
            await asyncio.sleep(POLL_SECONDS)


async def _in_thread(call: Callable[..., T], *values: object) -> T:
    return await sync_to_async(call, thread_sensitive=False)(*values)


def _unfinished(key: int) -> QuerySet[Turn]:
    return Turn.objects.filter(pk=key, ended=None)


def _heard_before(key: int, after: int) -> _Heard:
    """What a follower who comes back has had, as far as the pieces are there."""
    heard = _Heard(after)
    for piece in Piece.objects.filter(turn_id=key, number__lte=after):
        answer, reasoning = piece.texts or ("", "")
        heard.answer += len(answer)
        heard.reasoning += len(reasoning)
    return heard


def _read(key: int, heard: _Heard) -> tuple[list[Notice], bool]:
    """What is new since last time, and whether that was all."""
    turn = rows.turn_by_key(key)
    if turn is None:
        return [Notice("end", {"state": "over"})], True
    if turn.live:
        return _pieces(turn, heard), False
    batch = _rest(turn, heard)
    return [*batch, Notice("end", {"state": turn.state})], True


def _pieces(turn: Turn, heard: _Heard) -> list[Notice]:
    notices = []
    for piece in turn.pieces.filter(number__gt=heard.number):
        answer, reasoning = piece.texts or ("", "")
        heard.number = piece.number
        heard.answer += len(answer)
        heard.reasoning += len(reasoning)
        notices += _said(heard.number, answer, reasoning)
    return notices


def _rest(turn: Turn, heard: _Heard) -> list[Notice]:
    """The pieces are gone with the end: the row holds the whole."""
    unknown = heard.number and not heard.answer and not heard.reasoning
    if heard.number >= turn.last_event or unknown:
        return []
    heard.number = turn.last_event
    return _said(
        heard.number,
        str(turn.answer or "")[heard.answer :],
        str(turn.reasoning or "")[heard.reasoning :],
    )


def _said(number: int, answer: str, reasoning: str) -> list[Notice]:
    return [
        Notice(kind, {"number": number, "kind": kind, "text": text}, number)
        for kind, text in (("reasoning", reasoning), ("text", answer))
        if text
    ]

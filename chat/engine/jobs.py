"""Waiting turns as the queue needs them, read without what they say.

Blocking (ORM). What is left from before a restart is sorted out here too.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.utils.translation import gettext as _

from chat.engine.rows import turn_by_key, write
from chat.errors import Busy
from chat.models import TEMPORARY_FROM, State, Turn


@dataclass(frozen=True, slots=True)
class Job:
    """A waiting turn, as the queue needs it. `queue` names the server or session."""

    key: int
    person: int
    queue: str
    order: int
    lanes: int
    last_event: int


def job_of(turn: Turn | None) -> Job | None:
    """None when there is nothing to queue any more."""
    if turn is None or turn.ended is not None:
        return None
    server = turn.server
    return _job(
        key=turn.pk,
        person=turn.conversation.owner_id,
        session=turn.conversation.claude_session,
        server=turn.server_id,
        slots=server.slots if server else None,
        created=turn.created,
        last_event=turn.last_event,
    )


def job_by_key(key: int) -> Job | None:
    """The same, without reading and decrypting what the turn says."""
    if key >= TEMPORARY_FROM:
        return job_of(turn_by_key(key))
    rows = Turn.objects.filter(pk=key, ended=None).order_by()
    found = rows.values_list(
        "conversation__owner_id",
        "conversation__claude_session",
        "server_id",
        "server__slots",
        "created",
        "last_event",
    ).first()
    if found is None:
        return None
    person, session, server, slots, created, last_event = found
    return _job(
        key=key,
        person=person,
        session=session,
        server=server,
        slots=slots,
        created=created,
        last_event=last_event,
    )


def _job(  # noqa: PLR0913  the columns it is made from
    *,
    key: int,
    person: int,
    session: str,
    server: int | None,
    slots: int | None,
    created: datetime,
    last_event: int,
) -> Job:
    return Job(
        key=key,
        person=person,
        queue=f"claude {session}" if session else f"server {server}",
        order=int(created.timestamp() * 1_000_000),
        lanes=1 if session else slots or 1,
        last_event=last_event,
    )


def requeued(key: int) -> Job | None:
    """The person's button on a rate limited turn. Raises Busy if another is asked."""
    turn = turn_by_key(key)
    if turn is None or turn.state != State.RATE_LIMITED or turn.ended:
        return None
    try:
        write(turn, state=State.QUEUED)
    except IntegrityError:
        raise Busy from None
    return job_of(turn)


def served_since(since: datetime) -> dict[str, list[int]]:
    """Per queue, people by when they were last served there, the longest ago first."""
    found = (
        Turn.objects.filter(started__gte=since, server__isnull=False)
        .values("server_id", "conversation__owner_id")
        .annotate(last=Max("started"))
        .order_by("last")
    )
    people: dict[str, list[int]] = {}
    for row in found:
        name = f"server {row['server_id']}"
        people.setdefault(name, []).append(row["conversation__owner_id"])
    return people


def asked_elsewhere(known: set[int]) -> tuple[list[Job], list[int]]:
    """What commands left as rows: turns to queue, and turns to stop."""
    wanted = Q(state=State.QUEUED) | Q(state=State.RUNNING, stop_requested=True)
    rows = Turn.objects.filter(wanted, ended=None).order_by("pk")
    left: list[Job] = []
    stops: list[int] = []
    for pk, state, stop in rows.values_list("pk", "state", "stop_requested"):
        if stop:
            stops.append(pk)
        elif state == State.QUEUED and pk not in known:
            job = job_by_key(pk)
            left += [job] if job else []
    return left, stops


# --- after a restart ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Recovered:
    """Turns to queue again, and those that wait for a reset, with its moment."""

    queued: list[Job]
    limited: list[tuple[Job, datetime]]


def recover(now: datetime) -> Recovered:
    """What ran is interrupted with the text that was kept; what waited, waits."""
    for turn in Turn.objects.filter(state=State.RUNNING):
        _interrupt(turn, now)
    queued = Turn.objects.filter(state=State.QUEUED, ended=None).order_by("pk")
    waits = Turn.objects.filter(
        state=State.RATE_LIMITED,
        ended=None,
        continue_by_itself=True,
        resets_at__isnull=False,
    )
    jobs = [job_by_key(pk) for pk in queued.values_list("pk", flat=True)]
    times = waits.order_by("pk").values_list("pk", "resets_at")
    limited = [(job_by_key(pk), moment) for pk, moment in times]
    return Recovered(
        [job for job in jobs if job],
        [(job, moment) for job, moment in limited if job and moment],
    )


def _interrupt(turn: Turn, now: datetime) -> None:
    with transaction.atomic():
        answer, reasoning, last = joined_pieces(turn)
        write(
            turn,
            state=State.INTERRUPTED,
            answer=answer,
            reasoning=reasoning,
            last_event=last,
            error=_("The hub was stopped while this was being answered."),
            ended=now,
        )
        turn.pieces.all().delete()


def joined_pieces(turn: Turn) -> tuple[str, str, int]:
    """Answer, reasoning and last event number of what a running turn has so far."""
    pieces = [piece for piece in turn.pieces.all() if piece.texts]
    return (
        "".join(piece.texts[0] for piece in pieces),
        "".join(piece.texts[1] for piece in pieces),
        pieces[-1].number if pieces else turn.last_event,
    )

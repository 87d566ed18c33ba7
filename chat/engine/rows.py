"""The engine's side of the rows: claim a turn, keep what arrives, write how it ended.

Blocking (ORM): the engine calls it from threads, never on its loop. Temporary turns
take the same road through memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from chat.access import may_write
from chat.backends.base import Backend, Request
from chat.destinations import placed
from chat.engine.live import Delta
from chat.errors import Busy, ChatError, Fault
from chat.events import ToolCall, Usage
from chat.models import LIVE_STATES, TEMPORARY_FROM, Piece, State, Turn
from chat.temporary import memory
from chat.transcript import asking_of, payload_again
from chat.turn import Ending, Outcome, Timings
from gpts.gate import Cleared, Destination, Refused, clear
from gpts.protected import names
from servers.errors import NotKept
from servers.hosting import Placed
from servers.retained import Kept, get

# Where a turn goes, and who carries it there.
ServerRoad = Callable[[Kept, Placed], Backend]
ClaudeRoad = Callable[[Turn], tuple[Destination, Backend]]


@dataclass(frozen=True, slots=True)
class Roads:
    """How backends are made; `claude` is None where sessions are switched off."""

    server: ServerRoad
    claude: ClaudeRoad | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A waiting turn, as the queue needs it. `queue` names the server or session."""

    key: int
    person: int
    queue: str
    order: int
    lanes: int
    last_event: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """A claimed turn: what to send, by whom, and how long it may take."""

    request: Request
    backend: Backend
    timeout_seconds: float | None


def turn_by_key(key: int) -> Turn | None:
    if key >= TEMPORARY_FROM:
        try:
            return memory.turn(key)
        except Turn.DoesNotExist:
            return None
    return (
        Turn.objects.select_related("conversation__owner", "server")
        .filter(pk=key)
        .first()
    )


# --- queueing ----------------------------------------------------------------------


def job_of(turn: Turn | None) -> Job | None:
    """None when there is nothing to queue any more."""
    if turn is None or turn.ended is not None:
        return None
    session = turn.conversation.claude_session
    server = turn.server
    return Job(
        key=turn.pk,
        person=turn.conversation.owner_id,
        queue=f"claude {session}" if session else f"server {turn.server_id}",
        order=int(turn.created.timestamp() * 1_000_000),
        lanes=(server.slots or 1) if server and not session else 1,
        last_event=turn.last_event,
    )


def requeued(key: int) -> Job | None:
    """The person's button on a rate limited turn. Raises Busy if another is asked."""
    turn = turn_by_key(key)
    if turn is None or turn.state != State.RATE_LIMITED or turn.ended:
        return None
    try:
        _write(turn, state=State.QUEUED)
    except IntegrityError:
        raise Busy from None
    return job_of(turn)


def served_before() -> dict[str, list[int]]:
    """Per queue, people by when they were last served there, the longest ago first."""
    found = (
        Turn.objects.filter(started__isnull=False, server__isnull=False)
        .values("server_id", "conversation__owner_id")
        .annotate(last=Max("started"))
        .order_by("last")
    )
    people: dict[str, list[int]] = {}
    for row in found:
        name = f"server {row['server_id']}"
        people.setdefault(name, []).append(row["conversation__owner_id"])
    return people


# --- starting ----------------------------------------------------------------------


def prepare(key: int, roads: Roads) -> Prepared | Outcome | None:
    """Claim a turn and clear it again for where it would go now.

    None: nothing to do, somebody ended it meanwhile. An Outcome: it may not go.
    """
    turn = turn_by_key(key)
    if turn is None or not _claim(turn):
        return None
    if not may_write(turn.conversation.owner):
        return _refused(_("You may not ask questions any more."))
    try:
        destination, backend = _road(turn, roads)
    except (NotKept, ChatError) as error:
        return _refused(str(error))
    verdict = _clear(turn, destination)
    if isinstance(verdict, Refused):
        return _refused(verdict.reason)
    if turn.answer:
        # A rate limit ended the attempt before; what it said is kept beside.
        _write(turn, earlier=[*turn.earlier, turn.answer], answer="", reasoning="")
    params = asking_of(turn).params
    request = Request(verdict, turn.model_asked, params)
    return Prepared(request, backend, turn.timeout_seconds)


def _claim(turn: Turn) -> bool:
    """One process runs a turn: the row says whether it was this one."""
    values: dict[str, Any] = {"state": State.RUNNING, "started": timezone.now()}
    if turn.pk >= TEMPORARY_FROM:
        return turn.ended is None and _write(turn, **values)
    waiting = (State.QUEUED, State.RATE_LIMITED)
    rows = Turn.objects.filter(pk=turn.pk, state__in=waiting, ended=None)
    return bool(rows.exclude(stop_requested=True).update(**values))


def _road(turn: Turn, roads: Roads) -> tuple[Destination, Backend]:
    if turn.conversation.claude_session:
        if roads.claude is None:
            raise NotKept(_("Claude sessions are switched off here."))
        return roads.claude(turn)
    server = get(turn.server_id or 0, turn.conversation.owner)
    if server.unreadable:
        raise NotKept(_("%(server)s is unreadable here.") % {"server": server})
    destination, found = placed(server)
    return destination, roads.server(server, found)


def _clear(turn: Turn, destination: Destination) -> Cleared | Refused:
    asking = asking_of(turn)
    return clear(
        payload_again(turn),
        destination,
        retyped=destination.key in asking.retyped,
        confirmed=asking.confirmed,
        names=names(),
    )


def _refused(reason: str) -> Outcome:
    return Outcome(Ending.REFUSED, error=reason, fault=Fault.DESTINATION.value)


# --- while it runs -----------------------------------------------------------------


def flush(deltas: Iterable[Delta]) -> None:
    """Keep what arrived for all running turns, in one transaction."""
    pieces = [
        Piece(
            turn_id=delta.key,
            number=delta.number,
            texts=[delta.answer, delta.reasoning],
        )
        for delta in deltas
        if delta.key < TEMPORARY_FROM
    ]
    if not pieces:
        return
    with transaction.atomic():
        # Not of a turn that is over meanwhile, or gone with its conversation.
        wanted = {piece.turn_id for piece in pieces}
        there = set(
            Turn.objects.filter(pk__in=wanted, state=State.RUNNING)
            .order_by()
            .values_list("pk", flat=True)
        )
        Piece.objects.bulk_create([p for p in pieces if p.turn_id in there])


def asked_elsewhere(known: set[int]) -> tuple[list[Job], list[int]]:
    """What commands left as rows: turns to queue, and turns to stop."""
    rows = Turn.objects.filter(state__in=LIVE_STATES, ended=None).order_by("pk")
    jobs, stops = [], []
    for pk, state, stop in rows.values_list("pk", "state", "stop_requested"):
        if stop:
            stops.append(pk)
        elif state == State.QUEUED and pk not in known:
            job = job_of(turn_by_key(pk))
            jobs += [job] if job else []
    return jobs, stops


# --- ending ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ended:
    """How a turn ended. `waits`: a rate limit, and its turn is not over."""

    key: int
    outcome: Outcome
    last_event: int
    waits: bool = False


def finish(ended: Iterable[Ended]) -> None:
    """Write how these turns ended; their pieces have done their duty."""
    with transaction.atomic():
        stored = [one for one in ended if one.key < TEMPORARY_FROM]
        rows = Turn.objects.defer("question", "sent").in_bulk(
            [one.key for one in stored]
        )
        for one in ended:
            turn = rows.get(one.key) or _temporary(one.key)
            if turn is not None:
                _write(turn, **_values(turn, one))
        Piece.objects.filter(turn_id__in=list(rows)).delete()


def _temporary(key: int) -> Turn | None:
    return turn_by_key(key) if key >= TEMPORARY_FROM else None


def _values(turn: Turn, ended: Ended) -> dict[str, Any]:
    outcome, timings = ended.outcome, ended.outcome.timings
    return {
        "state": State(outcome.ending.value),
        "answer": outcome.text,
        "reasoning": outcome.reasoning,
        "error": outcome.error,
        "fault": outcome.fault,
        "resets_at": outcome.resets_at,
        "finish_reason": outcome.finish_reason,
        "model_answered": outcome.model,
        "prompt_tokens": outcome.usage.prompt_tokens,
        "completion_tokens": outcome.usage.completion_tokens,
        "tools": [asdict(tool) for tool in outcome.tools],
        "notes": list(outcome.notes),
        "first_token_s": timings.first_token_s,
        "total_s": timings.total_s,
        "tokens_per_s": timings.tokens_per_s,
        "last_event": ended.last_event,
        "ended": None if ended.waits else timezone.now(),
    }


def outcome_of(turn: Turn) -> Outcome:
    """What a turn came to, read back from its row; of one that is not over, so far."""
    ending = Ending.INTERRUPTED if turn.live else Ending(turn.state)
    return Outcome(
        ending=ending,
        text=str(turn.answer or ""),
        reasoning=str(turn.reasoning or ""),
        error=str(turn.error or ""),
        fault=turn.fault,
        resets_at=turn.resets_at,
        finish_reason=turn.finish_reason,
        model=turn.model_answered,
        usage=Usage(turn.prompt_tokens, turn.completion_tokens),
        tools=tuple(ToolCall(**tool) for tool in turn.tools or ()),
        notes=tuple(turn.notes or ()),
        timings=Timings(turn.first_token_s, turn.total_s, turn.tokens_per_s),
    )


def give_up(key: int) -> None:
    """A person gave up on a turn that nobody runs: queued, or rate limited."""
    turn = turn_by_key(key)
    if turn is None or turn.ended is not None:
        return
    _write(turn, state=State.INTERRUPTED, ended=timezone.now(), resets_at=None)


def set_by_itself(key: int, wanted: bool) -> Turn | None:
    turn = turn_by_key(key)
    if turn is not None:
        _write(turn, continue_by_itself=wanted)
    return turn


def continues_by_itself(key: int) -> bool:
    turn = turn_by_key(key)
    return turn is not None and turn.continue_by_itself


def _write(turn: Turn, **values: Any) -> bool:
    for name, value in values.items():
        setattr(turn, name, value)
    if turn.pk < TEMPORARY_FROM:
        turn.save(update_fields=list(values))
    return True


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
    jobs = [job_of(turn_by_key(pk)) for pk in queued.values_list("pk", flat=True)]
    limited = [(job_of(turn_by_key(t.pk)), t.resets_at) for t in waits.order_by("pk")]
    return Recovered(
        [job for job in jobs if job],
        [(job, moment) for job, moment in limited if job and moment],
    )


def _interrupt(turn: Turn, now: datetime) -> None:
    with transaction.atomic():
        answer, reasoning, last = joined_pieces(turn)
        _write(
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

"""The engine's side of the rows: claim a turn, keep what arrives, write how it ended.

Blocking (ORM): the engine calls it from threads, never on its loop. Temporary turns
take the same road through memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext as _

from chat.access import WRITE, people_who_may
from chat.backends.base import Backend, Request
from chat.backends.surrogates import mended
from chat.destinations import placed
from chat.engine.live import Delta
from chat.errors import ChatError, Fault
from chat.events import ToolCall, Usage
from chat.models import TEMPORARY_FROM, Piece, State, Turn
from chat.temporary import memory
from chat.transcript import asking_of, payload_again
from chat.turn import Ending, Outcome, Timings
from gpts.gate import Cleared, Destination, Refused, clear
from gpts.protected import names
from servers.errors import NotKept
from servers.hosting import Placed
from servers.retained import Kept, get

# `keys` of rows whose turns were written as over, in the thread that writes.
turns_ended = Signal()

# Where a turn goes, and who carries it there.
ServerRoad = Callable[[Kept, Placed], Backend]
ClaudeRoad = Callable[[Turn], tuple[Destination, Backend]]


@dataclass(frozen=True, slots=True)
class Roads:
    """How backends are made; `claude` is None where sessions are switched off."""

    server: ServerRoad
    claude: ClaudeRoad | None = None


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
    rows = Turn.objects.select_related("conversation", "server")
    return rows.filter(pk=key).order_by().first()


# --- starting ----------------------------------------------------------------------


def prepare(key: int, roads: Roads) -> Prepared | Outcome | None:
    """Claim a turn and clear it again for where it would go now.

    None: nothing to do, somebody ended it meanwhile. An Outcome: it may not go.
    """
    turn = turn_by_key(key)
    if turn is None or not _claim(turn):
        return None
    owner = people_who_may(WRITE, [turn.conversation.owner_id])
    if not owner:
        return _refused(_("You may not ask questions any more."))
    turn.conversation.owner = owner[turn.conversation.owner_id]
    try:
        destination, backend = _road(turn, roads)
    except (NotKept, ChatError) as error:
        return _refused(str(error))
    verdict = _clear(turn, destination)
    if isinstance(verdict, Refused):
        return _refused(verdict.reason)
    if turn.error or turn.answer:
        _start_anew(turn)
    params = asking_of(turn).params
    request = Request(verdict, turn.model_asked, params)
    return Prepared(request, backend, turn.timeout_seconds)


def _claim(turn: Turn) -> bool:
    """One process runs a turn: the row says whether it was this one."""
    values: dict[str, Any] = {"state": State.RUNNING, "started": timezone.now()}
    if turn.pk >= TEMPORARY_FROM:
        return turn.ended is None and write(turn, **values)
    waiting = (State.QUEUED, State.RATE_LIMITED)
    rows = Turn.objects.filter(pk=turn.pk, state__in=waiting, ended=None)
    return bool(rows.exclude(stop_requested=True).update(**values))


def _start_anew(turn: Turn) -> None:
    """A rate limit ended the attempt before; what it said is kept beside."""
    earlier = [*turn.earlier, turn.answer] if turn.answer else turn.earlier
    empty = {"answer": "", "reasoning": "", "error": "", "tools": [], "notes": []}
    write(turn, earlier=earlier, **empty)


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
            texts=[mended(delta.answer), mended(delta.reasoning)],
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


# --- ending ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ended:
    """How a turn ended. `waits`: a rate limit, and its turn is not over."""

    key: int
    outcome: Outcome
    last_event: int
    at: datetime
    waits: bool = False


def finish(ended: Iterable[Ended]) -> None:
    """Write how these turns ended; their pieces have done their duty."""
    with transaction.atomic():
        stored = [one for one in ended if one.key < TEMPORARY_FROM]
        rows = Turn.objects.only("pk").in_bulk([one.key for one in stored])
        for one in ended:
            turn = rows.get(one.key) or _temporary(one.key)
            if turn is not None:
                write(turn, **_values(one))
        Piece.objects.filter(turn_id__in=list(rows)).delete()
    # Robust: a fault of who listens is logged and ends nothing here.
    turns_ended.send_robust(sender=None, keys=list(rows))


def _temporary(key: int) -> Turn | None:
    return turn_by_key(key) if key >= TEMPORARY_FROM else None


def _values(ended: Ended) -> dict[str, Any]:
    """What to write. Texts that are empty are so already: encrypting costs."""
    outcome, timings = ended.outcome, ended.outcome.timings
    texts = {
        "answer": mended(outcome.text),
        "reasoning": mended(outcome.reasoning),
        "error": mended(outcome.error),
        "tools": [asdict(tool) for tool in outcome.tools],
        "notes": list(outcome.notes),
    }
    return {
        **{name: value for name, value in texts.items() if value},
        "state": State(outcome.ending.value),
        "fault": outcome.fault,
        "resets_at": outcome.resets_at,
        "finish_reason": outcome.finish_reason,
        "model_answered": outcome.model,
        "prompt_tokens": outcome.usage.prompt_tokens,
        "completion_tokens": outcome.usage.completion_tokens,
        "first_token_s": timings.first_token_s,
        "total_s": timings.total_s,
        "tokens_per_s": timings.tokens_per_s,
        "last_event": ended.last_event,
        "ended": None if ended.waits else ended.at,
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
    write(turn, state=State.INTERRUPTED, ended=timezone.now(), resets_at=None)


def set_by_itself(key: int, wanted: bool) -> Turn | None:
    turn = turn_by_key(key)
    if turn is not None:
        write(turn, continue_by_itself=wanted)
    return turn


def continues_by_itself(key: int) -> bool:
    turn = turn_by_key(key)
    return turn is not None and turn.continue_by_itself


def write(turn: Turn, **values: Any) -> bool:
    for name, value in values.items():
        setattr(turn, name, value)
    if turn.pk < TEMPORARY_FROM:
        turn.save(update_fields=list(values))
    return True

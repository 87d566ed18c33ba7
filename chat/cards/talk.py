"""A round through the engine: a message goes out, its answer becomes proposals.

Every call of a round is a turn like any other, with queue, stop and gate. A round is
settled when its call has ended, or when somebody looks: the turn's row says how the
call ended. Blocking (ORM).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from chat import transcript
from chat.cards import stored
from chat.cards.board import read_board
from chat.cards.code import Seen, look
from chat.cards.gpt_board import STYLE as GPT_STYLE
from chat.cards.gpt_board import gpt_proposals
from chat.cards.models import Decision, KeptBoard, KeptProposal, Round, RoundState
from chat.cards.prompt import (
    MOST_REMARKS,
    STYLE,
    Attempt,
    Code,
    Remark,
    round_payload,
)
from chat.cards.proposals import Proposal
from chat.cards.rounds import Again, Done, after_reply
from chat.cards.schema import BOARD_ANSWER, params_for, takes_schema
from chat.cards.store import touch, value_of
from chat.cards.target import proposals_of
from chat.claude.choosing import destination_of
from chat.claude.sessions import Session
from chat.destinations import announced
from chat.engine.current import engine
from chat.errors import Busy, ChatError
from chat.models import Conversation, State, Turn
from chat.transcript import Asking
from gpts import protected
from gpts.gate import Destination, Payload, Refused
from servers.cache import readings
from servers.retained import Kept, visible_to


class NobodyToAsk(ChatError):
    """The board has no server, or one that this person may not use."""


class _GateRefused(Exception):
    """Carries the gate's word out of a transaction that is rolled back."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.reason)
        self.refused = refused


@dataclass(frozen=True, slots=True)
class Confirmations:
    """What the person confirmed: destinations by key, and findings."""

    retyped: frozenset[str] = frozenset()
    findings: bool = False


@dataclass(frozen=True, slots=True)
class Addressee:
    """Who answers: a kept server, or a Claude session of this machine."""

    destination: Destination
    server: Kept | None = None
    model: str = ""
    claude_session: str = ""

    @property
    def params(self) -> Mapping[str, Any]:
        if self.server is None:
            return {}
        reading = readings.latest(self.server)
        model = self.model or self.server.default_model
        claims = reading.claims_of(model) if reading else None
        known = takes_schema(self.server.family, claims)
        return params_for(BOARD_ANSWER) if known else {}


def addressee_of(user: Any, row: KeptBoard) -> Addressee:
    """Raises NobodyToAsk."""
    if row.claude_session:
        session = Session(session_id=row.claude_session)
        return Addressee(destination_of(session), claude_session=row.claude_session)
    for server in visible_to(user):
        if server.pk == row.server_id and not server.unreadable:
            model = row.model or server.default_model
            return Addressee(announced(server), server, model)
    raise NobodyToAsk(_("Choose a server first."))


def say(
    user: Any, row: KeptBoard, message: str, confirmed: Confirmations
) -> Round | Refused:
    """Send a message about the board. Raises Busy and NobodyToAsk."""
    to = addressee_of(user, row)
    board = value_of(row)
    seen = _seen(row, to, message)
    payload = round_payload(
        board,
        message,
        remarks=remarks_of(row),
        code=seen.code,
        style=GPT_STYLE if row.gpt_stem else STYLE,
    )
    try:
        with transaction.atomic():
            found = Round.objects.create(
                board=row,
                person=user,
                message=message,
                base=board.as_json(),
                asked_of=to.destination.name,
            )
            _call(user, found, payload, to, confirmed, seen)
    except IntegrityError:
        raise Busy from None
    except _GateRefused as error:
        return error.refused
    touch(row.pk)
    engine().submit(found.turn_id or 0)
    return found


def _seen(row: KeptBoard, to: Addressee, message: str) -> Seen:
    """What the model sees of the code: by its own tools, below a root, or nothing."""
    if to.claude_session:
        return Seen(Code(by_tools=True))
    root = str(row.code_root or "")
    if root not in settings.LLMHUB_CONTEXT_ROOTS:
        return Seen()
    return look(root, message, protected.names())


def remarks_of(row: KeptBoard) -> list[Remark]:
    """What was said before, in order: messages and answers of the last rounds."""
    rounds = list(
        row.rounds.filter(state=RoundState.DONE).order_by("-pk")[:MOST_REMARKS]
    )
    said = []
    for one in reversed(rounds):
        said.append(Remark(str(one.message or "")))
        said.append(Remark(str(one.answer or ""), by_model=True))
    return [remark for remark in said if remark.text][-MOST_REMARKS:]


def _call(  # noqa: PLR0913  what one call is made of
    user: Any,
    found: Round,
    payload: Payload,
    to: Addressee,
    confirmed: Confirmations,
    seen: Seen,
) -> None:
    """One call: a turn of its own, without a history. Raises _GateRefused."""
    conversation = Conversation.objects.create(
        owner=user,
        board_id=found.board_id,
        server_id=to.server.pk if to.server else None,
        model=to.model,
        claude_session=to.claude_session,
    )
    system, question = (message.content for message in payload.messages)
    asking = Asking(
        question=question,
        system=system,
        params=to.params,
        retyped=confirmed.retyped,
        confirmed=confirmed.findings,
        also=seen.findings,
    )
    turn = transcript.ask(conversation, asking, to.destination, model=to.model)
    if isinstance(turn, Refused):
        raise _GateRefused(turn)
    found.turn = turn
    found.calls += 1
    found.save(update_fields=["turn", "calls"])


# --- settling ----------------------------------------------------------------------


def running_round(row: KeptBoard) -> Round | None:
    found = row.rounds.filter(state=RoundState.RUNNING).select_related("turn")
    return found.first()


def settle(row: KeptBoard) -> None:
    """Take up what the call under way came to, if it is over."""
    waiting = running_round(row)
    if waiting is None or not _is_over(waiting.turn):
        return
    with transaction.atomic():
        rounds = Round.objects.select_for_update().select_related("board", "person")
        found = rounds.filter(pk=waiting.pk, state=RoundState.RUNNING).first()
        if found is None or found.turn_id != waiting.turn_id:
            return  # somebody else looked at the same moment
        _take_up(found, waiting.turn)
        touch(row.pk)
    if found.state == RoundState.RUNNING:
        engine().submit(found.turn_id or 0)


def settle_ended(keys: list[int], **more: Any) -> None:
    """Take up calls that have just ended, whoever looks: a receiver of
    `turns_ended`, connected by the process that runs turns."""
    rounds = Round.objects.filter(turn_id__in=keys, state=RoundState.RUNNING)
    for row in KeptBoard.objects.filter(pk__in=rounds.values("board_id")):
        settle(row)


def _is_over(turn: Turn | None) -> bool:
    return turn is None or turn.ended is not None


def _take_up(found: Round, turn: Turn | None) -> None:
    if turn is None:
        _fail(found, _("The call is gone."))
    elif turn.state != State.COMPLETED:
        _fail(found, str(turn.error or "") or turn.get_state_display())
    else:
        _read(found, turn)


def _fail(found: Round, error: str) -> None:
    found.state = RoundState.FAILED
    found.error = error
    found.ended = timezone.now()
    found.save(update_fields=["state", "error", "ended"])


def _read(found: Round, turn: Turn) -> None:
    base = read_board(found.base)
    propose = gpt_proposals if found.board.gpt_stem else proposals_of
    before = Attempt(**found.attempt) if found.attempt else None
    result = after_reply(
        str(turn.answer or ""),
        calls=found.calls,
        cut=turn.finish_reason == "length",
        propose=lambda answer: propose(base, answer),
        before=before,
    )
    if isinstance(result, Done):
        _finish(found, result)
    elif isinstance(result, Again):
        _ask_again(found, turn, result.attempt)
    else:
        reason = _("After %(calls)d calls no answer could be read: %(reason)s")
        found.attempt = {"reply": result.reply, "fault": result.reason}
        found.save(update_fields=["attempt"])
        _fail(found, reason % {"calls": found.calls, "reason": result.reason})


def _finish(found: Round, done: Done[Proposal]) -> None:
    found.state = RoundState.DONE
    found.answer = done.text
    found.ignored = list(done.ignored)
    found.attempt = None
    found.ended = timezone.now()
    found.save()
    _drop_replaced(found, done.proposals)
    KeptProposal.objects.bulk_create(
        KeptProposal(round=found, number=number, content=stored.to_json(proposal))
        for number, proposal in enumerate(done.proposals, 1)
    )


def _drop_replaced(found: Round, proposals: tuple[Proposal, ...]) -> None:
    """An open proposal about the same thing is replaced by the new one."""
    paths = {proposal.path for proposal in proposals}
    rows = KeptProposal.objects.filter(
        round__board_id=found.board_id, decision=Decision.OPEN
    )
    replaced = [r.pk for r in rows if stored.from_json(r.content).path in paths]
    KeptProposal.objects.filter(pk__in=replaced).delete()


def _ask_again(found: Round, turn: Turn, attempt: Attempt) -> None:
    """The next call of the same round, as the same person, with the same word."""
    found.attempt = {"reply": attempt.reply, "fault": attempt.fault}
    found.save(update_fields=["attempt"])
    confirmed = Confirmations(
        frozenset([turn.retyped] if turn.retyped else []), turn.findings_confirmed
    )
    try:
        to = addressee_of(found.person, found.board)
        seen = _seen(found.board, to, str(found.message))
        payload = round_payload(
            read_board(found.base),
            str(found.message),
            remarks=remarks_of(found.board),
            code=seen.code,
            attempt=attempt,
            style=GPT_STYLE if found.board.gpt_stem else STYLE,
        )
        with transaction.atomic():
            _call(found.person, found, payload, to, confirmed, seen)
    except NobodyToAsk as error:
        _fail(found, str(error))
    except _GateRefused as error:
        _fail(found, error.refused.reason)

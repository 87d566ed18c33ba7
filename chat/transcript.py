"""What people said and were answered: found by owner, added to, sent as history.

Blocking (ORM); async code calls it from a thread. Temporary conversations take the
same road through memory. Decides nothing about queues or servers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from chat.errors import Busy
from chat.models import LIVE_STATES, TEMPORARY_FROM, Conversation, State, Turn
from chat.temporary import memory
from gpts import protected
from gpts.gate import Destination, Finding, Message, Payload, Refused, clear
from servers.retained import Kept

TITLE_CHARACTERS = 60
# Endings whose text was paid for and goes along with the next question.
_KEPT_WITH_TEXT = {
    State.COMPLETED,
    State.INTERRUPTED,
    State.TIMEOUT,
    State.RATE_LIMITED,
}
_HISTORY_FIELDS = ("number", "state", "question", "answer", "sent")


@dataclass(frozen=True, slots=True)
class Asking:
    """One question as the person sends it.

    `question` is what was typed and is shown; `sent_question` what a gpt made of it
    (None: the same). `retyped` holds the keys of the destinations this person typed
    in this session; `also` are findings outside the messages (see `gate.clear`);
    `originals` is what placeholders in the sent texts stand for.
    `by_itself`: whether a rate limited turn goes on at the reset.
    """

    question: str
    sent_question: str | None = None
    system: str = ""
    gpt_stem: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    timeout_seconds: float | None = None
    retyped: frozenset[str] = frozenset()
    confirmed: bool = False
    also: tuple[Finding, ...] = ()
    originals: Mapping[str, str] = field(default_factory=dict)
    by_itself: bool = True


# --- finding: the owner alone ------------------------------------------------------


def conversations_of(user: Any) -> list[Conversation]:
    """This person's, the last used first, temporary ones at the top."""
    rows = Conversation.objects.filter(owner=user, board=None).select_related("server")
    return [*memory.conversations(user.pk), *rows]


def conversation_of(user: Any, pk: int) -> Conversation:
    """Raises Conversation.DoesNotExist for everybody but the owner."""
    if pk >= TEMPORARY_FROM:
        return memory.conversation(user.pk, pk)
    return Conversation.objects.select_related("server").get(pk=pk, owner=user)


def turn_of(user: Any, pk: int) -> Turn:
    """Raises Turn.DoesNotExist for everybody but the owner of its conversation."""
    if pk < TEMPORARY_FROM:
        rows = Turn.objects.select_related("conversation")
        return rows.get(pk=pk, conversation__owner=user)
    turn = memory.turn(pk)
    if turn.conversation.owner_id != user.pk:
        raise Turn.DoesNotExist
    return turn


def turns_of(
    conversation: Conversation, *, last: int | None = None, before: int | None = None
) -> list[Turn]:
    """Its turns in order: the `last` so many, of those numbered below `before`."""
    if conversation.temporary:
        turns = [
            turn
            for turn in memory.turns(conversation.pk)
            if before is None or turn.number < before
        ]
        return turns[-last:] if last else turns
    rows = conversation.turns.defer("sent").order_by("-number")
    if before is not None:
        rows = rows.filter(number__lt=before)
    return list(rows[:last])[::-1]


def has_turns(conversation: Conversation) -> bool:
    if conversation.temporary:
        return bool(memory.turns(conversation.pk))
    return conversation.turns.exists()


def live_turn(conversation: Conversation) -> Turn | None:
    """The one that waits or is being answered."""
    if conversation.temporary:
        return next((t for t in memory.turns(conversation.pk) if t.live), None)
    return conversation.turns.filter(state__in=LIVE_STATES).first()


# --- conversations -----------------------------------------------------------------


def begin(
    user: Any,
    *,
    server: Kept | None = None,
    model: str = "",
    gpt_stem: str = "",
    claude_session: str = "",
    temporary: bool = False,
) -> Conversation:
    """A new conversation, still without a title."""
    now = timezone.now()
    conversation = Conversation(
        owner=user,
        server_id=server.pk if server else None,
        model=model or (server.default_model if server else ""),
        gpt_stem=gpt_stem,
        claude_session=claude_session,
        created=now,
        updated=now,
    )
    if temporary:
        return memory.add_conversation(conversation)
    conversation.save()
    return conversation


def change(conversation: Conversation, **values: Any) -> None:
    """Set title, server_id, model or gpt_stem. A new server sees the history only
    after it was cleared for it: `ask` does that with every question."""
    for name, value in values.items():
        setattr(conversation, name, value)
    if not conversation.temporary:
        conversation.save(update_fields=list(values))


def delete(conversation: Conversation) -> list[int]:
    """Delete it; returns the keys of its unfinished turns, for the engine to drop."""
    if conversation.temporary:
        dropped = [t.pk for t in memory.turns(conversation.pk) if not t.ended]
        memory.delete(conversation.pk)
        return dropped
    with transaction.atomic():
        rows = conversation.turns.filter(ended=None)
        dropped = list(rows.values_list("pk", flat=True))
        conversation.delete()
    return dropped


def delete_unused_since(moment: datetime) -> int:
    """The retention rule: how many conversations, unused since then, are gone now."""
    old = Conversation.objects.filter(updated__lt=moment).exclude(
        turns__state__in=LIVE_STATES
    )
    pks = list(old.values_list("pk", flat=True)[:500])
    Conversation.objects.filter(pk__in=pks).delete()
    return len(pks)


# --- what is sent ------------------------------------------------------------------


def history(conversation: Conversation, before: int | None = None) -> list[Message]:
    """Earlier questions and answers, as they are sent again.

    A failed or refused turn adds nothing; one that was broken off adds its question
    and partial text, or nothing if no text came. Reasoning is never sent.
    """
    return [
        message
        for turn in _told(conversation, before)
        for message in (
            Message("user", _sent_question(turn)),
            Message("assistant", turn.answer),
        )
    ]


def _told(conversation: Conversation, before: int | None) -> Iterable[Turn]:
    if before == 1:
        return
    if conversation.temporary:
        turns = memory.turns(conversation.pk)
    else:
        turns = list(conversation.turns.only(*_HISTORY_FIELDS, "conversation"))
    for turn in turns:
        earlier = before is None or turn.number < before
        # `answer` is falsy too where no key opens it.
        if earlier and turn.state in _KEPT_WITH_TEXT and turn.answer and turn.question:
            yield turn


def _sent_question(turn: Turn) -> str:
    """What the model read as the question: a gpt may have wrapped the typed one."""
    said = turn.sent.get("question") if turn.sent else None
    return str(turn.question if said is None else said)


def payload_of(
    conversation: Conversation, asking: Asking, before: int | None = None
) -> Payload:
    """The whole of what one question would send, in order."""
    messages = [Message("system", asking.system)] if asking.system.strip() else []
    if not conversation.claude_session:
        messages += history(conversation, before)
    sent = asking.question if asking.sent_question is None else asking.sent_question
    return Payload((*messages, Message("user", sent)))


def payload_again(turn: Turn) -> Payload:
    """The payload of a turn that exists, put together from what was kept of it."""
    return payload_of(turn.conversation, asking_of(turn), before=turn.number)


def asking_of(turn: Turn) -> Asking:
    """What was asked, read back. The confirmations of that day go with it."""
    sent = turn.sent or {}
    return Asking(
        question=turn.question,
        sent_question=sent.get("question"),
        system=sent.get("system", ""),
        gpt_stem=turn.gpt_stem,
        params=sent.get("params", {}),
        timeout_seconds=turn.timeout_seconds,
        retyped=frozenset([turn.retyped] if turn.retyped else []),
        confirmed=turn.findings_confirmed,
        originals=sent.get("originals", {}),
    )


# --- asking ------------------------------------------------------------------------


def ask(
    conversation: Conversation,
    asking: Asking,
    destination: Destination,
    *,
    model: str = "",
) -> Turn | Refused:
    """Clear the whole payload for the destination and keep the turn, queued.

    Raises Busy while another turn of this conversation waits or is answered. Whoever
    calls hands the turn's key to the engine.
    """
    verdict = clear(
        payload_of(conversation, asking),
        destination,
        retyped=destination.key in asking.retyped,
        confirmed=asking.confirmed,
        names=protected.names(),
        also=asking.also,
    )
    if isinstance(verdict, Refused):
        return verdict
    return _add(conversation, _queued(conversation, asking, destination, model))


def _queued(
    conversation: Conversation, asking: Asking, destination: Destination, model: str
) -> Turn:
    sent: dict[str, Any] = {"system": asking.system, "params": dict(asking.params)}
    if asking.sent_question is not None:
        sent["question"] = asking.sent_question
    if asking.originals:
        sent["originals"] = dict(asking.originals)
    return Turn(
        conversation=conversation,
        question=asking.question,
        server_id=conversation.server_id,
        server_name=destination.name,
        model_asked=model or conversation.model,
        gpt_stem=asking.gpt_stem,
        sent=sent,
        retyped=destination.key if destination.key in asking.retyped else "",
        findings_confirmed=asking.confirmed,
        timeout_seconds=asking.timeout_seconds,
        continue_by_itself=asking.by_itself,
        created=timezone.now(),
    )


def _add(conversation: Conversation, turn: Turn) -> Turn:
    news: dict[str, Any] = {"updated": turn.created}
    if not conversation.title:
        news["title"] = title_from(turn.question)
    if conversation.temporary:
        _give_up_waiting(memory.turns(conversation.pk))
        if not memory.add_turn(turn):
            raise Busy
    else:
        _insert(conversation, turn)
    change(conversation, **news)
    return turn


def _insert(conversation: Conversation, turn: Turn) -> None:
    try:
        with transaction.atomic():
            last = conversation.turns.aggregate(last=Max("number"))["last"]
            if last:
                waits = conversation.turns.filter(state=State.RATE_LIMITED, ended=None)
                waits.update(ended=timezone.now())
            turn.number = (last or 0) + 1
            turn.save(force_insert=True)
    except IntegrityError:
        raise Busy from None


def _give_up_waiting(turns: Iterable[Turn]) -> None:
    """Asking anew is giving up on a turn that waits for its rate limit."""
    for turn in turns:
        if turn.state == State.RATE_LIMITED and not turn.ended:
            turn.ended = timezone.now()


def title_from(question: str) -> str:
    """The first words of the first message; never a model's."""
    words = " ".join(question.split())
    if len(words) <= TITLE_CHARACTERS:
        return words
    return words[:TITLE_CHARACTERS].rsplit(" ", 1)[0].rstrip(".,;:!?") + "…"

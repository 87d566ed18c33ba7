"""A round: up to three calls of a model until one answer can be read. Pure.

Decides after each reply what comes next; who calls, and over which road, is not known
here: the command drains a backend, the page goes through the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from chat.cards.answer import Answer, Unreadable, read_answer
from chat.cards.board import BoardError
from chat.cards.prompt import Attempt

MOST_CALLS = 3
Proposed = TypeVar("Proposed")


@dataclass(frozen=True, slots=True)
class Done(Generic[Proposed]):
    """An answer, and what it proposes. `ignored` are fields that no card has."""

    text: str
    proposals: tuple[Proposed, ...]
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Again:
    """Ask once more, showing this attempt."""

    attempt: Attempt


@dataclass(frozen=True, slots=True)
class GivenUp:
    """No answer could be read; why, and the last reply as it came."""

    reason: str
    reply: str


def after_reply(
    reply: str,
    *,
    calls: int,
    cut: bool,
    propose: Callable[[Answer], tuple[Proposed, ...]],
    before: Attempt | None = None,
) -> Done[Proposed] | Again | GivenUp:
    """What a reply leads to. `calls` counts those made, this one included; `cut` says
    that the token limit ended it; `before` is the attempt it was shown.

    Prose without any JSON is asked about once more; then it is the answer.
    """
    answer = read_answer(reply)
    if isinstance(answer, Unreadable):
        if answer.prose and not cut and (calls >= MOST_CALLS or _was_prose(before)):
            return Done(reply.strip(), ())
        return _next(reply, _fault(answer.reason, cut), calls)
    try:
        return Done(answer.text, propose(answer), answer.ignored)
    except BoardError as error:
        return _next(reply, str(error), calls)


def _was_prose(before: Attempt | None) -> bool:
    if before is None:
        return False
    answer = read_answer(before.reply)
    return isinstance(answer, Unreadable) and answer.prose


def _fault(reason: str, cut: bool) -> str:
    if cut:
        return "It was cut at the token limit: send fewer cards, or shorter ones."
    return reason


def _next(reply: str, fault: str, calls: int) -> Again | GivenUp:
    if calls >= MOST_CALLS:
        return GivenUp(fault, reply)
    return Again(Attempt(reply, fault))

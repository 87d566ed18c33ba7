"""A round, call by call, over whatever road the caller has. For the command line.

Owns how many calls one round makes and what each of them sends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chat.cards.board import Board
from chat.cards.prompt import Attempt, Code, round_payload
from chat.cards.proposals import Proposal
from chat.cards.rounds import Done, GivenUp, after_reply
from chat.cards.target import proposals_of
from chat.turn import Ending, Outcome
from gpts.gate import Payload

# Sends one payload and gives back what came of it; the gate is the road's.
Call = Callable[[Payload], Outcome]


@dataclass(frozen=True, slots=True)
class RoundResult:
    """What a round came to: an answer, or why none; `failed` is a call without one."""

    calls: int
    done: Done[Proposal] | None = None
    given_up: GivenUp | None = None
    failed: Outcome | None = None


def ask_round(
    board: Board, message: str, call: Call, *, code: Code | None = None
) -> RoundResult:
    """Up to three calls; one that failed, or was stopped, ends the round."""
    attempt: Attempt | None = None
    calls = 0
    while True:
        payload = round_payload(board, message, code=code, attempt=attempt)
        outcome = call(payload)
        calls += 1
        if outcome.ending is not Ending.COMPLETED:
            return RoundResult(calls, failed=outcome)
        found = after_reply(
            outcome.text,
            calls=calls,
            cut=outcome.finish_reason == "length",
            propose=lambda answer: proposals_of(board, answer),
            before=attempt,
        )
        if isinstance(found, Done):
            return RoundResult(calls, done=found)
        if isinstance(found, GivenUp):
            return RoundResult(calls, given_up=found)
        attempt = found.attempt

"""What a target state changes, piece by piece, as values. Pure.

A proposal is the smallest thing a person decides about: one field, one removed line,
one function, one new card. `target.py` makes them, `decide.py` applies them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from chat.cards.board import Card, Function, card_json, function_json


class Change(StrEnum):
    """What kind of change a proposal is."""

    TEXT = "text"  # a field gets another text
    LINES = "lines"  # lines are added, reworded or moved; none is only removed
    ORDER = "order"  # the same lines, or functions, in another order
    REMOVED_LINE = "removed-line"
    NEW_FUNCTION = "new-function"
    REMOVED_FUNCTION = "removed-function"
    NEW_CARD = "new-card"


@dataclass(frozen=True, slots=True)
class Proposal:
    """One change of one card.

    `card` is the card's id (for a new card, the id it would get), `function` the
    title that the function has now, empty for the card itself. `field` is title,
    kind, goal, rules, tests or functions, and `card` or `function` for a whole one.
    `original` and `proposed` are text, tuples of lines, a Function or a Card; None is
    nothing. `lines_removed` are lines of the same field with proposals of their own.
    `renamed` is the title that another proposal gives to this function. `near` says
    where a thing goes: of a new function those before it, nearest first; of an order
    the whole order, new functions included; of a new card the new ones behind it.
    """

    change: Change
    card: str
    field: str
    original: Any
    proposed: Any
    function: str = ""
    reason: str = ""
    lines_removed: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    renamed: str = ""

    @property
    def path(self) -> tuple[str, str, str, str]:
        """What it is about; a removed line is one of several of its field."""
        line = self.original if self.change is Change.REMOVED_LINE else ""
        return (self.card, self.function, self.field, line)

    def as_json(self) -> dict[str, Any]:
        """The six keys of the command's JSON."""
        return {
            "card": self.card,
            "function": self.function or None,
            "field": self.field,
            "original": value_json(self.original),
            "proposed": value_json(self.proposed),
            "reason": self.reason,
        }


def value_json(value: Any) -> Any:
    """A value of a proposal as JSON values."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Card):
        return card_json(value, with_state=False)
    if isinstance(value, Function):
        return function_json(value, with_state=False)
    return value

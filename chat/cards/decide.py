"""Applying what a person accepted to the board as it is now. Pure.

The order of decisions does not matter: each change is applied by what it is about and
not by position. A proposal whose original has changed meanwhile is stale.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from chat.cards.board import VISION, Board, Card, Function, Kind, State, free_id, key_of
from chat.cards.lines import without
from chat.cards.proposals import Change, Proposal
from chat.errors import ChatError


class Stale(ChatError):
    """What a proposal was about has changed meanwhile; says what."""


def apply(board: Board, proposal: Proposal, accepted: Iterable[Proposal] = ()) -> Board:
    """The board with this change. `accepted` are the proposals of the same answer
    that were accepted before. Raises Stale."""
    if proposal.change is Change.NEW_CARD:
        return _add_card(board, proposal)
    card = board.card(proposal.card)
    if card is None and proposal.card == VISION:
        card = board.vision_card
    if card is None:
        raise Stale(_("The card is not there any more."))
    siblings = [one for one in (*accepted, proposal) if one.card == proposal.card]
    changed = _CHANGES[proposal.change](card, proposal)
    return board.with_card(_in_order(changed, siblings))


def is_stale(
    board: Board, proposal: Proposal, accepted: Iterable[Proposal] = ()
) -> str:
    """Why it no longer fits, or nothing."""
    try:
        apply(board, proposal, accepted)
    except Stale as error:
        return str(error)
    return ""


def _add_card(board: Board, proposal: Proposal) -> Board:
    card: Card = proposal.proposed
    if any(key_of(one.title) == key_of(card.title) for one in board.cards):
        raise Stale(_("A card with this title is there by now."))
    if board.card(card.id):
        card = replace(card, id=free_id(one.id for one in board.cards))
    card = replace(card, functions=tuple(map(_ordered, card.functions)))
    behind = [at for at, one in enumerate(board.cards) if one.id in proposal.near]
    at = behind[0] if behind else len(board.cards)
    return replace(board, cards=(*board.cards[:at], card, *board.cards[at:]))


def _ordered(function: Function) -> Function:
    """What a conversation invents is ordered."""
    return replace(function, state=State.ORDERED)


# --- one change of a card ----------------------------------------------------------


def _text(card: Card, proposal: Proposal) -> Card:
    def changed(value: Any) -> Any:
        if str(value) != proposal.original:
            raise Stale(_("It was changed meanwhile."))
        return (
            Kind(proposal.proposed) if proposal.field == "kind" else proposal.proposed
        )

    if proposal.field == "title" and proposal.function:
        _refuse_taken(card, proposal.proposed, but=proposal.function)
    return _with_field(card, proposal, changed)


def _lines(card: Card, proposal: Proposal) -> Card:
    """The field has the original, less what other proposals took out of it."""

    def changed(value: tuple[str, ...]) -> tuple[str, ...]:
        gone = Counter(proposal.original) - Counter(value)
        may_go = not gone - Counter(proposal.lines_removed)
        if not may_go or without(proposal.original, gone) != value:
            raise Stale(_("These lines were changed meanwhile."))
        return without(proposal.proposed, gone)

    return _with_field(card, proposal, changed)


def _remove_line(card: Card, proposal: Proposal) -> Card:
    def changed(value: tuple[str, ...]) -> tuple[str, ...]:
        if proposal.original not in value:
            raise Stale(_("This line is not there any more."))
        return without(value, Counter([proposal.original]))

    return _with_field(card, proposal, changed)


def _order(card: Card, proposal: Proposal) -> Card:
    if proposal.field != "functions":
        return _lines(card, proposal)
    if len(card.functions) < 2:
        raise Stale(_("There is nothing left to order."))
    return card  # `_in_order` does it, now and after every later change


def _add_function(card: Card, proposal: Proposal) -> Card:
    function = _ordered(proposal.proposed)
    _refuse_taken(card, function.title)
    titles = [key_of(one.title) for one in card.functions]
    at = 0
    for before in proposal.near:
        if key_of(before) in titles:
            at = titles.index(key_of(before)) + 1
            break
    functions = (*card.functions[:at], function, *card.functions[at:])
    return replace(card, functions=functions)


def _remove_function(card: Card, proposal: Proposal) -> Card:
    found = _find(card, proposal)
    if replace(found, state=State.ORDERED) != _ordered(proposal.original):
        raise Stale(_("The function was changed meanwhile."))
    kept = tuple(one for one in card.functions if one is not found)
    return replace(card, functions=kept)


_CHANGES: dict[Change, Callable[[Card, Proposal], Card]] = {
    Change.TEXT: _text,
    Change.LINES: _lines,
    Change.ORDER: _order,
    Change.REMOVED_LINE: _remove_line,
    Change.NEW_FUNCTION: _add_function,
    Change.REMOVED_FUNCTION: _remove_function,
}


# --- finding the place -------------------------------------------------------------


def _with_field(card: Card, proposal: Proposal, changed: Callable[[Any], Any]) -> Card:
    name = proposal.field
    if not proposal.function:
        return replace(card, **{name: changed(getattr(card, name))})
    found = _find(card, proposal)
    new = replace(found, **{name: changed(getattr(found, name))})
    functions = tuple(new if one is found else one for one in card.functions)
    return replace(card, functions=functions)


def _find(card: Card, proposal: Proposal) -> Function:
    """The function by the title it had, or by the one it got meanwhile."""
    for title in (proposal.function, proposal.renamed):
        for function in card.functions:
            if title and key_of(function.title) == key_of(title):
                return function
    raise Stale(_("The function is not there any more."))


def _refuse_taken(card: Card, title: str, but: str = "") -> None:
    for function in card.functions:
        if key_of(function.title) == key_of(title) != key_of(but):
            raise Stale(_("A function with this title is there by now."))


def _in_order(card: Card, siblings: list[Proposal]) -> Card:
    """Functions in the accepted order, if one was accepted; strangers stay behind
    what they stood behind."""
    orders = [one for one in siblings if one.near and one.change is Change.ORDER]
    if not orders:
        return card
    rank = {key_of(title): at for at, title in enumerate(orders[-1].near)}
    ranked: list[tuple[int, Function]] = []
    last = -1
    for function in card.functions:
        last = rank.get(key_of(function.title), last)
        ranked.append((last, function))
    ordered = sorted(ranked, key=lambda row: row[0])
    return replace(card, functions=tuple(function for _, function in ordered))

"""A proposal as the JSON its row keeps, and back. Pure."""

from __future__ import annotations

from typing import Any

from chat.cards.board import (
    Card,
    Function,
    card_json,
    function_json,
    read_card,
    read_function,
)
from chat.cards.proposals import Change, Proposal


def to_json(proposal: Proposal) -> dict[str, Any]:
    return {
        "change": proposal.change.value,
        "card": proposal.card,
        "field": proposal.field,
        "original": _value(proposal.original),
        "proposed": _value(proposal.proposed),
        "function": proposal.function,
        "reason": proposal.reason,
        "lines_removed": list(proposal.lines_removed),
        "near": list(proposal.near),
        "renamed": proposal.renamed,
    }


def from_json(document: dict[str, Any]) -> Proposal:
    whole = document["field"]
    return Proposal(
        change=Change(document["change"]),
        card=document["card"],
        field=whole,
        original=_read(document["original"], whole),
        proposed=_read(document["proposed"], whole),
        function=document["function"],
        reason=document["reason"],
        lines_removed=tuple(document["lines_removed"]),
        near=tuple(document["near"]),
        renamed=document["renamed"],
    )


def _value(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Card):
        return card_json(value)
    if isinstance(value, Function):
        return function_json(value)
    return value


def _read(value: Any, field: str) -> Any:
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        read = read_card if field == "card" else read_function
        return read(value, field)
    return value

"""A board as values: a vision, and cards with their functions. Pure.

Parsing happens here, once: rules and tests may come as a list or as lines, an unknown
kind is core, and what is missing is empty. `state` is a person's word alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from chat.errors import ChatError

MOST_CARDS = 500
MOST_FUNCTIONS = 100
MOST_LINES = 200
MOST_CHARACTERS = 20_000  # of one text
ID_CHARACTERS = 64
# The id under which title and vision of the board are a card, where one is needed.
VISION = "vision"


class BoardError(ChatError):
    """A board that cannot be read; says where and why."""


class Kind(StrEnum):
    """Whether the product can run without it."""

    CORE = "core"
    OPTIONAL = "optional"


class State(StrEnum):
    """Of a function: what a conversation invents is ordered, a person says built."""

    ORDERED = "ordered"
    BUILT = "built"


@dataclass(frozen=True, slots=True)
class Function:
    """What the product does for somebody; `tests` are the steps that check it."""

    title: str
    goal: str = ""
    rules: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    state: State = State.ORDERED


@dataclass(frozen=True, slots=True)
class Card:
    id: str
    title: str
    kind: Kind = Kind.CORE
    goal: str = ""
    rules: tuple[str, ...] = ()
    functions: tuple[Function, ...] = ()


@dataclass(frozen=True, slots=True)
class Board:
    """`title` and `vision` are the vision card; ids of cards are unique."""

    title: str = ""
    vision: str = ""
    cards: tuple[Card, ...] = ()

    def card(self, card_id: str) -> Card | None:
        return next((card for card in self.cards if card.id == card_id), None)

    @property
    def vision_card(self) -> Card:
        """Title and vision as a card, unless a card of that id stands on the board."""
        return Card(VISION, self.title, goal=self.vision)

    def with_card(self, changed: Card) -> Board:
        """The board with this card in place of the one with its id."""
        if changed.id == VISION and self.card(VISION) is None:
            return replace(self, title=changed.title, vision=changed.goal)
        cards = (changed if card.id == changed.id else card for card in self.cards)
        return replace(self, cards=tuple(cards))

    def as_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "vision": self.vision,
            "cards": [card_json(card) for card in self.cards],
        }


def key_of(title: str) -> str:
    """What makes two titles the same: trimmed, spaces folded, without case."""
    return " ".join(unicodedata.normalize("NFC", title).split()).casefold()


def card_json(card: Card, *, with_state: bool = True) -> dict[str, Any]:
    """A card as the JSON that is exported; without states, as a model sees it."""
    return {
        "id": card.id,
        "title": card.title,
        "kind": card.kind.value,
        "goal": card.goal,
        "rules": list(card.rules),
        "functions": [function_json(f, with_state=with_state) for f in card.functions],
    }


def function_json(function: Function, *, with_state: bool = True) -> dict[str, Any]:
    found: dict[str, Any] = {
        "title": function.title,
        "goal": function.goal,
        "rules": list(function.rules),
        "tests": list(function.tests),
    }
    if with_state:
        found["state"] = function.state.value
    return found


# --- reading -----------------------------------------------------------------------


def read_board(document: Any) -> Board:
    """A board from JSON values. Raises BoardError with the place."""
    if not isinstance(document, Mapping):
        raise BoardError("A board is a JSON object with title, vision and cards.")
    rows = document.get("cards")
    rows = [] if rows is None else rows
    if not isinstance(rows, list):
        raise BoardError("cards: a list is needed.")
    if len(rows) > MOST_CARDS:
        raise BoardError(f"cards: at most {MOST_CARDS}.")
    cards = [read_card(row, f"cards[{at}]") for at, row in enumerate(rows)]
    return Board(
        title=read_line(document.get("title"), "title"),
        vision=read_text(document.get("vision"), "vision"),
        cards=with_ids(cards),
    )


def with_ids(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Cards without an id get the next free one; the same id twice is refused."""
    cards = list(cards)
    taken = [card.id for card in cards if card.id]
    twice = sorted({one for one in taken if taken.count(one) > 1})
    if twice:
        raise BoardError(f"The id {twice[0]!r} stands on more than one card.")
    used = set(taken)
    found = []
    for card in cards:
        if not card.id:
            card = replace(card, id=free_id(used))
            used.add(card.id)
        found.append(card)
    return tuple(found)


def free_id(used: Iterable[str]) -> str:
    """`c1`, `c2` ...: the first that no card has."""
    taken = set(used)
    number = 1
    while f"c{number}" in taken:
        number += 1
    return f"c{number}"


def read_card(row: Any, where: str) -> Card:
    if not isinstance(row, Mapping):
        raise BoardError(f"{where}: an object is needed.")
    title = read_line(row.get("title"), f"{where}.title")
    if not title:
        raise BoardError(f"{where}: a title is needed.")
    functions = row.get("functions") or []
    if not isinstance(functions, list) or len(functions) > MOST_FUNCTIONS:
        raise BoardError(f"{where}.functions: a list of at most {MOST_FUNCTIONS}.")
    read = [
        read_function(item, f"{where}.functions[{at}]")
        for at, item in enumerate(functions)
    ]
    refuse_twice(read, f"{where}.functions")
    return Card(
        id=read_id(row.get("id"), f"{where}.id"),
        title=title,
        kind=read_kind(row.get("kind")),
        goal=read_text(row.get("goal"), f"{where}.goal"),
        rules=read_lines(row.get("rules"), f"{where}.rules"),
        functions=tuple(read),
    )


def refuse_twice(functions: Iterable[Function], where: str) -> None:
    """Functions of a card are told apart by their titles."""
    seen: set[str] = set()
    for function in functions:
        key = key_of(function.title)
        if key in seen:
            raise BoardError(f"{where}: {function.title!r} stands there twice.")
        seen.add(key)


def read_function(row: Any, where: str) -> Function:
    if isinstance(row, str):
        row = {"title": row}
    if not isinstance(row, Mapping):
        raise BoardError(f"{where}: an object is needed.")
    title = read_line(row.get("title"), f"{where}.title")
    if not title:
        raise BoardError(f"{where}: a title is needed.")
    return Function(
        title=title,
        goal=read_text(row.get("goal"), f"{where}.goal"),
        rules=read_lines(row.get("rules"), f"{where}.rules"),
        tests=read_lines(row.get("tests"), f"{where}.tests"),
        state=read_state(row.get("state")),
    )


def read_kind(value: Any) -> Kind:
    """An unknown kind is core."""
    text = value.strip().casefold() if isinstance(value, str) else ""
    return Kind.OPTIONAL if text == Kind.OPTIONAL else Kind.CORE


def read_state(value: Any) -> State:
    text = value.strip().casefold() if isinstance(value, str) else ""
    return State.BUILT if text == State.BUILT else State.ORDERED


def read_id(value: Any, where: str) -> str:
    """An id as one word; a whole number is read as its digits."""
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise BoardError(f"{where}: text is needed.")
    return re.sub(r"[^\w.:-]+", "-", value.strip())[:ID_CHARACTERS]


def read_text(value: Any, where: str) -> str:
    """Text of several lines, trimmed; a list of lines is joined."""
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "\n".join(value)
    if not isinstance(value, str):
        raise BoardError(f"{where}: text is needed.")
    text = value.replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(text) > MOST_CHARACTERS:
        raise BoardError(f"{where}: at most {MOST_CHARACTERS} characters.")
    return text


def read_line(value: Any, where: str) -> str:
    """Text on one line."""
    lines = (line.strip() for line in read_text(value, where).split("\n"))
    return " ".join(line for line in lines if line)


def read_lines(value: Any, where: str) -> tuple[str, ...]:
    """Lines, from a list or from text; empty ones are none.

    In a text each line may carry a bullet; in a list it is part of the line.
    """
    if value is None:
        return ()
    if isinstance(value, str):
        rows = _without_bullets(read_text(value, where).split("\n"))
    elif isinstance(value, list) and all(isinstance(item, str) for item in value):
        rows = [line for item in value for line in read_text(item, where).split("\n")]
    else:
        raise BoardError(f"{where}: a list of lines is needed.")
    lines = tuple(line.strip() for line in rows if line.strip())
    if len(lines) > MOST_LINES:
        raise BoardError(f"{where}: at most {MOST_LINES} lines.")
    return lines


def _without_bullets(rows: list[str]) -> list[str]:
    """One bullet off each line, where every line has one."""
    bullet = re.compile(r"\s*[-*•]\s+|\s*[-*•]$")
    filled = [row for row in rows if row.strip()]
    if filled and all(bullet.match(row) for row in filled):
        return [bullet.sub("", row, count=1) for row in filled]
    return rows

"""A board as Markdown files, one for each card, and back without loss. Pure.

The first line is `<!-- card: ID -->`; every field follows its own comment marker;
functions are parted by a line of 40 dashes. The vision is the card of kind `vision`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from chat.cards.board import (
    VISION,
    Board,
    BoardError,
    Card,
    Function,
    key_of,
    read_card,
    read_function,
    read_id,
    read_line,
    read_text,
    refuse_twice,
    with_ids,
)

RULE = "-" * 40
_CARD = re.compile(r"<!--\s*card:\s*(.*?)\s*-->\s*")
_MARKER = re.compile(r"<!--\s*(title|kind|goal|rules|state|tests)\s*-->\s*", re.I)
# A line of text that would read as one of ours is written behind a backslash.
_OURS = re.compile(
    r"\\*(?:<!--\s*(?:card:.*|title|kind|goal|rules|state|tests)\s*-->\s*|-{40}\s*)",
    re.I,
)
_LISTS = ("rules", "tests")


def export_cards(board: Board) -> dict[str, str]:
    """File name to text; sorted by name they are in the board's order."""
    width = len(str(len(board.cards)))
    files = {f"{'0' * width}-vision.md": export_vision(board)}
    for number, card in enumerate(board.cards, 1):
        name = re.sub(r"[^\w.-]+", "-", card.id)
        files[f"{number:0{width}}-{name}.md"] = export_card(card)
    return files


def export_vision(board: Board) -> str:
    head = _fields({"title": board.title, "kind": VISION, "goal": board.vision})
    return f"<!-- card: {VISION} -->\n{head}"


def export_card(card: Card) -> str:
    head = _fields(
        {
            "title": card.title,
            "kind": card.kind.value,
            "goal": card.goal,
            "rules": _bulleted(card.rules),
        }
    )
    parts = [f"<!-- card: {card.id} -->\n{head}", *map(_function, card.functions)]
    return f"{RULE}\n".join(parts)


def mark_of(card: Card) -> str:
    """A short mark of a card's whole content: another content, another mark."""
    return hashlib.sha256(export_card(card).encode("utf-8", "replace")).hexdigest()[:16]


def _function(function: Function) -> str:
    return _fields(
        {
            "title": function.title,
            "state": function.state.value,
            "goal": function.goal,
            "rules": _bulleted(function.rules),
            "tests": _bulleted(function.tests),
        }
    )


def _fields(texts: Mapping[str, str]) -> str:
    return "".join(
        f"<!-- {name} -->\n{_escaped(text)}\n" if text else f"<!-- {name} -->\n"
        for name, text in texts.items()
    )


def _bulleted(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _escaped(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(f"\\{line}" if _OURS.fullmatch(line) else line for line in lines)


# --- reading -----------------------------------------------------------------------


def import_cards(files: Mapping[str, str]) -> Board:
    """The board of a folder of cards. Raises BoardError with the file's name."""
    board = Board()
    cards = []
    for name in sorted(files):
        try:
            card, is_vision = import_card(files[name])
        except BoardError as error:
            raise BoardError(f"{name}: {error}") from None
        if is_vision:
            board = replace(board, title=card.title, vision=card.goal)
        else:
            cards.append(card)
    return replace(board, cards=with_ids(cards))


def import_card(text: str) -> tuple[Card, bool]:
    """A card, and whether it is the vision. Raises BoardError."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    first = _CARD.fullmatch(lines[0]) if lines else None
    if first is None:
        raise BoardError("The first line must be <!-- card: ID -->.")
    head, *functions = _parts(lines[1:])
    fields = _read_fields(head)
    if key_of(fields.get("kind", "")) == VISION:
        title = read_line(fields.get("title"), "title")
        return Card(VISION, title, goal=read_text(fields.get("goal"), "goal")), True
    card = read_card({**fields, "id": read_id(first[1], "card")}, "card")
    read = [
        read_function(_read_fields(part), f"function {number}")
        for number, part in enumerate(functions, 1)
    ]
    refuse_twice(read, "functions")
    return replace(card, functions=tuple(read)), False


def _parts(lines: list[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for line in lines:
        if line.rstrip() == RULE:
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def _read_fields(lines: list[str]) -> dict[str, str]:
    fields: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in lines:
        marker = _MARKER.fullmatch(line)
        if marker:
            name = marker[1].lower()
            if name in fields:
                raise BoardError(f"<!-- {name} --> stands there twice.")
            current = fields.setdefault(name, [])
        elif current is not None:
            current.append(_unescaped(line))
        elif line.strip():
            raise BoardError("There is text before the first marker.")
    return {name: "\n".join(rows) for name, rows in fields.items()}


def _unescaped(line: str) -> str:
    return line[1:] if line.startswith("\\") and _OURS.fullmatch(line) else line

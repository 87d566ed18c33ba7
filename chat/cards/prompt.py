"""What a model is told in a round: the rules of cards, the board, what was said. Pure.

The board stands there in exactly the form that the answer must have, so that copying
costs nothing. The form is said once more with the message itself.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chat.cards.board import VISION, Board, card_json
from gpts.gate import Message, Payload

MOST_REMARKS = 30
ATTEMPT_CHARACTERS = 2_000

STYLE = """\
You help to describe a product as cards. You never change anything yourself: you say \
how cards would look, and a person accepts or refuses each change.

What a card is
- The vision says what the product is for. A card is one part of the product: title, \
kind, goal, rules, functions. Kind is "core" when the product cannot run without it, \
else "optional".
- A goal says in one or two sentences what is good for whom. A rule is one sentence \
that is true of the finished product and can be checked.
- A function is something a person does with the product. It has a title, a goal, \
rules, and tests. Tests are mandatory: the steps that check it, one step a line.
- How a thing is built belongs on no card (no languages, libraries, files, tables). \
How it is used always does; commands stand in quotes, to be typed as they are.
- Plain words, short sentences, the words the board uses already.

How you answer
- In the language of the person's message, in at most four sentences.
- A question wants an answer and no cards. A wish always gets a draft, and a question \
back besides where something is missing. Asked for names, give names.
- Say what belongs on no card, and where it goes instead.
- Invent nothing about what exists.
"""
_FORM = """\
Answer with one JSON object and nothing else:
{"answer": "...", "cards": [...]}
"cards" holds only the cards that change, each complete and in the form above: copy \
every field and every line that stays, for a line that is not copied is removed. A \
card that is not there stays as it is. A new card has no "id". With nothing to change \
"cards" is []. Escape quotes within texts as \\"."""
_BLIND = "You cannot see the product's code. Say so where the answer depends on it."
_SEEING = """\
Below is code of the product, to read. Name the file that you lean on. Where the code \
contradicts a card, say so and ask which of them is right."""
_READING = """\
You may read the product's code with your tools, and change nothing. Name the file \
that you lean on. Where the code contradicts a card, say so and ask which is right."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something said on a board before: by a person, or the model's answer."""

    text: str
    by_model: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """What can be seen of the code: `text` to read, or tools to read it with."""

    text: str = ""
    by_tools: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """An answer that could not be read, and what was wrong with it."""

    reply: str
    fault: str


def round_payload(
    board: Board,
    message: str,
    *,
    remarks: Sequence[Remark] = (),
    code: Code | None = None,
    attempt: Attempt | None = None,
    style: str = STYLE,
) -> Payload:
    """Everything one call of a round sends."""
    is_product = style is STYLE
    parts = (
        style,
        _code(code) if is_product else "",
        _board(board, with_vision=is_product),
        _said(remarks),
        _FORM,
    )
    system = "\n\n".join(part for part in parts if part)
    return Payload(
        (Message("system", system), Message("user", _asked(message, attempt)))
    )


def _code(code: Code | None) -> str:
    if code is not None and code.by_tools:
        return _READING
    if code is not None and code.text.strip():
        return f"{_SEEING}\n\n{code.text.strip()}"
    return _BLIND


def _board(board: Board, *, with_vision: bool) -> str:
    cards: list[Any] = [card_json(card, with_state=False) for card in board.cards]
    if with_vision:
        cards.insert(0, {"id": VISION, "title": board.title, "goal": board.vision})
    text = json.dumps({"cards": cards}, ensure_ascii=False, indent=1)
    said = f"; the card {VISION!r} is the vision" if with_vision else ""
    return f"The board{said}:\n{text}"


def _said(remarks: Sequence[Remark]) -> str:
    lines = [
        f"{'You' if remark.by_model else 'Person'}: {remark.text}"
        for remark in remarks[-MOST_REMARKS:]
        if remark.text.strip()
    ]
    return "What was said before:\n" + "\n".join(lines) if lines else ""


def _asked(message: str, attempt: Attempt | None) -> str:
    if attempt is None:
        return f"{message}\n\n{_FORM}"
    shown = attempt.reply[:ATTEMPT_CHARACTERS]
    before = f"Your last answer began:\n{shown}\n\n" if shown.strip() else ""
    return (
        f"{message}\n\n{before}It could not be read: {attempt.fault} "
        f"Answer once more.\n\n{_FORM}"
    )

"""A gpt as a board: its description, system prompt, question and requirements, each a
card whose goal is the text. So that the same conversation improves it.

Pure but for `write_back`, which stores a new revision that nobody has reviewed.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from chat.cards.answer import Answer, CardDraft
from chat.cards.board import Board, Card
from chat.cards.decide import Stale
from chat.cards.proposals import Proposal
from chat.cards.target import proposals_of
from gpts.document import Document
from gpts.models import Gpt
from gpts.reading import read_document
from gpts.requirements import Requirements
from gpts.revisions import revise
from gpts.writing import write_document, written_requirements

TITLES = {
    "description": "Description",
    "system": "System prompt",
    "question": "Question",
    "requires": "Requires",
}
STYLE = """\
You help to improve a gpt: a reusable prompt with a system prompt and a question. You \
never change anything yourself: you say how its texts would read, and a person accepts \
or refuses each change.

The cards are its texts, in "goal": "description" (one or two sentences for people), \
"system", "question", and "requires" (what a server needs, one "key: value" a line: \
context_window, parameters, tool_calling, vision, json_output, hosting). Placeholders \
like {text} in "question" stand for what a person fills in: keep each as it is. Add no \
card, no rule and no function.

How you answer
- In the language of the person's message, in at most four sentences.
- A question wants an answer and no cards. A wish always gets a draft, and a question \
back besides where something is missing.
- Invent nothing about what exists.
"""


def board_of_gpt(stem: str, document: Document) -> Board:
    texts = {
        "description": document.description,
        "system": document.system.strip(),
        "question": document.question.strip(),
        "requires": _lines(document.requires),
    }
    cards = (Card(name, TITLES[name], goal=text) for name, text in texts.items())
    return Board(title=f"{document.name} ({stem})", cards=tuple(cards))


def _lines(requires: Requirements) -> str:
    found = written_requirements(requires)
    return "\n".join(f"{key}: {json.dumps(value)}" for key, value in found.items())


def gpt_proposals(board: Board, answer: Answer) -> tuple[Proposal, ...]:
    """Changes of the texts alone: a gpt has no rules, functions or further cards."""
    drafts = tuple(
        CardDraft(draft.id, goal=draft.goal)
        for draft in answer.cards
        if board.card(draft.id) is not None
    )
    return proposals_of(board, replace(answer, cards=drafts))


def write_back(stem: str, document: Document, board: Board, author: Any) -> None:
    """Keep the board's texts as the gpt's next revision, unreviewed.

    Raises Stale where the texts make no usable gpt.
    """
    source = source_of(document, board)
    parsed = read_document(source)
    if parsed.document is None:
        problem = next((p for p in parsed.problems if p.fatal), None)
        said = problem.message if problem else ""
        raise Stale(_("That would be no usable gpt: %s") % said)
    gpt = Gpt.objects.filter(stem=stem).first() or Gpt(stem=stem)
    revise(gpt, source, author)


def source_of(document: Document, board: Board) -> str:
    """The gpt's source with the board's texts; the rest as it was."""
    texts = dict.fromkeys(TITLES, "")
    texts |= {card.id: card.goal for card in board.cards}
    changed = replace(
        document,
        description=" ".join(texts["description"].split()),
        system=texts["system"],
        question=texts["question"],
        requires=Requirements(),
    )
    source = write_document(changed)
    if not texts["requires"].strip():
        return source
    lines = [f"  {line}" for line in texts["requires"].split("\n")]
    block = "\n".join(["requires:", *lines])
    return source.replace("---\n", f"---\n{block}\n", 1)

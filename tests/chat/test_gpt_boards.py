"""A gpt improved in conversation: the same machinery, ending unreviewed."""

from __future__ import annotations

import json

import pytest

from chat.cards import store, stored
from chat.cards.answer import Answer, read_answer
from chat.cards.gpt_board import STYLE as GPT_STYLE
from chat.cards.gpt_board import board_of_gpt, gpt_proposals, source_of
from chat.cards.models import KeptBoard, KeptProposal, Round, RoundState
from chat.cards.prompt import STYLE, round_payload
from chat.cards.store import value_of
from gpts.catalogue import catalogue
from gpts.models import Gpt
from gpts.reading import read_document
from gpts.revisions import review, revise

SOURCE = """---
gpt: 1
name: Summary
description: Sums up a text.
requires:
  context_window: 8192
  tool_calling: true
inputs:
  - {name: text, type: text, required: true}
---
<!-- [system] -->
You are brief.
<!-- [question] -->
Sum up: {text}
"""


def document_of(source):
    document = read_document(source).document
    assert document is not None
    return document


@pytest.fixture
def curator(make_user):
    return make_user("cy", "curators", is_staff=True)


@pytest.fixture
def gpt(make_user):
    found = Gpt(stem="summary")
    revise(found, SOURCE, make_user("author"))
    review(found, make_user("reviewer", "curators"))
    return found


def propose(row, *cards):
    """Proposals as an answer of a model would make them."""
    base = value_of(row)
    answer = read_answer(json.dumps({"answer": "Yes.", "cards": list(cards)}))
    assert isinstance(answer, Answer)
    done = Round.objects.create(
        board=row, message="m", base=base.as_json(), state=RoundState.DONE
    )
    return [
        KeptProposal.objects.create(
            round=done, number=n, content=stored.to_json(one)
        ).pk
        for n, one in enumerate(gpt_proposals(base, answer), 1)
    ]


class BoardTests:
    def test_it_shows_the_four_texts_as_cards(self):
        board = board_of_gpt("summary", document_of(SOURCE))
        assert {card.id: card.goal for card in board.cards} == {
            "description": "Sums up a text.",
            "system": "You are brief.",
            "question": "Sum up: {text}",
            "requires": "context_window: 8192\ntool_calling: true",
        }

    def test_it_writes_the_same_gpt_back(self):
        document = document_of(SOURCE)
        source = source_of(document, board_of_gpt("summary", document))
        assert read_document(source).document == document

    def test_it_proposes_texts_alone(self, db, curator, gpt):
        row = store.keep_gpt(curator, "summary")
        found = propose(
            row,
            {"id": "system", "title": "Else", "goal": "Be kind.", "rules": ["x"]},
            {"title": "New card", "goal": "y"},
        )
        [proposal] = KeptProposal.objects.all()
        assert len(found) == 1
        assert proposal.content["proposed"] == "Be kind."


class AcceptTests:
    def test_it_makes_an_unreviewed_revision(self, curator, gpt):
        row = store.keep_gpt(curator, "summary")
        [key] = propose(row, {"id": "system", "goal": "Be kind."})
        assert store.accept(curator, row.pk, [key]) == []
        gpt.refresh_from_db()
        assert "Be kind." in gpt.current.source
        assert gpt.current.number == 2
        assert gpt.current.author == curator
        assert gpt.current.reviewed_at is None

    def test_it_changes_what_is_required(self, curator, gpt):
        row = store.keep_gpt(curator, "summary")
        [key] = propose(row, {"id": "requires", "goal": "context_window: 16384"})
        store.accept(curator, row.pk, [key])
        gpt.refresh_from_db()
        requires = document_of(gpt.current.source).requires
        assert (requires.context_window, requires.tool_calling) == (16384, False)

    def test_it_keeps_no_text_that_makes_no_gpt(self, curator, gpt):
        row = store.keep_gpt(curator, "summary")
        [key] = propose(row, {"id": "description", "goal": ""})
        [problem] = store.accept(curator, row.pk, [key])
        assert "no usable gpt" in problem
        gpt.refresh_from_db()
        assert gpt.current.number == 1
        assert KeptProposal.objects.get().decision == "open"

    def test_it_takes_a_change_back(self, curator, gpt):
        row = store.keep_gpt(curator, "summary")
        [key] = propose(row, {"id": "system", "goal": "Be kind."})
        store.accept(curator, row.pk, [key])
        assert store.undo(curator, row.pk) == ""
        gpt.refresh_from_db()
        assert "You are brief." in gpt.current.source
        assert gpt.current.reviewed_at is None

    def test_it_copies_a_gpt_of_the_library_into_the_hub(self, curator):
        stem = next(iter(catalogue().entries))
        row = store.keep_gpt(curator, stem)
        [key] = propose(row, {"id": "description", "goal": "Better words."})
        assert store.accept(curator, row.pk, [key]) == []
        current = Gpt.objects.get(stem=stem).current
        assert current is not None
        assert current.reviewed_at is None


class PageTests:
    def test_it_opens_from_the_gpts_page(self, client, curator, gpt):
        client.force_login(curator)
        page = client.get("/gpts/g/summary/").content.decode()
        assert "Improve it in conversation" in page
        answer = client.post("/boards/improve", {"gpt": "summary"}, follow=True)
        shown = answer.content.decode()
        assert "The texts of the gpt summary" in shown
        assert "Sum up: {text}" in shown
        again = client.post("/boards/improve", {"gpt": "summary"})
        assert again.url == f"/boards/{KeptBoard.objects.get().pk}/"

    def test_it_is_for_those_who_may_change_gpts(self, client, make_user, gpt):
        client.force_login(make_user("bob"))
        answer = client.post("/boards/improve", {"gpt": "summary"})
        assert answer.status_code == 403
        assert not KeptBoard.objects.exists()

    def test_it_knows_no_gpt_that_is_not_there(self, client, curator):
        client.force_login(curator)
        answer = client.post("/boards/improve", {"gpt": "../x"})
        assert answer.status_code == 404

    def test_it_loses_the_right_with_the_permission(self, curator, gpt):
        row = store.keep_gpt(curator, "summary")
        [key] = propose(row, {"id": "system", "goal": "Be kind."})
        curator.groups.clear()
        other = type(curator).objects.get(pk=curator.pk)
        [problem] = store.accept(other, row.pk, [key])
        assert "Only a curator" in problem

    def test_it_tells_the_model_what_a_gpt_is(self):
        board = board_of_gpt("summary", document_of(SOURCE))
        payload = round_payload(board, "Shorter.", style=GPT_STYLE)
        system = payload.messages[0].content
        assert "Placeholders" in system
        assert '"Sum up: {text}"' in system
        assert "vision" not in system.replace("vision, json_output", "")
        assert STYLE not in system

"""Accepting and refusing: any order of decisions gives the same board."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.cards.answer import read_answer
from chat.cards.board import Board, State, card_json, key_of
from chat.cards.decide import Stale, apply, is_stale
from chat.cards.proposals import Change, Proposal
from chat.cards.target import proposals_of
from tests.chat.cards.makers import NOTES, boards, card_of, changed


def answer(*cards, text="Done."):
    return read_answer(json.dumps({"answer": text, "cards": list(cards)}))


def proposals(board, *cards):
    return list(proposals_of(board, answer(*cards)))


def applied(board, chosen):
    accepted: list[Proposal] = []
    for proposal in chosen:
        board = apply(board, proposal, accepted)
        accepted.append(proposal)
    return board


def stateless(board):
    return [card_json(card, with_state=False) for card in board.cards]


@st.composite
def situations(draw):
    base = draw(boards())
    rows = [card_json(card, with_state=False) for card in draw(changed(base))]
    for row in rows:
        if not row["id"]:
            del row["id"]
    return base, rows


class PropertyTests:
    @settings(max_examples=40, deadline=None)
    @given(situations(), st.randoms())
    def test_it_reaches_the_target_whatever_the_order(self, situation, random):
        base, rows = situation
        found = proposals(base, *rows)
        random.shuffle(found)
        reached = stateless(applied(base, found))
        expected = [
            {**row, "id": got["id"]} for row, got in zip(rows, reached, strict=True)
        ]
        assert reached == expected

    @settings(max_examples=40, deadline=None)
    @given(situations(), st.randoms(), st.data())
    def test_it_gives_one_board_for_one_choice(self, situation, random, data):
        base, rows = situation
        found = proposals(base, *rows)
        chosen = [one for one in found if data.draw(st.booleans())]
        once = applied(base, chosen)
        random.shuffle(chosen)
        assert applied(base, chosen) == once

    @settings(max_examples=40, deadline=None)
    @given(situations())
    def test_it_leaves_a_card_alone_whose_changes_are_refused(self, situation):
        base, rows = situation
        found = proposals(base, *rows)
        for card in base.cards:
            others = [proposal for proposal in found if proposal.card != card.id]
            assert applied(base, others).card(card.id) == card

    @settings(max_examples=40, deadline=None)
    @given(situations())
    def test_it_proposes_nothing_for_what_is_there_already(self, situation):
        base, _ = situation
        rows = [card_json(card, with_state=False) for card in base.cards]
        assert proposals(base, *rows) == []

    @settings(max_examples=40, deadline=None)
    @given(situations())
    def test_it_never_marks_a_function_built(self, situation):
        base, rows = situation
        reached = applied(base, proposals(base, *rows))
        before = {
            (card.id, key_of(f.title))
            for card in base.cards
            for f in card.functions
            if f.state is State.BUILT
        }
        built = [
            f for c in reached.cards for f in c.functions if f.state is State.BUILT
        ]
        assert len(built) <= len(before)


class StaleTests:
    GOAL = {"id": "k2", "goal": "Pictures, and videos."}

    def test_it_refuses_a_text_that_changed_meanwhile(self):
        [proposal] = proposals(NOTES, self.GOAL)
        other = NOTES.with_card(replace(card_of(NOTES, "k2"), goal="Else."))
        with pytest.raises(Stale, match="changed meanwhile"):
            apply(other, proposal)
        assert is_stale(NOTES, proposal) == ""

    def test_it_applies_beside_a_change_of_another_field(self):
        [proposal] = proposals(NOTES, self.GOAL)
        other = NOTES.with_card(replace(card_of(NOTES, "k2"), rules=("New rule.",)))
        card = card_of(apply(other, proposal), "k2")
        assert (card.goal, card.rules) == ("Pictures, and videos.", ("New rule.",))

    def test_it_refuses_lines_that_changed_meanwhile(self):
        [proposal] = proposals(NOTES, {"id": "k2", "rules": ["Added."]})
        other = NOTES.with_card(replace(card_of(NOTES, "k2"), rules=("Another.",)))
        assert "changed meanwhile" in is_stale(other, proposal)

    def test_it_refuses_to_remove_a_line_that_is_gone(self):
        [proposal] = proposals(NOTES, {"id": "k1", "rules": [NOTES.cards[0].rules[0]]})
        other = NOTES.with_card(replace(card_of(NOTES, "k1"), rules=()))
        assert proposal.change is Change.REMOVED_LINE
        assert "not there" in is_stale(other, proposal)

    def test_it_refuses_a_card_that_is_gone(self):
        [proposal] = proposals(NOTES, self.GOAL)
        assert "not there" in is_stale(Board(), proposal)

    def test_it_refuses_what_was_accepted_already(self):
        [proposal] = proposals(NOTES, {"title": "Export", "goal": "g"})
        assert is_stale(apply(NOTES, proposal), proposal)

    def test_it_refuses_a_function_that_somebody_else_added(self):
        [proposal] = proposals(
            NOTES, {"id": "k2", "functions": [{"title": "Crop", "tests": ["t"]}]}
        )
        assert is_stale(apply(NOTES, proposal), proposal)

    def test_it_refuses_to_remove_a_function_that_was_changed(self):
        [proposal] = proposals(NOTES, {"id": "k1", "functions": []})
        card = card_of(NOTES, "k1")
        worked = replace(card.functions[0], goal="Better.")
        other = NOTES.with_card(replace(card, functions=(worked,)))
        assert proposal.change is Change.REMOVED_FUNCTION
        assert "changed meanwhile" in is_stale(other, proposal)

    def test_it_removes_a_function_that_was_only_marked_built(self):
        [proposal] = proposals(NOTES, {"id": "k1", "functions": []})
        assert card_of(apply(NOTES, proposal), "k1").functions == ()

"""What an answer would change: matching, renaming, warnings."""

from __future__ import annotations

import json

import pytest

from chat.cards.answer import Answer, read_answer
from chat.cards.board import BoardError
from chat.cards.proposals import Change
from chat.cards.target import BY_TITLE, NO_TESTS, RENAMED, SAME_TITLE, proposals_of
from tests.chat.cards.makers import NOTES, board, card

SYNC = {
    "title": "Sync now",
    "goal": "Start a sync by hand.",
    "rules": ["Press the button."],
    "tests": ["Write a note.", "Press Sync.", "See it elsewhere."],
}


def propose(on, *cards):
    answer = read_answer(json.dumps({"cards": list(cards)}))
    assert isinstance(answer, Answer)
    return proposals_of(on, answer)


def kinds(found):
    return [(one.change, one.card, one.function, one.field) for one in found]


class MatchingTests:
    def test_it_leaves_cards_alone_that_nobody_mentioned(self):
        assert propose(NOTES) == ()

    def test_it_matches_by_id_before_the_title(self):
        found = propose(NOTES, {"id": "k2", "title": "Sync", "goal": "g"})
        assert kinds(found) == [
            (Change.TEXT, "k2", "", "title"),
            (Change.TEXT, "k2", "", "goal"),
        ]
        assert SAME_TITLE in found[0].reason

    def test_it_matches_by_title_as_a_guess(self):
        [found] = propose(NOTES, {"title": " photos ", "goal": "g"})
        assert (found.card, found.reason) == ("k2", BY_TITLE)

    def test_it_matches_an_unknown_id_by_its_title(self):
        [found] = propose(NOTES, {"id": "zz", "title": "Photos", "goal": "g"})
        assert found.card == "k2"

    def test_it_asks_where_a_title_means_two_cards(self):
        twins = board(card("k1", "A"), card("k2", "a "))
        with pytest.raises(BoardError, match="give the id"):
            propose(twins, {"title": "A", "goal": "g"})

    def test_it_asks_where_two_drafts_mean_one_card(self):
        with pytest.raises(BoardError, match="twice"):
            propose(NOTES, {"id": "k2", "goal": "g"}, {"title": "Photos"})

    def test_it_asks_for_the_title_of_an_unknown_id(self):
        with pytest.raises(BoardError, match="needs a title"):
            propose(NOTES, {"id": "zz", "goal": "g"})

    def test_it_gives_a_new_card_a_free_id(self):
        two = propose(NOTES, {"title": "Export"}, {"title": "Import"})
        assert [one.card for one in two] == ["c1", "c2"]
        assert {one.change for one in two} == {Change.NEW_CARD}


class FunctionTests:
    def test_it_takes_a_function_left_out_for_removed(self):
        [found] = propose(NOTES, {"id": "k1", "functions": []})
        assert found.change is Change.REMOVED_FUNCTION

    def test_it_takes_a_renamed_function_for_the_same_one(self):
        renamed = {**SYNC, "title": "Start a sync"}
        [found] = propose(NOTES, {"id": "k1", "functions": [renamed]})
        assert kinds([found]) == [(Change.TEXT, "k1", "Sync now", "title")]
        assert RENAMED in found.reason

    def test_it_takes_quite_another_function_for_a_new_one(self):
        other = {"title": "Print", "goal": "Paper.", "tests": ["Press print."]}
        found = propose(NOTES, {"id": "k1", "functions": [other]})
        assert [one.change for one in found] == [
            Change.NEW_FUNCTION,
            Change.REMOVED_FUNCTION,
        ]

    def test_it_says_that_a_new_function_has_no_test(self):
        [found] = propose(NOTES, {"id": "k1", "functions": [SYNC, {"title": "Print"}]})
        assert found.reason == NO_TESTS

    def test_it_proposes_one_change_for_another_order(self):
        both = board(card("k1", "A", functions=[{"title": "X"}, {"title": "Y"}]))
        functions = [{"title": "Y"}, {"title": "X"}]
        [found] = propose(both, {"id": "k1", "functions": functions})
        assert (found.change, found.proposed) == (Change.ORDER, ("Y", "X"))


class LineTests:
    RULES = board(card("k1", "A", rules=["one apple", "two pears", "three plums"]))

    def lines(self, *rules):
        return propose(self.RULES, {"id": "k1", "rules": list(rules)})

    def test_it_proposes_one_change_for_another_order(self):
        [found] = self.lines("two pears", "one apple", "three plums")
        assert found.change is Change.ORDER

    def test_it_makes_each_removed_line_a_proposal(self):
        found = self.lines("one apple")
        assert [(p.change, p.original) for p in found] == [
            (Change.REMOVED_LINE, "two pears"),
            (Change.REMOVED_LINE, "three plums"),
        ]

    def test_it_rewords_in_place(self):
        [found] = self.lines("one apple", "two green pears", "three plums")
        assert found.proposed == ("one apple", "two green pears", "three plums")

    def test_it_parts_what_comes_from_what_only_goes(self):
        added, removed = self.lines("one apple", "three plums", "forty figs")
        assert added.proposed == (
            "one apple",
            "two pears",
            "three plums",
            "forty figs",
        )
        assert removed.original == "two pears"

    def test_it_changes_nothing_for_spaces_at_the_end(self):
        assert self.lines("one apple\u00a0", "two pears ", "three plums") == ()

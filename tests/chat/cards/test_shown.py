"""What the page shows of lines that change."""

from __future__ import annotations

from chat.cards.shown import counts_of, line_diff
from tests.chat.cards.makers import NOTES


def shown(original, proposed):
    return [
        (line.kind, "".join(s.text for s in line.segments if s.kind != "removed"))
        for line in line_diff(original, proposed)
    ]


class LineDiffTests:
    def test_it_keeps_what_stays_and_marks_the_rest(self):
        found = shown(("a one", "b two", "c"), ("a one", "b three", "c", "d"))
        assert found == [
            ("same", "a one"),
            ("changed", "b three"),
            ("same", "c"),
            ("added", "d"),
        ]

    def test_it_shows_a_line_that_moved_at_both_places(self):
        kinds = [kind for kind, _ in shown(("a", "b", "c"), ("b", "c", "a"))]
        assert kinds == ["removed", "same", "same", "added"]

    def test_it_shows_a_list_that_begins(self):
        assert shown((), ("a",)) == [("added", "a")]


class CountTests:
    def test_it_counts_in_words(self):
        assert counts_of(NOTES) == "2 cards, 1 function, 0 ordered"

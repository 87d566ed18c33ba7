"""What changed between two texts, word by word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chat.cards.words import Segment, word_diff

plain = st.text("ab .,", max_size=20).map(str.strip)


def shown(original, proposed):
    return [(s.kind, s.text) for s in word_diff(original, proposed)]


class WordTests:
    def test_it_marks_whole_stretches(self):
        found = shown(
            "Notes sync as soon as there is a connection.", "Notes sync on Wi-Fi only."
        )
        assert found == [
            ("same", "Notes sync "),
            ("removed", "as soon as there is a connection"),
            ("added", "on Wi-Fi only"),
            ("same", "."),
        ]

    def test_it_shows_what_cannot_be_seen(self):
        assert shown("A b", "A\u00a0b")[1:3] == [
            ("removed", " "),
            ("added", "[no-break space]"),
        ]

    def test_it_shows_a_text_that_came_or_went(self):
        assert word_diff("", "x") == (Segment("added", "x"),)
        assert word_diff("x", "") == (Segment("removed", "x"),)

    @given(plain, plain)
    def test_it_holds_both_texts(self, original, proposed):
        found = word_diff(original, proposed)
        kept = [s.text for s in found if s.kind != "added"]
        came = [s.text for s in found if s.kind != "removed"]
        assert "".join(kept) == original
        assert "".join(came) == proposed

    def test_it_gives_up_on_very_long_texts(self):
        found = word_diff("a " * 2_000, "b " * 2_000)
        assert [s.kind for s in found] == ["removed", "added"]

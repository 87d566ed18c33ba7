"""Characters that JSON escaped in two halves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.backends.surrogates import Joiner, mended


class JoinerTests:
    def test_it_waits_for_the_second_half(self):
        joiner = Joiner()

        assert joiner.feed("a\ud83c") == "a"
        assert joiner.feed("\udf0db") == "\U0001f30db"

    def test_it_gives_out_a_half_that_stays_alone(self):
        joiner = Joiner()
        joiner.feed("\ud83c")

        assert joiner.finish() == "\ufffd"
        assert joiner.finish() == ""

    @pytest.mark.parametrize(
        ("text", "seen"), [("", False), (" \n", False), ("a", True)]
    )
    def test_it_knows_whether_anything_can_be_seen(self, text, seen):
        joiner = Joiner()
        joiner.feed(text)

        assert joiner.any is seen

    @given(st.text(alphabet=st.characters(), max_size=20), st.integers(0, 40))
    def test_it_joins_a_text_that_was_cut_anywhere(self, text, cut):
        """Cut between UTF-16 units, as servers do that escape one unit at a time."""
        raw = text.encode("utf-16-le", "surrogatepass")
        units = [
            raw[i : i + 2].decode("utf-16-le", "surrogatepass")
            for i in range(0, len(raw), 2)
        ]
        joiner = Joiner()
        pieces = ("".join(units[:cut]), "".join(units[cut:]))
        joined = "".join(joiner.feed(piece) for piece in pieces) + joiner.finish()

        assert joined == mended("".join(units))
        assert mended(joined) == joined


class MendingTests:
    @pytest.mark.parametrize(
        ("text", "whole"),
        [
            ("plain", "plain"),
            ("Grüße", "Grüße"),
            ("\ud83c\udf0d", "\U0001f30d"),
            ("a\ud83cb", "a\ufffdb"),
            ("\udf0d\ud83c", "\ufffd\ufffd"),
        ],
    )
    def test_it_leaves_only_whole_characters(self, text, whole):
        assert mended(text) == whole

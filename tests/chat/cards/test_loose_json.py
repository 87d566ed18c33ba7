"""JSON as models write it: what is forgiven, and what never is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.cards.loose_json import LooseError, parse_at, place_of

floats = st.floats(-1e9, 1e9).map(lambda x: round(x, 3))
numbers = st.one_of(st.integers(-(2**53), 2**53), floats)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(max_size=4), inner, max_size=3),
    ),
    max_leaves=8,
)


def parse(text):
    value, end = parse_at(text, 0)
    assert not text[end:].strip()
    return value


class ForgivenTests:
    @settings(max_examples=150, deadline=None)
    @given(values)
    def test_it_reads_every_json_as_python_does(self, value):
        assert parse(json.dumps(value)) == value
        assert parse(json.dumps(value, indent=1, ensure_ascii=False)) == value

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ('{"a": [1, 2,],}', {"a": [1, 2]}),
            ('{"a": 1, // why\n "b": /* , */ 2}', {"a": 1, "b": 2}),
            ('{"a": "// no ,] comment"}', {"a": "// no ,] comment"}),
            ('{"a": "two\nlines"}', {"a": "two\nlines"}),
            ("{“a”: “b c”}", {"a": "b c"}),
            ("{„a“: „b“}", {"a": "b"}),
            ('{"a": "„b” and “c”"}', {"a": "„b” and “c”"}),
            ('{"a": 3.0}', {"a": 3}),
            ('{"a": "\\u00e4\\ud83d\\ude00"}', {"a": "ä😀"}),
        ],
    )
    def test_it_forgives_dress(self, text, value):
        assert parse(text) == value


class RefusedTests:
    @pytest.mark.parametrize(
        ("text", "position"),
        [
            ('{"a": "b" c"}', 10),
            ('{"a": “b "c" d”}', 9),
            ('{"a": 1, "a": 2}', 9),
            ('{"a": NaN}', 6),
            ('{"a": -Infinity}', 6),
            ('{"a": 1e999}', 6),
            ('{"a": 123456789012345678901}', 6),
            ('{"a": 01}', 6),
            ("{'a': 1}", 1),
            ("{a: 1}", 1),
            ('{"a" 1}', 5),
            ('{"a": "\\x"}', 7),
            ('{"a": "\\ud83d"}', 7),
            ("[,]", 1),
            ('["a" "b"]', 5),
            ("[undefined]", 1),
        ],
    )
    def test_it_says_where_the_fault_is(self, text, position):
        with pytest.raises(LooseError) as error:
            parse_at(text, 0)
        assert error.value.position == position
        assert not error.value.ended

    def test_it_knows_every_cut(self):
        text = json.dumps({"a": [1, "two", {"b": None, "c": True}], "d": "\u00e4"})
        for end in range(1, len(text)):
            with pytest.raises(LooseError) as error:
                parse_at(text[:end], 0)
            assert error.value.ended, text[:end]

    @pytest.mark.parametrize("text", ["[" * 5_000, '{"a":' * 5_000])
    def test_it_ends_with_endless_nesting(self, text):
        with pytest.raises(LooseError, match="nested"):
            parse_at(text, 0)


class PlaceTests:
    def test_it_counts_lines_and_columns_from_one(self):
        assert (place_of("ab", 0).line, place_of("ab", 1).column) == (1, 2)
        place = place_of("a\nbc\nd", 3)
        assert (place.line, place.column) == (2, 2)

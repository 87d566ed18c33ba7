"""One announced value: read, or unknown; a size in a name is estimated."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servers.announced import (
    Entry,
    estimated_parameters,
    merged,
    parameters,
    slots,
    tokens,
    truth,
    word,
)
from servers.claims import UNKNOWN, Claim, Claims

ODD: list[object] = [
    None,
    0,
    1,
    "",
    "0",
    True,
    False,
    -5,
    1.5,
    "8k",
    [],
    {},
    float("inf"),
    "1e3",
    10**12,
]
ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


class ValueTests:
    @pytest.mark.parametrize("value", ODD)
    def test_it_takes_what_is_no_window_for_unknown(self, value: object) -> None:
        assert tokens(value, "s") == UNKNOWN

    @pytest.mark.parametrize("value", [8192, "8192", 8192.0, " 8192 ", "8192.0"])
    def test_it_reads_a_window_as_number_or_text(self, value: object) -> None:
        assert tokens(value, "s") == Claim(8192, "s")

    @pytest.mark.parametrize("value", [True, "true", 0, -1, None])
    def test_it_takes_what_is_no_count_for_no_slots(self, value: object) -> None:
        assert slots(value, "s") == UNKNOWN

    @pytest.mark.parametrize("value", [1, 0, "true", None, []])
    def test_it_takes_only_a_truth_for_a_truth(self, value: object) -> None:
        assert truth(value, "s") == UNKNOWN

    @pytest.mark.parametrize("value", ["", "  ", "unknown", "None", None, 4, "\x00"])
    def test_it_takes_no_word_from_nothing(self, value: object) -> None:
        assert word(value, "s") == UNKNOWN

    @pytest.mark.parametrize(
        ("text", "billions"),
        [("8.0B", 8.0), ("137M", 0.137), ("3.0 B", 3.0), ("1.8T", 1800.0), ("4b", 4.0)],
    )
    def test_it_reads_a_size_with_its_unit(self, text: str, billions: float) -> None:
        assert parameters(text, "s") == Claim(billions, "s")

    @pytest.mark.parametrize("text", ["8", "B", "0B", "many", "", None, 8, "8x7B"])
    def test_it_takes_no_size_without_its_unit(self, text: object) -> None:
        assert parameters(text, "s") == UNKNOWN

    @settings(deadline=None)
    @given(ANYTHING)
    def test_it_never_raises(self, value: object) -> None:
        for make in (tokens, slots, truth, word, parameters):
            assert make(value, "s").source in {"", "s"}


class EstimateTests:
    @pytest.mark.parametrize(
        ("name", "billions"),
        [
            ("sparrow:8b", 8.0),
            ("acme/Inventa-1.5B-Instruct-GGUF", 1.5),
            ("coder-30b-a3b", 30.0),
            ("tiny-137m", 0.137),
            ("long-7b-1m", 7.0),
        ],
    )
    def test_it_estimates_a_size_from_the_name(
        self, name: str, billions: float
    ) -> None:
        assert estimated_parameters(name) == Claim(
            billions, "the model's name", estimated=True
        )

    @pytest.mark.parametrize(
        "name",
        [
            "gpt-4",
            "mix-8x7b",
            "sparrow-4bit",
            "v1.5",
            "x-128k",
            "7b-to-13b",
            "b",
            "q4_k_m",
        ],
    )
    def test_it_estimates_nothing_where_no_one_size_stands(self, name: str) -> None:
        assert estimated_parameters(name) == UNKNOWN


class EntryTests:
    def test_it_says_where_a_value_stood(self) -> None:
        entry = Entry({"meta": {"n_ctx": 8192}}, "GET /v1/models")
        assert (
            entry.tokens("absent", "meta.n_ctx").source == "GET /v1/models meta.n_ctx"
        )

    def test_it_says_no_only_where_the_list_says_everything(self) -> None:
        entry = Entry({"caps": ["chat"]}, "GET /x")
        assert entry.among("caps", "tools") == UNKNOWN
        assert entry.among("caps", "tools", whole=True).value is False
        assert entry.among("absent", "tools", whole=True) == UNKNOWN

    def test_it_leaves_unknown_what_two_of_one_name_disagree_on(self) -> None:
        one = Claims("m", slots=Claim(1, "a"), tools=Claim(True, "a"))
        two = Claims("m", slots=Claim(2, "b"))
        (both,) = merged([one, two])
        assert (both.slots, both.tools) == (UNKNOWN, Claim(True, "a"))

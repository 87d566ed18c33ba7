from __future__ import annotations

import pytest

from gpts.reading import read_document
from tests.gpts.sources import document, fatal, source


class RefusedYamlTests:
    @pytest.mark.parametrize(
        ("header", "line", "message"),
        [
            ("params:\n\ttop_k: 1", 6, "A tab cannot indent YAML"),
            ("x: a: b", 5, "A colon does not fit here"),
            ('x: "never\nends: 1', 5, "A quote that opens here is not closed."),
            ("x: [1, 2", 5, "A bracket or brace is not closed."),
            ("params: {top_k: 1\nrequires: {}", 5, ""),
            ("x: @home", 5, "A value cannot begin with @"),
            ("x: `a`", 5, "A value cannot begin with `"),
            ('x: "\\q"', 5, "An escape that YAML does not know"),
            ("x: &a 1", 5, "Anchors (&) are not accepted."),
            ("x: *a", 5, "Aliases (*) are not accepted."),
            ("*a : 1", 5, "Aliases (*) are not accepted."),
            ("params:\n  <<: {a: 1}", 6, "Merge keys (<<) are not accepted."),
            ("x: !!python/name:os.system", 5, "Tags (!) are not accepted."),
            ("x: !!str 1", 5, "Tags (!) are not accepted."),
            ("x: ! y", 5, "Tags (!) are not accepted."),
            ("? [a]\n: 1", 5, "A key must be a word"),
            ("{a: 1}: 1", 5, "A key must be a word"),
            ("na\u200bme: 1", 5, 'Key "na\\u200bme" contains an invisible character.'),
            ('"a\\nb": 1', 5, 'Key "a\\nb" contains an invisible character.'),
            ('x: "T\\e[31m"', 5, "Control character U+001B in a value."),
            ('x: "a\\0"', 5, "Control character U+0000 in a value."),
            (f"{'k' * 201}: 1", 5, "A key is longer than 200 characters."),
            ("--- second\nx: 1", 5, ""),
        ],
    )
    def test_it_says_what_is_wrong_and_in_which_line(self, header, line, message):
        found = fatal(source(header))
        assert found[0][0] == line
        assert found[0][1].startswith(message)

    @pytest.mark.parametrize("opening", ["[", "{", "- ", "? ", "[{", "{a: "])
    def test_it_survives_fifty_thousand_levels(self, opening):
        text = source("x: " + opening * (50_000 // len(opening)))
        assert fatal(text)

    def test_it_refuses_three_thousand_closed_brackets_in_one_sentence(self):
        text = source("x: " + "[" * 3000 + "]" * 3000)
        assert fatal(text) == [(5, "The header is nested too deeply.")]

    def test_it_refuses_a_header_of_thousands_of_entries(self):
        text = source("x: [" + "a," * 5_000 + "]")
        assert fatal(text) == [(5, "The header has too many entries.")]

    def test_it_refuses_a_billion_laughs_at_the_first_anchor(self):
        lines = ["a0: &a0 [x, x]"]
        lines += [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
        assert fatal(source("\n".join(lines))) == [(5, "Anchors (&) are not accepted.")]


class DuplicateKeyTests:
    @pytest.mark.parametrize(
        ("header", "lines"),
        [
            ("name: Another", [5]),
            ('params: {top_k: 1, "top_k": 2}', [5]),
            ("params:\n  a: [{b: 1}, {c: 1, c: 2}]", [6]),
            ("inputs:\n  ? topic\n  : {}\n  topic: {}", [8]),
            ("params: {1: a, 0x1: b}", [5]),
            ("params: {8: a, 010: b}", [5]),
            ("params: {on: a, yes: b}", [5]),
            ("params: {~: a, null: b}", [5]),
            ("params: {1: a, 1.0: b}", [5]),
            ("inputs:\n  - {name: a, name: b}", [6]),
        ],
    )
    def test_it_refuses_the_second_spelling_of_a_key(self, header, lines):
        found = [line for line, text in fatal(source(header)) if "stands twice" in text]
        assert found == lines

    @pytest.mark.parametrize(
        "header",
        ['other: {"1": a, "0x1": b}', "params: {a: {x: 1}, b: {x: 1}}"],
    )
    def test_it_accepts_keys_that_only_look_alike(self, header):
        assert not fatal(source(header))


class KeptValueTests:
    @pytest.mark.parametrize(
        "text",
        [
            "NO",
            "on",
            "y",
            "22:22",
            "2024-02-30",
            "04109",
            "0123",
            "1_000",
            "1e3",
            ".inf",
        ],
    )
    def test_it_keeps_text_as_it_was_written(self, text):
        read = document(f"inputs:\n  topic: {{default: {text}}}")
        assert read.inputs[0].default == text

    def test_it_keeps_the_words_of_a_choice(self):
        header = "inputs:\n  topic: {choices: [DK, NO, on, y, 010], default: NO}"
        assert document(header).inputs[0].choices == ("DK", "NO", "on", "y", "010")

    def test_it_calls_a_key_by_its_own_name(self):
        parsed = read_document(source("on: {topic: x}"))
        assert 'Unknown key "on".' in [p.message for p in parsed.problems]

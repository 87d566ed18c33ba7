"""Hostile bodies become values that cannot hurt."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servers.bodies import MISSING, NAME_LENGTH, decoded, parsed, printable, title_of
from servers.evidence import read
from servers.wire import Reply


class ParsedTests:
    @pytest.mark.parametrize(
        "text",
        [
            "",
            "   ",
            "<html>",
            "Ollama is running",
            "{",
            '{"a":}',
            "[" * 10_000,
            '{"a":' * 10_000,
            "nope",
            "'x'",
        ],
    )
    def test_it_finds_no_value_in_what_is_no_json(self, text: str) -> None:
        assert parsed(text) is MISSING

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ('"x"', "x"),
            ("1e999", None),
            ("NaN", MISSING),
            ('{"a": NaN, "b": -Infinity, "c": 1e999}', dict.fromkeys("abc")),
            ('{"a": ' + "9" * 5000 + "}", {"a": None}),
            ('{"a": 1, "a": 2}', {"a": 2}),
            (" \n[1]\n", [1]),
        ],
    )
    def test_it_takes_numbers_no_program_can_use_for_none(self, text, value) -> None:
        assert parsed(text) == value

    def test_it_reads_what_came_of_a_cut_list(self) -> None:
        text = '{"object":"list","data":[{"id":"a"},{"id":"b"},{"id":"c'
        assert parsed(text, cut=True) == {
            "object": "list",
            "data": [{"id": "a"}, {"id": "b"}],
        }

    def test_it_reads_the_head_of_a_cut_document(self) -> None:
        text = '{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{"/a":{"g'
        assert parsed(text, cut=True) == {"info": {"title": "T", "version": "1"}}

    @settings(deadline=None)
    @given(st.binary(max_size=200), st.booleans())
    def test_it_never_raises(self, body: bytes, cut: bool) -> None:
        parsed(decoded(body), cut=cut)

    @settings(deadline=None)
    @given(
        st.recursive(st.integers() | st.text(), st.lists, max_leaves=20), st.integers(0)
    )
    def test_it_mends_any_cut_without_raising(self, value, place) -> None:
        text = json.dumps({"data": [value, value]})
        parsed(text[: place % (len(text) + 1)], cut=True)


class PrintableTests:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("a\x1b[31mb", "a[31mb"),
            ("a\r\nb\tc", "a b c"),
            ("a\u202eb\u200b\ud800", "ab"),
            ("é模型:8b", "é模型:8b"),
            (None, ""),
            (7, ""),
            (["a"], ""),
            ("x" * 1000, "x" * NAME_LENGTH),
        ],
    )
    def test_it_leaves_one_printable_line(self, text: object, shown: str) -> None:
        assert printable(text) == shown


class AnswerTests:
    def test_it_takes_a_page_for_no_json_whatever_it_calls_itself(self) -> None:
        headers = {"content-type": "application/json"}
        answer = read(Reply("/", 200, headers, b"<!doctype html><title>A\n B</title>"))
        assert answer.json is MISSING
        assert (answer.page, answer.title) == (True, "A B")

    def test_it_takes_json_for_json_whatever_it_calls_itself(self) -> None:
        answer = read(
            Reply("/", 200, {"content-type": "text/html"}, b'\xef\xbb\xbf{"a":1}')
        )
        assert answer.json == {"a": 1}

    def test_it_takes_no_such_path_with_200_for_absence(self) -> None:
        body = b'{"error":"Unexpected endpoint or method. (GET /x)"}'
        answer = read(Reply("/x", 200, {}, body))
        assert answer.json is MISSING
        assert answer.raw_json["error"].startswith("Unexpected")

    def test_it_reads_a_title_with_markup_around_it(self) -> None:
        assert title_of('<TITLE lang="en">A &amp; B</TITLE>') == "A & B"
        assert title_of("<html></html>") == ""

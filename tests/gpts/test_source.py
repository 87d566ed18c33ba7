from __future__ import annotations

import codecs

import pytest

from gpts.reading import read_document
from tests.gpts.sources import document, fatal, source, warnings


class DecodingTests:
    @pytest.mark.parametrize("end", ["\r\n", "\r"])
    def test_it_reads_every_line_end_alike(self, end):
        read = read_document(source().replace("\n", end).encode())
        assert read.document == document()

    @pytest.mark.parametrize("end", ["\r\n", "\r"])
    def test_it_counts_lines_as_an_editor_does(self, end):
        text = source("requires: {hosting: moon}").replace("\n", end)
        assert [line for line, _ in fatal(text)] == [5]

    def test_it_takes_off_one_byte_order_mark(self):
        read = read_document(codecs.BOM_UTF8 + source().encode())
        assert read.document == document()

    def test_it_refuses_a_second_byte_order_mark(self):
        found = fatal(codecs.BOM_UTF8 * 2 + source().encode())
        assert found == [(1, "The header (---) must begin in line 1, before all else.")]

    @pytest.mark.parametrize(
        ("encoding", "name"),
        [
            ("utf-16", "UTF-16"),
            ("utf-16-le", "UTF-16"),
            ("utf-16-be", "UTF-16"),
            ("utf-32", "UTF-32"),
            ("utf-32-le", "UTF-32"),
            ("utf-32-be", "UTF-32"),
        ],
    )
    def test_it_names_the_encoding_that_it_refuses(self, encoding, name):
        assert fatal(source().encode(encoding)) == [
            (1, f"This looks like {name}: save it as UTF-8.")
        ]

    def test_it_gives_place_and_line_of_the_first_byte_that_is_not_utf8(self):
        raw = source("name_fr: Grüße").encode("latin-1")
        place = raw.index(b"\xfc")
        assert fatal(raw) == [
            (5, f"Not UTF-8 at byte {place} (from 0): save the file as UTF-8.")
        ]

    def test_it_counts_the_byte_order_mark_in_that_place(self):
        assert "byte 3 " in fatal(codecs.BOM_UTF8 + b"\xff")[0][1]

    def test_it_refuses_half_a_surrogate_pair_in_text(self):
        assert "Not UTF-8" in fatal(source(question="a \ud800 b"))[0][1]

    @pytest.mark.parametrize("character", ["\x00", "\x07", "\x1b", "\x7f", "\x85"])
    def test_it_refuses_control_characters_without_repeating_them(self, character):
        line, message = fatal(source(question=f"a{character}b"))[0]
        assert (line, message) == (
            9,
            f"Control character U+{ord(character):04X}: remove it.",
        )

    def test_it_keeps_tabs_of_the_body(self):
        assert document(question="a\tb").question == "a\tb"

    def test_it_warns_of_text_that_turns_its_direction(self):
        assert warnings(source(question="a \u202e b"))[0][0] == 9

    @pytest.mark.parametrize("character", ["\u2028", "\u2029", "\ufffe"])
    def test_it_refuses_yaml_line_breaks_that_no_editor_shows(self, character):
        line, message = fatal(source(f"# a{character}b"))[0]
        assert line == 5
        assert f"U+{ord(character):04X}" in message

    def test_it_keeps_line_separators_of_the_body(self):
        assert document(question="a\u2028b").question == "a\u2028b"

    def test_it_refuses_more_than_a_megabyte(self):
        assert fatal(b"a" * (1024 * 1024 + 1)) == [
            (None, "The file is larger than 1 MiB.")
        ]


class CuttingTests:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "The file is empty."),
            (" \n\n", "The file is empty."),
            ("# A note\n", "There is no header: line 1 must be --- and nothing else."),
            ("---- \na: b\n---\n", "There is no header"),
            ("--- # c\na: b\n---\n", "There is no header"),
            ("\n---\na: b\n---\n", "The header (---) must begin in line 1"),
            (" ---\na: b\n---\n", "The header (---) must begin in line 1"),
            ("\u200b---\na: b\n---\n", "The header (---) must begin in line 1"),
            ("---", "The header that starts in line 1 is not closed"),
            ("---\na: b\n", "The header that starts in line 1 is not closed"),
        ],
    )
    def test_it_refuses_a_header_that_is_not_there_in_line_one(self, text, message):
        (found,) = fatal(text)
        assert found[0] == 1
        assert found[1].startswith(message)

    def test_it_refuses_a_header_closed_by_a_rule_of_the_body(self):
        text = "---\ngpt: 1\n<!-- [question] -->\nQ\n\n---\nmore\n"
        assert fatal(text) == [
            (1, "The header that starts in line 1 is not closed (---).")
        ]

    def test_it_refuses_dots_at_the_end_of_a_header(self):
        text = source().replace("\n---\n", "\n...\n")
        assert fatal(text)[0][0] == 5

    def test_it_accepts_blanks_behind_the_fences(self):
        text = source().replace("---\n", "--- \t\n")
        assert read_document(text).document == document()

    def test_it_keeps_rule_lines_of_the_body(self):
        question = "first\n\n---\n\nsecond\n\n---\n\nthird"
        assert document(question=question).question == question

    def test_it_leaves_an_indented_rule_in_a_value_of_the_header(self):
        read = document("name_fr: |\n  a\n  ---\n  b")
        assert read.translations == {"name_fr": "a --- b"}

    def test_it_refuses_a_header_of_more_than_64_kib(self):
        text = source("# " + "é" * 32_800)
        assert fatal(text) == [(1, "The header is longer than 64 KiB.")]

from __future__ import annotations

import logging

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gpts.detectors.names import NOT_CHECKED, NameMatcher, Names
from gpts.detectors.scan import scan
from gpts.gate import find_in
from gpts.logs import without_private
from gpts.redact import redact, restore
from llmhub.redaction import RedactionFilter

NAMES = Names(NameMatcher(["Project Halcyon"]), checked=True, entered=1)


class RedactTests:
    def test_it_gives_one_thing_one_placeholder_in_every_text(self):
        found = redact(
            ["Ask bob@acme-works.com", "or eve@acme-works.com, bob@acme-works.com."],
            NOT_CHECKED,
        )
        assert found.texts == ("Ask <email-1>", "or <email-2>, <email-1>.")
        assert found.originals == {
            "<email-1>": "bob@acme-works.com",
            "<email-2>": "eve@acme-works.com",
        }

    def test_it_gives_two_spellings_of_an_address_one_placeholder(self):
        text = "a ::ffff:192.168.77.5 b ::ffff:c0a8:4d05 c 192.168.77.5"
        (found,) = redact([text], NOT_CHECKED).texts
        assert found == "a <address-1> b <address-1> c <address-1>"

    def test_it_goes_on_with_what_was_given_out_before(self):
        known = {"<email-1>": "bob@acme-works.com"}
        found = redact(["eve@acme-works.com bob@acme-works.com"], NOT_CHECKED, known)
        assert found.texts == ("<email-2> <email-1>",)
        assert set(found.originals) == {"<email-1>", "<email-2>"}

    def test_it_replaces_protected_names(self):
        found = redact(["About project HALCYON."], NAMES)
        assert found.texts == ("About <name-1>.",)

    def test_it_takes_no_placeholder_that_the_text_has_already(self):
        text = "<email-1> is bob@acme-works.com"
        found = redact([text], NOT_CHECKED)
        assert found.texts == ("<email-1> is <email-2>",)
        assert restore(found.texts[0], found.originals) == text

    def test_it_leaves_nothing_for_the_gate_to_find(self):
        text = "bob@acme-works.com at 192.168.77.5, key AKIAIOSFODNN7EXAMPLQ"
        (found,) = redact([text], NOT_CHECKED).texts
        assert find_in(found, "question", NOT_CHECKED) == ()


class RestoreTests:
    def test_it_puts_back_only_what_it_gave_out(self):
        originals = {"<email-1>": "bob@acme-works.com"}
        assert restore("Dear <email-1> and <email-2> <b>", originals) == (
            "Dear bob@acme-works.com and <email-2> <b>"
        )

    def test_it_never_looks_into_what_it_put_back(self):
        originals = {"<name-1>": "<name-2>", "<name-2>": "x"}
        assert restore("<name-1>", originals) == "<name-2>"

    @given(
        st.lists(
            st.sampled_from(
                ["bob@acme-works.com", "192.168.77.5", "Project Halcyon", "<email-1>"]
            )
            | st.text(max_size=20),
            max_size=8,
        )
    )
    def test_it_undoes_what_was_redacted(self, parts):
        text = " ".join(parts)
        found = redact([text], NAMES)
        hits = scan(text, NAMES.matcher)
        spelt = {text[hit.start : hit.end] for hit in hits}
        # Two spellings of one thing come back as the first of them.
        assume(len(spelt) == len(found.originals))
        assert restore(found.texts[0], found.originals) == text


class LogTests:
    @pytest.mark.parametrize(
        "text", ["to bob@acme-works.com", "key AKIAIOSFODNN7EXAMPLQ", "/home/mira/x"]
    )
    def test_it_names_what_was_there_by_its_kind(self, text):
        assert without_private(text) != text
        assert "<" in without_private(text)

    def test_it_is_asked_for_every_record(self):
        record = logging.LogRecord(
            "x", logging.WARNING, "f", 1, "sent to %s", ("bob@acme-works.com",), None
        )
        assert RedactionFilter().filter(record)
        assert record.getMessage() == "sent to <email-1>"

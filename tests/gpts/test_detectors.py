from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpts.detectors.hits import DOUBTFUL as PERHAPS
from gpts.detectors.hits import KINDS, Hit, merge
from gpts.detectors.names import NameMatcher
from gpts.detectors.rules import rules
from gpts.detectors.scan import scan
from tests.gpts import labelled

NO_NAMES = NameMatcher(())
CORPUS = Path(__file__).parent / "corpus"


def kinds(text: str, *names: str) -> list[str]:
    return [hit.kind for hit in scan(text, NameMatcher(names))]


def found(text: str, *names: str) -> list[str]:
    return [text[hit.start : hit.end] for hit in scan(text, NameMatcher(names))]


class LabelledTests:
    @pytest.mark.parametrize("text", labelled.NEGATIVES)
    def test_it_finds_nothing_where_nothing_is(self, text):
        assert [hit.kind for hit in scan(text, NO_NAMES) if not hit.doubtful] == []

    @pytest.mark.parametrize(("kind", "text"), labelled.POSITIVES)
    def test_it_finds_every_positive_as_one_thing_of_its_kind(self, kind, text):
        assert set(kinds(text)) == {kind}

    @pytest.mark.parametrize(("kind", "text"), labelled.DOUBTFUL)
    def test_it_says_what_is_doubtful(self, kind, text):
        assert kinds(text) == [kind]

    @pytest.mark.parametrize(("kind", "text"), labelled.POSITIVES)
    def test_it_finds_it_in_the_middle_of_a_page(self, kind, text):
        page = f"An ordinary line, with words.\n\n{text}\n\nAnother one follows.\n"

        assert kind in kinds(page)


class NoiseTests:
    def test_it_finds_at_most_four_things_in_ordinary_text(self):
        texts = [path.read_text() for path in sorted(CORPUS.glob("*.txt"))]

        assert sum(len(text) for text in texts) >= 200_000
        assert sum(len(scan(text, NO_NAMES)) for text in texts) <= 4


class SpanTests:
    def test_it_leaves_port_prefix_zone_and_brackets_outside(self):
        text = "[2001:db8::77:5]:11434 fe80::77:5%eth0 2001:DB8::77:5/64."

        assert found(text) == ["2001:db8::77:5", "fe80::77:5", "2001:DB8::77:5"]

    def test_it_gives_one_host_one_value_in_every_spelling(self):
        text = "::ffff:192.168.77.5 ::ffff:c0a8:4d05 192[.]168[.]77[.]5 192.168.77.5"

        assert {hit.value for hit in scan(text, NO_NAMES)} == {"192.168.77.5"}

    def test_it_takes_the_whole_account_name(self):
        assert found("C:\\Users\\mira k\\a.txt") == ["C:\\Users\\mira k"]

    def test_it_takes_a_private_key_to_its_end(self):
        key = labelled._KEYS[0]

        assert found(f"before\n{key}\nafter") == [key]

    def test_it_is_in_doubt_about_a_key_that_only_begins(self):
        header = "-----BEGIN RSA " + "PRIVATE KEY-----"

        assert kinds(f"a\n{header}\n\nb") == ["possible-private-key"]
        assert kinds(f"a\n{header}") == ["private-key"]

    def test_it_takes_the_disguise_with_it(self):
        assert found("see 192[.]168[.]77[.]5 there") == ["192[.]168[.]77[.]5"]

    def test_it_takes_the_iban_and_not_the_word_after_it(self):
        assert found("NO93 8601 1117 947 AND MORE") == ["NO93 8601 1117 947"]


class MergeTests:
    def test_it_names_overlapping_ones_by_the_most_telling(self):
        joined = merge([Hit("address", 10, 20), Hit("connection", 0, 15)])

        assert joined == (Hit("connection", 0, 20),)

    def test_it_keeps_neighbours_apart(self):
        assert len(merge([Hit("email", 0, 5), Hit("email", 5, 9)])) == 2

    def test_it_prefers_the_sure_one_to_the_doubtful(self):
        joined = merge([Hit("possible-token", 0, 9), Hit("name", 3, 6)])

        assert joined[0].kind == "name"

    def test_it_keeps_the_value_out_of_its_repr(self):
        assert "secret" not in repr(Hit("token", 0, 1, "secret"))


class NameTests:
    @pytest.mark.parametrize(
        "text",
        [
            "for ACME gmbh today",
            "acme-gmbh",
            "acme_gmbh_orders",
            "Acme\u00a0GmbH",
            "acme\ngmbh",
            "Äcme GmbH",
            "acme\u200b gmbh",
        ],
    )
    def test_it_finds_a_name_as_words(self, text):
        assert kinds(text, "Acme GmbH") == ["name"]

    @pytest.mark.parametrize(
        "text", ["acmegmbh", "pacme gmbh", "acme and gmbh", "acme"]
    )
    def test_it_finds_no_part_of_a_word(self, text):
        assert kinds(text, "Acme GmbH") == []

    def test_it_finds_accents_written_apart(self):
        assert found("der Mu\u0308ller da", "Müller") == ["Mu\u0308ller"]

    def test_it_finds_a_name_with_punctuation(self):
        assert kinds("at C & A and c, a", "C&A") == ["name"]

    def test_it_finds_a_name_of_a_script_without_spaces(self):
        assert kinds("これは株式会社山田です", "株式会社山田") == ["name"]

    def test_it_finds_a_name_behind_base64(self):
        text = labelled._b64("the orders of zeppelin works")

        assert kinds(text, "Zeppelin Works") == ["name"]

    def test_it_gives_no_name_where_there_is_none(self):
        assert kinds("zeppelin") == []


HOSTILE = [
    "a.",
    "@",
    "a@a.",
    "1",
    "1 ",
    "1.",
    ":",
    "a:",
    "::1",
    "/",
    "\\",
    "[.]",
    "%41",
]
HOSTILE += [
    "://",
    "a://",
    "host=a ",
    "ssh -a ",
    "password: a",
    "server=a;password",
    "~a/",
]
HOSTILE += [
    "/Users/a ",
    ".lan",
    "eyJ",
    "sk-a",
    "A",
    "-----BEGIN ",
    "DE89 ",
    "aa:",
    "\u200b",
]
HOSTILE += ["\uff11", "&#64;", "\\u0061", " at a dot ", "mysql a ", "zeppelin "]


class HostileTests:
    # What is quadratic takes minutes here, what is linear a fraction of a second.
    @pytest.mark.timeout(10)
    @pytest.mark.parametrize("piece", HOSTILE)
    def test_it_is_linear_on_one_long_line(self, piece):
        line = (piece * 200_000)[:200_000]

        assert scan(line, NameMatcher(["zeppelin works"])) is not None

    def test_it_remembers_what_it_scanned(self):
        text = "host 192.168.77.5 " * 10

        assert scan(text, NO_NAMES) is scan(text, NO_NAMES)

    def test_it_scans_again_when_the_names_change(self):
        assert kinds("zeppelin works") == []
        assert kinds("zeppelin works", "zeppelin works") == ["name"]


class PropertyTests:
    @settings(max_examples=60, deadline=None)
    @given(
        st.text(max_size=200),
        st.sampled_from(labelled.POSITIVES),
        st.text(max_size=200),
    )
    def test_it_covers_what_was_planted(self, before, planted, after):
        kind, text = planted
        page = f"{before}\n\n{text}\n\n{after}"
        place = len(before) + 2

        touching = [
            hit
            for hit in scan(page, NO_NAMES)
            if hit.start < place + len(text) and hit.end > place
        ]

        assert touching

    @settings(max_examples=200, deadline=None)
    @given(st.text(max_size=400))
    def test_it_gives_spans_in_order_that_never_overlap(self, text):
        hits = scan(text, NO_NAMES)

        assert all(0 <= hit.start < hit.end <= len(text) for hit in hits)
        assert all(a.end <= b.start for a, b in zip(hits, hits[1:], strict=False))

    @settings(max_examples=100, deadline=None)
    @given(st.binary(max_size=300))
    def test_it_survives_any_bytes(self, raw):
        text = raw.decode("utf-8", "surrogateescape")

        assert all(hit.end <= len(text) for hit in scan(text, NO_NAMES))


class RulesTests:
    def test_it_knows_the_kind_of_every_rule(self):
        assert {rule.kind.removeprefix(PERHAPS) for rule in rules()} <= set(KINDS)

    def test_it_has_an_anchor_for_every_rule(self):
        assert all(rule.anchors for rule in rules())

    def test_it_folds_the_anchors_of_folding_rules(self):
        assert all(
            anchor == anchor.lower()
            for rule in rules()
            if rule.fold
            for anchor in rule.anchors
        )

from __future__ import annotations

import pytest

from gpts.detectors.names import NOT_CHECKED, NameMatcher, Names
from gpts.gate import (
    Cleared,
    Destination,
    Finding,
    Message,
    Payload,
    Refused,
    Verdict,
    clear,
    find,
)
from servers.hosting import Hosting

CLEAN = "How do I split this migration?"
PRIVATE = "The mail went to mira@example.org yesterday."
ENTERED = Names(NameMatcher(["Zeppelin Works"]), checked=True, entered=1)
EMPTY = Names(NameMatcher(["nas.lan"]), checked=True, entered=0)
NEAR = [Hosting.LOOPBACK, Hosting.LAN]


def payload(*contents: str) -> Payload:
    roles = ["system", *("user", "assistant") * len(contents)]
    return Payload(tuple(Message(r, c) for r, c in zip(roles, contents, strict=False)))


def to(hosting: Hosting) -> Destination:
    return Destination("https://host:443", "server-1", "host", hosting)


class GlobalTests:
    def test_it_blocks_anything_found_whatever_is_confirmed(self):
        verdict = clear(
            payload("", PRIVATE),
            to(Hosting.GLOBAL),
            retyped=True,
            confirmed=True,
            names=ENTERED,
        )

        assert isinstance(verdict, Refused)
        assert (verdict.verdict, verdict.needs) == (Verdict.BLOCK, "")

    @pytest.mark.parametrize("names", [NOT_CHECKED, EMPTY])
    def test_it_blocks_while_no_name_could_be_found(self, names):
        verdict = clear(
            payload("", CLEAN), to(Hosting.GLOBAL), retyped=True, names=names
        )

        assert isinstance(verdict, Refused)
        assert (verdict.verdict, verdict.needs) == (Verdict.BLOCK, "")

    def test_it_asks_for_the_host_only_where_that_would_help(self):
        destination = to(Hosting.GLOBAL)

        clean = clear(payload("", CLEAN), destination, names=ENTERED)
        private = clear(payload("", PRIVATE), destination, names=ENTERED)

        assert isinstance(clean, Refused) and clean.needs == "retype"
        assert isinstance(private, Refused) and private.needs == ""

    def test_it_blocks_what_is_only_possible(self):
        verdict = clear(
            payload("", "lib==1.2.3.4"),
            to(Hosting.GLOBAL),
            retyped=True,
            names=ENTERED,
        )

        assert isinstance(verdict, Refused)

    def test_it_clears_what_is_clean_once_the_host_was_typed(self):
        verdict = clear(
            payload("", CLEAN), to(Hosting.GLOBAL), retyped=True, names=ENTERED
        )

        assert isinstance(verdict, Cleared)
        assert verdict.names_checked


class NearTests:
    @pytest.mark.parametrize("hosting", NEAR)
    def test_it_warns_and_lets_a_person_confirm(self, hosting):
        asked = clear(payload("", PRIVATE), to(hosting), names=ENTERED)
        sent = clear(payload("", PRIVATE), to(hosting), confirmed=True, names=ENTERED)

        assert isinstance(asked, Refused)
        assert (asked.verdict, asked.needs) == (Verdict.WARN, "confirm")
        assert isinstance(sent, Cleared)
        assert [finding.kind for finding in sent.findings] == ["email"]

    @pytest.mark.parametrize("hosting", NEAR)
    def test_it_needs_no_confirmation_where_names_were_not_checked(self, hosting):
        verdict = clear(payload("", CLEAN), to(hosting))

        assert isinstance(verdict, Cleared)
        assert not verdict.names_checked

    def test_it_finds_protected_names(self):
        verdict = clear(
            payload("", "for zeppelin works"), to(Hosting.LAN), names=ENTERED
        )

        assert [finding.kind for finding in verdict.findings] == ["name"]

    def test_it_counts_what_lies_across_a_cut(self):
        across = (Finding("token", "a.md", 7990, 8030, "gh…"),)

        verdict = clear(payload("", CLEAN), to(Hosting.LAN), also=across)

        assert isinstance(verdict, Refused)
        assert verdict.findings == across


class PayloadTests:
    def test_it_looks_into_every_message(self):
        whole = payload(PRIVATE, PRIVATE, PRIVATE, PRIVATE)

        assert [finding.source for finding in find(whole, NOT_CHECKED)] == [
            "system",
            "user 2",
            "assistant 3",
            "question",
        ]

    def test_it_says_where_in_its_own_text_each_finding_stands(self):
        (finding,) = find(payload("", PRIVATE), NOT_CHECKED)

        assert PRIVATE[finding.start : finding.end] == "mira@example.org"
        assert finding.excerpt == "mira@example.org"

    def test_it_shortens_a_long_finding_for_the_eye(self):
        key = "-----BEGIN PRIVATE " + "KEY-----\n" + "AAAAinvented\n" * 99

        (finding,) = find(payload("", key), NOT_CHECKED)

        assert len(finding.excerpt) <= 48
        assert "\n" not in finding.excerpt


class SealTests:
    def test_it_alone_makes_what_a_turn_accepts(self):
        with pytest.raises(TypeError):
            Cleared(payload("", CLEAN), to(Hosting.LAN))

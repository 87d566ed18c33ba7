from __future__ import annotations

import pytest

from gpts.matching import Fit, billions, match, tokens
from gpts.requirements import Requirements
from servers.claims import Claim, Claims
from servers.hosting import Hosting


def claims(**found: Claim) -> Claims:
    return Claims("m", **found)


def read(value, *, estimated: bool = False) -> Claim:
    return Claim(value, "GET /props", estimated)


class MatchTests:
    def test_it_fits_when_nothing_is_asked_for(self):
        found = match(Requirements(), None, Hosting.LOOPBACK)
        assert (found.verdict, found.reason) == (
            Fit.OK,
            "fits: stays on this machine",
        )

    def test_it_names_what_fits(self):
        requires = Requirements(context_window=8192, tool_calling=True)
        found = match(
            requires,
            claims(context_tokens=read(16384), tools=read(True)),
            Hosting.LAN,
        )
        assert found.reason == "fits: stays on your network, context 16k, tool calling"

    @pytest.mark.parametrize(
        ("asked", "found", "verdict"),
        [
            (Hosting.LOOPBACK, Hosting.LOOPBACK, Fit.OK),
            (Hosting.LOOPBACK, Hosting.LAN, Fit.NO),
            (Hosting.LAN, Hosting.LOOPBACK, Fit.OK),
            (Hosting.LAN, Hosting.LAN, Fit.OK),
            (Hosting.LAN, Hosting.GLOBAL, Fit.NO),
            (Hosting.GLOBAL, Hosting.GLOBAL, Fit.OK),
        ],
    )
    def test_it_lets_text_travel_no_farther_than_asked(self, asked, found, verdict):
        result = match(Requirements(hosting=asked), None, found)
        assert (result.verdict, result.requirement) == (verdict, "hosting")

    @pytest.mark.parametrize(
        ("requires", "found", "verdict", "reason"),
        [
            (
                Requirements(context_window=32768),
                claims(context_tokens=read(8192)),
                Fit.NO,
                "asks for 32k of context, this server announces 8k",
            ),
            (
                Requirements(context_window=32768),
                claims(),
                Fit.UNKNOWN,
                "asks for 32k of context; this server's could not be read",
            ),
            (
                Requirements(context_window=32768),
                claims(context_trained=read(8192)),
                Fit.UNKNOWN,
                "asks for 32k of context; trained for 8k, "
                "what is in force is not announced",
            ),
            (
                Requirements(context_window=32768),
                claims(context_tokens=read("large")),
                Fit.UNKNOWN,
                "asks for 32k of context; this server's could not be read",
            ),
            (
                Requirements(parameters=7),
                claims(parameters_billions=read(3.2)),
                Fit.NO,
                "asks for 7 B parameters, this model announces 3.2 B",
            ),
            (
                Requirements(parameters=7),
                claims(parameters_billions=read(3, estimated=True)),
                Fit.UNKNOWN,
                "parameters: about 3 B by its name, asks for 7 B",
            ),
            (
                Requirements(parameters=7),
                claims(parameters_billions=read(8, estimated=True)),
                Fit.UNKNOWN,
                "parameters: about 8 B by its name, asks for 7 B",
            ),
            (
                Requirements(tool_calling=True),
                claims(),
                Fit.UNKNOWN,
                "tool calling could not be checked on this server",
            ),
            (
                Requirements(vision=True),
                claims(vision=read(False)),
                Fit.NO,
                "asks for vision, this model announces none",
            ),
            (
                Requirements(json_output=True),
                claims(json_output=read(False, estimated=True)),
                Fit.UNKNOWN,
                "asks for JSON output, which this model may or may not have",
            ),
            (
                Requirements(unknown_keys=("contextwindow",)),
                claims(),
                Fit.UNKNOWN,
                'its requirement "contextwindow" is not understood, '
                "so it cannot be checked",
            ),
        ],
    )
    def test_it_gives_the_deciding_requirement_with_both_values(
        self, requires, found, verdict, reason
    ):
        result = match(requires, found, Hosting.LAN)
        assert (result.verdict, result.reason) == (verdict, reason)

    def test_it_lets_a_no_beat_an_earlier_unknown(self):
        requires = Requirements(context_window=8192, json_output=True)
        result = match(requires, claims(json_output=read(False)), Hosting.LAN)
        assert (result.verdict, result.requirement) == (Fit.NO, "json_output")

    def test_it_decides_ties_in_the_order_of_the_requirements(self):
        requires = Requirements(
            context_window=8192, parameters=7, tool_calling=True, vision=True
        )
        result = match(requires, claims(), Hosting.LAN)
        assert result.requirement == "context_window"
        refused = claims(
            context_tokens=read(1),
            parameters_billions=read(1),
            tools=read(False),
            vision=read(False),
        )
        assert match(requires, refused, Hosting.GLOBAL).requirement == "hosting"
        assert match(requires, refused, Hosting.LAN).requirement == "context_window"

    def test_it_stays_unknown_with_a_typo_even_if_all_else_fits(self):
        requires = Requirements(vision=True, unknown_keys=("tols",))
        result = match(requires, claims(vision=read(True)), Hosting.LOOPBACK)
        assert result.verdict is Fit.UNKNOWN


class WordsTests:
    @pytest.mark.parametrize(
        ("count", "words"),
        [(8192, "8k"), (131072, "128k"), (32000, "32,000"), (0, "0")],
    )
    def test_it_shortens_windows_only_without_loss(self, count, words):
        assert tokens(count) == words

    @pytest.mark.parametrize(("count", "words"), [(7, "7 B"), (0.5, "0.5 B")])
    def test_it_writes_billions(self, count, words):
        assert billions(count) == words

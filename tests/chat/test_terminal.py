"""A turn on a terminal: the answer apart from what is said about it."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest

from chat.events import (
    Body,
    Event,
    Heartbeat,
    RateLimited,
    Reasoning,
    Started,
    Text,
    ToolActivity,
    ToolCall,
    Usage,
)
from chat.terminal import Terminal, as_json, plain
from chat.turn import Ending, Outcome, Timings

RESET = datetime(2026, 11, 30, 13, tzinfo=UTC)


def shown(*bodies: Body, outcome: Outcome | None = None, watched: bool = False):
    out, notes = io.StringIO(), io.StringIO()
    terminal = Terminal(out, notes, watched=watched)
    for number, body in enumerate(bodies, 1):
        terminal.show(Event(number, body))
    if outcome:
        terminal.end(outcome)
    return out.getvalue(), notes.getvalue()


class AnswerTests:
    def test_it_writes_the_answer_alone_where_it_is_piped(self):
        done = Outcome(Ending.COMPLETED, text="Hi there", model="m")
        out, notes = shown(
            Started("m"), Reasoning("hm"), Text("Hi"), Text(" there"), outcome=done
        )

        assert out == "Hi there\n"
        assert notes == "m\n"

    def test_it_dims_the_reasoning_for_somebody_who_watches(self):
        out, _ = shown(Reasoning("hm"), Text("Hi"), watched=True)

        assert out == "\x1b[2mhm\x1b[0m\nHi"

    def test_it_obeys_no_control_character_of_a_model(self):
        out, notes = shown(
            Text("a\x1b]0;title\x07b\x9b31mc\td\ne\rf"), ToolActivity("\x1b[2Jlook")
        )

        assert out == "a]0;titleb31mc\td\nef"
        assert "\x1b" not in notes

    def test_it_names_each_tool_once(self):
        _, notes = shown(ToolActivity("look", "{"), ToolActivity("look", "}"))

        assert notes.count("look") == 1

    @pytest.mark.parametrize(
        ("body", "watched", "said"),
        [
            (Heartbeat(4.0, "loading"), False, "The model is being loaded (4 s).\n"),
            (Heartbeat(3.0), True, "Nothing for 3 s.\n"),
            (Heartbeat(3.0), False, ""),
            (RateLimited(RESET, "slow down"), False, "slow down\n"),
        ],
    )
    def test_it_says_signs_of_life_beside_the_answer(self, body, watched, said):
        assert shown(body, watched=watched)[1] == said


class EndTests:
    def test_it_says_how_it_ended_and_what_it_took(self):
        outcome = Outcome(
            Ending.COMPLETED,
            model="m",
            finish_reason="stop",
            usage=Usage(3, 12),
            notes=("Sent again without top_k.",),
            timings=Timings(0.1, 1.0, 90.5),
        )

        assert shown(outcome=outcome)[1] == (
            "Sent again without top_k.\n"
            "m, 12 tokens, first token after 0.1 s, 90.5 tokens/s, stop\n"
        )

    def test_it_says_why_it_failed(self):
        outcome = Outcome(Ending.FAILED, error="m: disk full (HTTP 500)")

        assert shown(outcome=outcome)[1] == "failed: m: disk full (HTTP 500)\n"

    def test_it_says_when_a_limit_ends(self):
        outcome = Outcome(Ending.RATE_LIMITED, error="slow", resets_at=RESET)

        assert "2026-11-30 13:00:00 UTC" in shown(outcome=outcome)[1]

    def test_it_says_no_facts_of_what_was_never_sent(self):
        outcome = Outcome(Ending.REFUSED, error="It may not go.", model="m")

        assert shown(outcome=outcome)[1] == "refused: It may not go.\n"


class DocumentTests:
    def test_it_has_the_keys_of_the_interface(self):
        assert as_json(Outcome(Ending.FAILED, error="x")) == {
            "outcome": "failed",
            "text": "",
            "reasoning": "",
            "error": "x",
            "resets_at": None,
            "finish_reason": None,
            "model": None,
            "usage": {"prompt_tokens": None, "completion_tokens": None},
            "tools": [],
            "timings": {"first_token_s": None, "total_s": None, "tokens_per_s": None},
        }

    def test_it_writes_times_in_utc_and_tools_as_objects(self):
        said = as_json(
            Outcome(Ending.RATE_LIMITED, resets_at=RESET, tools=(ToolCall("f", "{}"),))
        )

        assert said["resets_at"] == "2026-11-30T13:00:00+00:00"
        assert said["tools"] == [{"name": "f", "arguments": "{}"}]

    def test_it_leaves_plain_text_alone(self):
        assert plain("Grüße\t🌍\n") == "Grüße\t🌍\n"

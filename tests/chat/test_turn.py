"""Drain: numbers, heartbeats, stop, timeout, and what a turn comes to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest

from chat.backends.base import Request
from chat.errors import BackendError, Fault
from chat.events import (
    Body,
    Event,
    Final,
    Heartbeat,
    RateLimited,
    Reasoning,
    Started,
    Text,
    ToolActivity,
    ToolCall,
    Usage,
)
from chat.turn import Ending, Outcome, Reading, Stop, drain
from tests.chat.backends.asking import at, cleared_for

REQUEST = Request(cleared_for(at(1)), "m-test")
RESET = datetime(2026, 11, 30, 13, tzinfo=UTC)
STOP = Final("stop", "m-real", Usage(3, 10), (ToolCall("f", "{}"),), ("a note",))


class Scripted:
    """A backend that yields bodies, waits where a number stands, raises errors."""

    def __init__(self, *script: Body | float | Exception) -> None:
        self._script = script
        self.closed = False
        self.asked = 0

    async def events(self, request: Request) -> AsyncIterator[Body]:
        self.asked += 1
        try:
            for step in self._script:
                if isinstance(step, Exception):
                    raise step
                if isinstance(step, int | float):
                    await asyncio.sleep(step)
                else:
                    yield step
        finally:
            self.closed = True


class Clock:
    """Seconds that a test moves on by itself."""

    def __init__(self, *moments: float) -> None:
        self._moments = list(moments)

    def __call__(self) -> float:
        return self._moments.pop(0) if len(self._moments) > 1 else self._moments[0]


def drained(*script: Body | float | Exception, **more: Any) -> tuple[Outcome, Any]:
    events: list[Event] = []
    backend = Scripted(*script)
    outcome = asyncio.run(drain(backend, REQUEST, sink=events.append, **more))
    assert backend.closed
    return outcome, events


class OutcomeTests:
    def test_it_completes_with_everything_the_final_says(self):
        outcome, events = drained(
            Started("m"), Reasoning("hm"), Text("H"), Text("i"), STOP
        )

        assert outcome.ending is Ending.COMPLETED
        assert (outcome.text, outcome.reasoning) == ("Hi", "hm")
        assert (outcome.finish_reason, outcome.model) == ("stop", "m-real")
        assert outcome.usage == Usage(3, 10)
        assert (outcome.tools, outcome.notes) == (STOP.tools, STOP.notes)
        assert [event.number for event in events] == [1, 2, 3, 4, 5]
        assert [event.kind for event in events] == [
            "started", "reasoning", "text", "text", "final",
        ]  # fmt: skip

    def test_it_reads_nothing_past_the_final(self):
        outcome, events = drained(Text("a"), STOP, Text("b"))

        assert outcome.text == "a"
        assert events[-1].kind == "final"

    def test_it_fails_where_the_stream_just_ends(self):
        outcome, _ = drained(Started(), Text("a"))

        assert (outcome.ending, outcome.fault) == (Ending.FAILED, "cut")
        assert outcome.text == "a"
        assert outcome.error

    def test_it_fails_with_the_fault_and_the_facts_of_the_backend(self):
        facts = Final("length", "m-real", Usage(None, 512))
        error = BackendError(Fault.EMPTY, "no answer", facts=facts)
        outcome, _ = drained(Started(), Reasoning("hm"), error)

        assert (outcome.ending, outcome.fault) == (Ending.FAILED, "empty")
        assert (outcome.error, outcome.reasoning) == ("no answer", "hm")
        assert (outcome.finish_reason, outcome.usage) == ("length", Usage(None, 512))

    def test_it_lets_a_bug_of_a_backend_through(self):
        backend = Scripted(Text("a"), ValueError("bug"))

        with pytest.raises(ValueError, match="bug"):
            asyncio.run(drain(backend, REQUEST))
        assert backend.closed

    def test_it_lets_a_timeout_of_the_backend_s_own_through(self):
        with pytest.raises(TimeoutError):
            asyncio.run(drain(Scripted(TimeoutError()), REQUEST, timeout_seconds=9))


class LimitTests:
    def test_it_is_rate_limited_where_no_final_follows_a_limit(self):
        outcome, _ = drained(Text("a"), RateLimited(RESET, "slow down"))

        assert outcome.ending is Ending.RATE_LIMITED
        assert (outcome.resets_at, outcome.error) == (RESET, "slow down")
        assert outcome.text == "a"

    def test_it_believes_the_last_limit(self):
        outcome, _ = drained(RateLimited(None, "first"), RateLimited(RESET, "last"))

        assert (outcome.resets_at, outcome.error) == (RESET, "last")

    def test_it_lets_a_later_final_win(self):
        outcome, _ = drained(RateLimited(RESET), Text("a"), STOP)

        assert outcome.ending is Ending.COMPLETED
        assert outcome.resets_at is None

    def test_it_is_rate_limited_where_an_error_follows_a_limit(self):
        error = BackendError(Fault.CUT, "lost")
        outcome, _ = drained(RateLimited(RESET, ""), error)

        assert outcome.ending is Ending.RATE_LIMITED
        assert outcome.error == "lost"


class TimeoutTests:
    def test_it_keeps_what_came_before_the_timeout(self):
        outcome, _ = drained(Text("a"), 60.0, Text("b"), timeout_seconds=0.02)

        assert outcome.ending is Ending.TIMEOUT
        assert outcome.text == "a"
        assert "0.02" in outcome.error

    def test_it_bounds_the_waits_of_a_loading_server_too(self):
        beats = [step for _ in range(99) for step in (Heartbeat(2, "loading"), 0.01)]
        outcome, _ = drained(Started(), *beats, timeout_seconds=0.03)

        assert outcome.ending is Ending.TIMEOUT


class StopTests:
    def test_it_is_interrupted_with_its_text_when_asked_to_stop(self):
        stop = Stop()
        backend = Scripted(Started(), Text("a"), 60.0, Text("b"))

        def sink(event: Event) -> None:
            if event.kind == "text":
                stop.ask()

        outcome = asyncio.run(drain(backend, REQUEST, sink=sink, stop=stop))

        assert outcome.ending is Ending.INTERRUPTED
        assert (outcome.text, outcome.error) == ("a", "")
        assert backend.closed

    def test_it_sends_nothing_when_stopped_before_it_began(self):
        async def run() -> tuple[Outcome, Scripted]:
            stop, backend = Stop(), Scripted(STOP)
            stop.ask()
            return await drain(backend, REQUEST, stop=stop), backend

        outcome, backend = asyncio.run(run())

        assert (outcome.ending, backend.asked) == (Ending.INTERRUPTED, 0)

    def test_it_takes_a_stop_twice_or_too_late_for_nothing(self):
        async def run() -> Outcome:
            stop = Stop()
            outcome = await drain(Scripted(Text("a"), STOP), REQUEST, stop=stop)
            stop.ask()
            stop.ask()
            await asyncio.sleep(0)
            return outcome

        assert asyncio.run(run()).ending is Ending.COMPLETED

    def test_it_prefers_the_stop_where_the_timeout_is_near(self):
        async def run() -> Outcome:
            stop = Stop()
            loop = asyncio.get_running_loop()
            loop.call_later(0.01, stop.ask)
            backend = Scripted(60.0)
            return await drain(backend, REQUEST, stop=stop, timeout_seconds=30)

        assert asyncio.run(run()).ending is Ending.INTERRUPTED

    def test_it_passes_on_the_cancelling_of_its_task(self):
        async def run() -> tuple[Outcome, Scripted]:
            reading, backend = Reading(), Scripted(Text("a"), 60.0)
            began = asyncio.Event()
            turn = asyncio.create_task(
                drain(backend, REQUEST, sink=lambda event: began.set(), reading=reading)
            )
            await began.wait()
            turn.cancel()
            with pytest.raises(asyncio.CancelledError):
                await turn
            assert asyncio.all_tasks() == {asyncio.current_task()}
            return reading.outcome(Ending.INTERRUPTED), backend

        outcome, backend = asyncio.run(run())

        assert (outcome.ending, outcome.text) == (Ending.INTERRUPTED, "a")
        assert backend.closed


class HeartbeatTests:
    def test_it_beats_while_nothing_comes(self):
        outcome, events = drained(Text("a"), 0.1, STOP, quiet_seconds=0.02)
        beats = [event for event in events if event.kind == "heartbeat"]

        assert outcome.ending is Ending.COMPLETED
        assert len(beats) >= 2
        assert [event.number for event in events] == [*range(1, len(events) + 1)]
        assert all(beat.body.reason == "quiet" for beat in beats)

    def test_it_does_not_beat_while_something_comes(self):
        words = [step for _ in range(20) for step in (Text("a"), 0.005)]
        _, events = drained(*words, STOP, quiet_seconds=5.0)

        assert {event.kind for event in events} == {"text", "final"}

    def test_it_stops_beating_at_the_end(self):
        async def run() -> int:
            events: list[Event] = []
            backend = Scripted(Text("a"), STOP)
            await drain(backend, REQUEST, sink=events.append, quiet_seconds=0.01)
            heard = len(events)
            await asyncio.sleep(0.05)
            return len(events) - heard

        assert asyncio.run(run()) == 0


class ReadingTests:
    def test_it_measures_from_the_start_of_the_request(self):
        reading = Reading(Clock(0.0, 1.0, 3.0, 4.0, 6.0))
        for body in (Started(), Text("a"), STOP):
            reading.take(body)
        timings = reading.outcome(Ending.COMPLETED).timings

        assert (timings.first_token_s, timings.total_s) == (2.0, 5.0)
        assert timings.tokens_per_s == pytest.approx(10 / 3, abs=0.01)

    def test_it_takes_the_whole_time_where_all_came_in_one_lump(self):
        reading = Reading(Clock(0.0, 0.0, 5.0, 5.0, 5.0))
        for body in (Started(), Text("a"), STOP):
            reading.take(body)

        assert reading.outcome(Ending.COMPLETED).timings.tokens_per_s == 2.0

    @pytest.mark.parametrize("usage", [Usage(), Usage(3, 0), Usage(3, None)])
    def test_it_knows_no_speed_without_counts(self, usage):
        reading = Reading(Clock(0.0, 1.0, 2.0, 3.0, 4.0))
        for body in (Started(), Text("a"), Final("stop", usage=usage)):
            reading.take(body)

        assert reading.outcome(Ending.COMPLETED).timings.tokens_per_s is None

    def test_it_has_no_first_token_where_none_came(self):
        reading = Reading(Clock(0.0))
        reading.take(Started())

        assert reading.outcome(Ending.FAILED).timings.first_token_s is None

    def test_it_counts_no_heartbeat_of_its_own_as_a_sign_of_life(self):
        reading = Reading(Clock(0.0, 4.0))

        assert reading.beat().body == Heartbeat(4.0)
        assert reading.quiet_seconds == 4.0

    def test_it_says_every_event_as_json(self):
        reading = Reading()
        bodies = (
            Started("m"), Text("a"), Reasoning("b"), ToolActivity("f", "{"),
            Heartbeat(3.0), RateLimited(RESET, "slow"), STOP,
        )  # fmt: skip
        said = [reading.take(body).as_json() for body in bodies]

        assert [row["number"] for row in said] == [1, 2, 3, 4, 5, 6, 7]
        assert said[5]["resets_at"] == "2026-11-30T13:00:00+00:00"
        assert said[6]["tools"] == [{"name": "f", "arguments": "{}"}]
        assert said[6]["usage"] == {"prompt_tokens": 3, "completion_tokens": 10}

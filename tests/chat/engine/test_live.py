from __future__ import annotations

import asyncio

import pytest

from chat.engine.base import Place
from chat.engine.live import RING, Delta, Live
from chat.events import Event, Heartbeat, Reasoning, Started, Text
from tests.chat.makers import run


def live_with(*bodies, last_event: int = 0) -> Live:
    live = Live(1, last_event)
    for number, body in enumerate((Started("tiny"), *bodies), 1):
        live.take(Event(number, body))
    return live


def long_answer(tokens: int) -> Live:
    return live_with(*(Text(f"{n} ") for n in range(tokens)))


def said(notices) -> str:
    return "".join(n.data["text"] for n in notices if n.kind == "text")


class ReplayTests:
    def test_it_replays_every_event_from_the_beginning(self):
        notices = live_with(Text("a"), Heartbeat(3.0), Text("b")).since(0)
        assert [n.number for n in notices] == [1, 2, 3, 4]
        assert [n.kind for n in notices] == ["started", "text", "heartbeat", "text"]

    @pytest.mark.parametrize("after", range(6))
    def test_it_replays_what_comes_after_any_number(self, after):
        live = live_with(*map(Text, "abcd"))
        assert [n.number for n in live.since(after)] == list(range(after + 1, 6))

    @pytest.mark.parametrize("after", [5, 99, 10**17])
    def test_it_has_nothing_for_who_has_heard_all(self, after):
        assert live_with(*map(Text, "abcd")).since(after) == []

    @pytest.mark.parametrize("after", [0, 1, 2, 500, RING, RING + 400, 3 * RING])
    def test_it_merges_what_is_too_old_to_be_kept_one_by_one(self, after):
        tokens = 3 * RING
        live = long_answer(tokens)
        texts = [f"{n} " for n in range(tokens)]
        assert said(live.since(after)) == "".join(texts[max(after - 1, 0) :])

    def test_it_gives_a_merged_text_the_number_of_its_last_event(self):
        numbers = [notice.number for notice in long_answer(3 * RING).since(1)]
        assert numbers[:2] == [2 * RING + 1, 2 * RING + 2]

    def test_it_merges_reasoning_apart_from_the_answer(self):
        thoughts = [Reasoning(f"r{n} ") for n in range(RING)]
        live = live_with(*thoughts, *(Text("t ") for _ in range(RING + 1)))
        kinds = [n.kind for n in live.since(0)][:3]
        assert kinds == ["started", "reasoning", "text"]


class AttemptTests:
    def test_it_goes_on_with_the_numbers_of_an_earlier_attempt(self):
        live = live_with(Text("half"))
        live.again()
        live.take(Event(1, Started("tiny")))
        live.take(Event(2, Text("whole")))
        assert [n.number for n in live.since(2)] == [3, 4]

    def test_it_replays_an_ended_attempt_under_its_own_numbers(self):
        live = live_with(Text("half"))
        live.again()
        assert [n.number for n in live.since(0)] == [1, 2]

    def test_it_forgets_the_text_of_an_earlier_attempt(self):
        live = live_with(Text("half"))
        live.again()
        live.take(Event(1, Started("tiny")))
        assert live.pieces == []
        assert [n.kind for n in live.since(0)] == ["started"]

    def test_it_numbers_after_what_the_row_says(self):
        live = live_with(Text("a"), last_event=40)
        assert [n.number for n in live.since(40)] == [41, 42]


class DeltaTests:
    def test_it_gives_what_came_once(self):
        live = live_with(Text("a"), Reasoning("r"), Text("b"))
        assert live.delta() == Delta(1, 4, "ab", "r")
        assert live.delta() is None

    def test_it_gives_only_what_is_new(self):
        live = live_with(Text("a"))
        live.delta()
        live.take(Event(3, Text("b")))
        assert live.delta() == Delta(1, 3, "b", "")


class FollowTests:
    def test_it_tells_every_follower_the_same_without_gap_or_double(self):
        live = Live(1)

        async def play():
            early = asyncio.create_task(self.hear(live, 0))
            for number in range(1, 50):
                body = Started("m") if number == 1 else Text(f"{number} ")
                live.take(Event(number, body))
                if number % 7 == 0:
                    await asyncio.sleep(0)
            late = asyncio.create_task(self.hear(live, 20))
            await asyncio.sleep(0)
            live.end("completed")
            return await early, await late

        early, late = run(play)
        assert early == [*range(1, 50), None]
        assert late == [*range(21, 50), None]

    def test_it_tells_who_waits_where_it_stands(self):
        live = Live(1)

        async def play():
            heard = asyncio.create_task(self.kinds(live))
            for ahead in (2, 2, 1):
                live.stand(Place(ahead, 1, 1))
                await asyncio.sleep(0)
            live.stand(None)
            live.take(Event(1, Started("m")))
            live.end("completed")
            return await heard

        assert run(play) == ["queue", "queue", "started", "end"]

    async def hear(self, live, after):
        return [n.number async for batch in live.follow(after) for n in batch]

    async def kinds(self, live):
        return [n.kind async for batch in live.follow(0) for n in batch]

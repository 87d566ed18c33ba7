from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from chat.fifo import Entry, Queue, decide, in_order, joined, left, limited, resumed

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)
ADA, BOB, CY = 1, 2, 3


def waiting(*people: int) -> tuple[Entry, ...]:
    """Turns 10, 20, 30 ... of these people, in the order they asked."""
    return tuple(
        Entry(key=number * 10, person=person, order=number)
        for number, person in enumerate(people, 1)
    )


def started(queue: Queue, now: datetime = NOW) -> list[int]:
    return [entry.key for entry in decide(queue, now).start]


# people in the order they asked, who was served when, and the keys as they start
FAIRNESS = {
    "nobody waits": ((), {}, []),
    "one person's turns keep their order": ((ADA, ADA, ADA), {}, [10, 20, 30]),
    "two new people alternate": ((ADA, ADA, BOB, BOB), {}, [10, 30, 20, 40]),
    "who was never served goes before who was": ((ADA, BOB), {ADA: 7}, [20, 10]),
    "who was served longest ago goes first": ((ADA, BOB), {ADA: 2, BOB: 1}, [20, 10]),
    "equals go by the age of their turn": ((CY, ADA, BOB), {}, [10, 20, 30]),
    "a flood of one person does not stand before another": (
        (ADA, ADA, ADA, ADA, BOB),
        {ADA: 1},
        [50, 10, 20, 30, 40],
    ),
    "three people take turns": (
        (ADA, ADA, BOB, BOB, CY, CY),
        {},
        [10, 30, 50, 20, 40, 60],
    ),
    "a long absence is no credit for two in a row": (
        (ADA, BOB, BOB),
        {ADA: 99, BOB: 1},
        [20, 10, 30],
    ),
}


class FairnessTests:
    @pytest.mark.parametrize("case", FAIRNESS)
    def test_it_orders_by_who_was_served_least_recently(self, case):
        people, served, keys = FAIRNESS[case]
        queue = Queue(waiting=waiting(*people), served=served)
        assert [entry.key for entry in in_order(queue)] == keys

    @pytest.mark.parametrize("case", FAIRNESS)
    def test_it_starts_them_in_the_order_it_shows(self, case):
        people, served, keys = FAIRNESS[case]
        queue, found = Queue(waiting=waiting(*people), served=served), []
        for _ in keys:
            decision = decide(queue, NOW)
            found += [entry.key for entry in decision.start]
            queue = left(decision.queue, decision.start[0].key)
        assert found == keys


class LaneTests:
    @pytest.mark.parametrize(
        ("lanes", "running", "starts"),
        [(1, 0, 1), (1, 1, 0), (2, 1, 1), (4, 0, 3), (0, 0, 0), (1, 2, 0)],
    )
    def test_it_starts_as_many_as_lanes_are_free(self, lanes, running, starts):
        busy = tuple(Entry(key=n, person=9, order=0) for n in range(running))
        queue = Queue(lanes=lanes, waiting=waiting(ADA, BOB, CY), running=busy)
        assert len(decide(queue, NOW).start) == starts

    def test_it_moves_what_it_starts_from_waiting_to_running(self):
        decision = decide(Queue(waiting=waiting(ADA, BOB)), NOW)
        assert [entry.key for entry in decision.queue.waiting] == [20]
        assert [entry.key for entry in decision.queue.running] == [10]

    def test_it_frees_the_lane_of_a_turn_that_is_over(self):
        queue = decide(Queue(waiting=waiting(ADA, BOB)), NOW).queue
        assert started(queue) == []
        assert started(left(queue, 10)) == [20]

    def test_it_decides_nothing_twice(self):
        decision = decide(Queue(lanes=2, waiting=waiting(ADA, BOB)), NOW)
        assert decide(decision.queue, NOW).start == ()


class JoiningTests:
    def test_it_takes_a_turn_once(self):
        entry = Entry(key=10, person=ADA, order=1)
        queue = joined(joined(Queue(), entry), entry)
        assert len(queue.waiting) == 1

    def test_it_does_not_queue_a_turn_that_runs(self):
        queue = decide(Queue(waiting=waiting(ADA)), NOW).queue
        assert joined(queue, Entry(key=10, person=ADA, order=1)).waiting == ()

    def test_it_lets_a_waiting_turn_be_cancelled(self):
        queue = left(Queue(waiting=waiting(ADA, BOB, CY)), 20)
        assert [entry.key for entry in in_order(queue)] == [10, 30]

    def test_it_ignores_the_cancelling_of_a_stranger(self):
        queue = Queue(waiting=waiting(ADA))
        assert left(queue, 99) == queue


class RateLimitTests:
    def running(self, *people: int, lanes: int = 1) -> Queue:
        return decide(Queue(lanes=lanes, waiting=waiting(*people)), NOW).queue

    def limit(self, queue, key=10, resets_at=LATER, by_itself=True, now=NOW):
        return limited(queue, key, resets_at=resets_at, by_itself=by_itself, now=now)

    def test_it_pauses_everybody_until_a_known_reset(self):
        queue = self.limit(self.running(ADA, BOB))
        assert started(queue) == []
        assert decide(queue, NOW).wake_at == LATER

    def test_it_continues_with_the_limited_turn_first(self):
        queue = self.limit(self.running(ADA, BOB))
        assert started(queue, LATER) == [10]

    def test_it_moves_on_at_the_reset_without_one_that_waits_for_its_person(self):
        queue = self.limit(self.running(ADA, BOB), by_itself=False)
        assert started(queue) == []
        assert started(queue, LATER) == [20]

    @pytest.mark.parametrize("resets_at", [None, NOW, NOW - timedelta(hours=1)])
    def test_it_moves_on_at_once_when_the_reset_is_unknown_or_past(self, resets_at):
        queue = self.limit(self.running(ADA, BOB), resets_at=resets_at)
        assert started(queue) == [20]

    def test_it_believes_the_last_reset_it_saw(self):
        queue = self.running(ADA, BOB, lanes=2)
        sooner = NOW + timedelta(minutes=1)
        queue = self.limit(self.limit(queue, key=10), key=20, resets_at=sooner)
        assert queue.resumes_at == sooner
        assert started(queue, sooner) == [10, 20]

    def test_it_lets_other_lanes_finish_while_paused(self):
        queue = self.limit(self.running(ADA, BOB, lanes=2))
        assert [entry.key for entry in queue.running] == [20]
        assert left(queue, 20).running == ()

    def test_it_queues_newcomers_behind_the_pause(self):
        queue = joined(self.limit(self.running(ADA)), Entry(key=77, person=CY, order=9))
        assert started(queue) == []
        assert [entry.key for entry in in_order(queue)] == [10, 77]

    def test_it_has_nothing_to_wake_for_when_nobody_waits(self):
        queue = self.limit(self.running(ADA), by_itself=False)
        assert decide(queue, NOW).wake_at is None

    def test_it_tries_again_at_once_when_the_person_says_so(self):
        queue = self.limit(self.running(ADA, BOB), by_itself=False)
        queue = resumed(queue, Entry(key=10, person=ADA, order=1))
        assert started(queue) == [10]

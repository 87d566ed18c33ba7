"""What only the engine of the process does: limits, restarts, timeouts, flushes."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from chat.engine.inprocess import InProcess
from chat.engine.rows import Roads
from chat.errors import BackendError, EngineTaken, Fault
from chat.events import Final, RateLimited, Text
from chat.models import TEMPORARY_FROM, Conversation, EngineLease, Piece, State, Turn
from servers.retained import forget
from tests.chat.makers import (
    QUICK,
    a_conversation,
    a_person,
    a_server,
    a_turn,
    an_engine,
    hear,
    in_thread,
    run,
    text_of,
    until,
    until_in_rows,
)
from tests.chat.scripted import Scripted, answer

pytestmark = pytest.mark.django_db(transaction=True, serialized_rollback=True)


def soon(seconds: float = 1.2) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


def pieces_of(engine, turn):
    live = engine.live(turn.pk)
    return live.pieces if live else []


def played(backend, *turns, rhythm=QUICK, after=None):
    """Submit these turns, hear all of them to their ends."""

    async def play():
        async with an_engine(backend, rhythm) as engine:
            for turn in turns:
                await in_thread(engine.submit)(turn.pk)
            heard = [asyncio.create_task(hear(engine, turn.pk)) for turn in turns]
            return await asyncio.gather(*heard)

    return run(play)


class RateLimitTests:
    def test_it_continues_by_itself_when_the_limit_is_over(self):
        turn = a_turn(a_conversation())
        backend = Scripted([[RateLimited(soon(), "Slow down.")], answer("Now.")])
        heard = played(backend, turn)[0]
        kinds = [notice.kind for notice in heard]
        assert kinds.index("rate_limited") < kinds.index("queue")
        assert kinds.count("started") == 2
        turn.refresh_from_db()
        assert (turn.state, turn.answer) == (State.COMPLETED, "Now.")
        assert turn.resets_at is None

    def test_it_numbers_the_second_attempt_after_the_first(self):
        turn = a_turn(a_conversation())
        backend = Scripted([[Text("a"), RateLimited(soon())], answer("b")])
        numbers = [n.number for n in played(backend, turn)[0] if n.number]
        assert numbers == list(range(1, len(numbers) + 1))

    def test_it_keeps_the_text_of_a_limited_attempt_beside_the_answer(self):
        turn = a_turn(a_conversation())
        backend = Scripted([[Text("Half"), RateLimited(soon())], answer("Whole.")])
        played(backend, turn)
        turn.refresh_from_db()
        assert (turn.earlier, turn.answer) == (["Half"], "Whole.")

    def test_it_lets_everybody_on_that_server_wait_and_see_until_when(self):
        # Far enough away that a busy machine meets it while it lies ahead.
        server, resets_at = a_server(), soon(3)
        ada = a_turn(a_conversation(a_person("ada"), server))
        bob = a_turn(a_conversation(a_person("bob"), server))
        backend = Scripted([[RateLimited(resets_at)], answer("x")])
        _ada, heard = played(backend, ada, bob)
        places = [n.data for n in heard if n.kind == "queue"]
        assert resets_at.isoformat() in {place["resumes_at"] for place in places}
        assert backend.requests[1].cleared.destination.name == "server-1"
        bob.refresh_from_db()
        assert bob.state == State.COMPLETED

    def test_it_does_not_go_on_by_itself_where_that_is_switched_off(self):
        turn = a_turn(a_conversation(), by_itself=False)
        backend = Scripted([[RateLimited(soon(30))], answer("x")])
        heard = played(backend, turn)[0]
        assert heard[-1].data["state"] == "rate_limited"
        turn.refresh_from_db()
        assert (turn.state, turn.ended) == (State.RATE_LIMITED, None)
        assert len(backend.requests) == 1

    def test_it_moves_on_at_once_after_a_limit_without_a_reset(self):
        server = a_server()
        turns = [a_turn(a_conversation(a_person(n), server)) for n in ("ada", "bob")]
        backend = Scripted([[RateLimited(None)], answer("x")])
        played(backend, *turns)
        states = {turn.pk: Turn.objects.get(pk=turn.pk).state for turn in turns}
        assert set(states.values()) == {State.RATE_LIMITED, State.COMPLETED}

    def waiting_for_a_reset(self, then, seconds: float = 60):
        """A limited turn that waits; what `then` does with engine and key."""
        turn = a_turn(a_conversation())
        backend = Scripted([[RateLimited(soon(seconds))], answer("Now.")])

        async def play():
            async with an_engine(backend) as engine:
                await in_thread(engine.submit)(turn.pk)
                await until(lambda: engine.place(turn.pk))
                await until_in_rows(
                    lambda: Turn.objects.filter(state=State.RATE_LIMITED).exists()
                )
                await then(engine, turn.pk)
                return await hear(engine, turn.pk)

        return run(play)[-1].data["state"]

    def test_it_stops_waiting_when_its_person_says_so(self):
        async def then(engine, key):
            await in_thread(engine.continue_by_itself)(key, False)

        assert self.waiting_for_a_reset(then) == "rate_limited"

    def test_it_waits_again_when_its_person_changes_their_mind(self):
        async def then(engine, key):
            await in_thread(engine.continue_by_itself)(key, False)
            await until(lambda: engine.place(key) is None)
            await in_thread(engine.continue_by_itself)(key, True)
            await until(lambda: engine.place(key))

        assert self.waiting_for_a_reset(then, seconds=2.5) == "completed"

    def test_it_tries_at_once_when_its_person_says_so(self):
        async def then(engine, key):
            await in_thread(engine.resume)(key)

        assert self.waiting_for_a_reset(then) == "completed"

    def test_it_stops_trying_by_itself_after_a_while(self):
        turn = a_turn(a_conversation())
        backend = Scripted([[RateLimited(soon(5))]])
        played(backend, turn, rhythm=replace(QUICK, attempts_by_itself=1))
        turn.refresh_from_db()
        assert (turn.state, len(backend.requests)) == (State.RATE_LIMITED, 1)

    def test_it_lets_a_person_cancel_the_wait_for_a_reset(self):
        turn = a_turn(a_conversation())

        async def play():
            backend = Scripted([[Text("Half"), RateLimited(soon(60))]])
            async with an_engine(backend) as engine:
                await in_thread(engine.submit)(turn.pk)
                await until(lambda: engine.place(turn.pk))
                await in_thread(engine.cancel)(turn.pk)
                return await hear(engine, turn.pk)

        assert run(play)[-1].data["state"] == "interrupted"
        turn.refresh_from_db()
        assert (turn.state, turn.answer) == (State.INTERRUPTED, "Half")


class FairnessTests:
    def test_it_serves_the_person_who_waited_longest_for_a_turn(self):
        server = a_server()
        ada = [a_turn(a_conversation(a_person("ada"), server), f"a{n}") for n in "123"]
        bob = a_turn(a_conversation(a_person("bob"), server), "b1")
        backend = Scripted([[0.05, *answer("x")]])
        played(backend, *ada, bob)
        asked = [r.cleared.payload.messages[-1].content for r in backend.requests]
        assert asked == ["a1", "b1", "a2", "a3"]

    def test_it_answers_as_many_at_once_as_the_server_has_slots(self):
        server = a_server(slots=2)
        turns = [a_turn(a_conversation(a_person(n), server)) for n in "abc"]

        async def play():
            gate = asyncio.Event()
            backend = Scripted([[gate, *answer("x")]])
            async with an_engine(backend) as engine:
                for turn in turns:
                    await in_thread(engine.submit)(turn.pk)
                await until(lambda: len(backend.requests) == 2)
                place = engine.place(turns[2].pk)
                gate.set()
                await hear(engine, turns[2].pk)
                return place

        place = run(play)
        assert (place.ahead, place.running, place.lanes) == (0, 2, 2)


class KeepingTests:
    def test_it_keeps_what_arrives_while_it_arrives(self):
        turn = a_turn(a_conversation())

        async def play():
            never = asyncio.Event()
            async with an_engine(Scripted([[Text("So "), Text("far"), never]])) as e:
                await in_thread(e.submit)(turn.pk)
                await until_in_rows(Piece.objects.exists)
                texts = await in_thread(lambda: list(Piece.objects.all()))()
                return "".join(piece.texts[0] for piece in texts)

        assert run(play) == "So far"

    def test_it_loses_nothing_when_it_is_stopped(self):
        turn = a_turn(a_conversation())

        async def play():
            never = asyncio.Event()
            backend = Scripted([[Text("All of it"), never]])
            rhythm = replace(QUICK, flush=60)
            async with an_engine(backend, rhythm) as engine:
                await in_thread(engine.submit)(turn.pk)
                await until(lambda: pieces_of(engine, turn))

        run(play)
        turn.refresh_from_db()
        assert (turn.state, turn.answer) == (State.INTERRUPTED, "All of it")

    def test_it_ends_a_turn_at_its_own_timeout(self):
        turn = a_turn(a_conversation(), timeout_seconds=0.2)
        played(Scripted([[Text("Slow"), asyncio.Event()]]), turn)
        turn.refresh_from_db()
        assert (turn.state, turn.answer) == (State.TIMEOUT, "Slow")
        assert "0.2 s" in turn.error

    def test_it_ends_a_turn_at_the_timeout_of_the_settings(self):
        turn = a_turn(a_conversation())
        played(
            Scripted([[asyncio.Event()]]), turn, rhythm=replace(QUICK, turn_seconds=0.2)
        )
        turn.refresh_from_db()
        assert turn.state == State.TIMEOUT

    def test_it_frees_the_lane_of_a_turn_that_broke(self):
        server = a_server()
        turns = [a_turn(a_conversation(a_person(n), server)) for n in ("ada", "bob")]
        backend = Scripted([[BackendError(Fault.CUT, "Cut.")], answer("x")])
        played(backend, *turns)
        assert Turn.objects.get(pk=turns[1].pk).state == State.COMPLETED

    def test_it_ends_a_turn_whose_backend_is_broken_in_itself(self):
        turn = a_turn(a_conversation())
        played(Scripted([[Text("a"), ZeroDivisionError("bug")]]), turn)
        turn.refresh_from_db()
        assert (turn.state, turn.answer) == (State.FAILED, "a")
        assert "ZeroDivisionError" not in turn.error

    def test_it_says_what_the_server_said_of_its_answer(self):
        turn = a_turn(a_conversation())
        final = Final("length", model="tiny-q4", notes=("Sent without top_k.",))
        played(Scripted([[Text("a"), final]]), turn)
        turn.refresh_from_db()
        found = (turn.finish_reason, turn.model_answered, turn.notes)
        assert found == ("length", "tiny-q4", ["Sent without top_k."])

    def test_it_forgets_conversations_that_were_not_used_for_so_long(self):
        old, new = a_conversation(), a_conversation()
        long_ago = datetime.now(UTC) - timedelta(days=8)
        Conversation.objects.filter(pk=old.pk).update(updated=long_ago)

        async def play():
            rhythm = replace(QUICK, retention_days=7)
            async with an_engine(Scripted([[]]), rhythm):
                await until_in_rows(lambda: Conversation.objects.count() == 1)

        run(play)
        assert list(Conversation.objects.all()) == [new]


class RestartTests:
    def test_it_interrupts_what_ran_with_the_text_that_was_kept(self):
        turn = a_turn(a_conversation())
        Turn.objects.filter(pk=turn.pk).update(state=State.RUNNING)
        for number, text in ((3, "So "), (7, "far")):
            Piece.objects.create(turn=turn, number=number, texts=[text, "hm"])
        played(Scripted([[]]))
        turn.refresh_from_db()
        assert (turn.state, turn.answer) == (State.INTERRUPTED, "So far")
        assert (turn.reasoning, turn.last_event) == ("hmhm", 7)
        assert turn.error
        assert not Piece.objects.exists()

    def test_it_answers_what_was_waiting(self):
        turn, backend = a_turn(a_conversation()), Scripted([answer("Later.")])

        async def play():
            async with an_engine(backend) as engine:
                return await hear(engine, turn.pk)

        assert text_of(run(play)) == "Later."

    def test_it_goes_on_waiting_for_a_reset(self):
        turn = a_turn(a_conversation())
        Turn.objects.filter(pk=turn.pk).update(
            state=State.RATE_LIMITED, resets_at=soon(0.4)
        )

        async def play():
            async with an_engine(Scripted([answer("Now.")])) as engine:
                return engine.place(turn.pk), await hear(engine, turn.pk)

        place, heard = run(play)
        assert place.resumes_at
        assert text_of(heard) == "Now."

    def test_it_refuses_to_run_beside_another_engine(self):
        async def play():
            async with an_engine(Scripted([[]])):
                with pytest.raises(EngineTaken):
                    async with an_engine(Scripted([[]])):
                        pass

        run(play)

    @pytest.mark.parametrize(
        "gone", [{"pid": 2**22 + 1}, {"pid_started": "1"}, {"renewed": soon(-3600)}]
    )
    def test_it_takes_over_from_one_that_is_gone(self, gone):
        async def lease():
            async with an_engine(Scripted([[]])):
                return await in_thread(EngineLease.objects.values().get)(pk=1)

        EngineLease.objects.create(**{**run(lease), **gone})
        played(Scripted([[]]))
        assert not EngineLease.objects.exists()

    def test_it_gives_the_engine_back(self):
        played(Scripted([[]]))
        assert not EngineLease.objects.exists()


class RefusalTests:
    """Cleared again at the moment it would go."""

    def test_it_asks_nobody_for_a_person_who_may_not_any_more(self):
        person = a_person("eve")
        turn, backend = a_turn(a_conversation(person)), Scripted([answer("x")])
        person.groups.clear()
        played(backend, turn)
        turn.refresh_from_db()
        assert (turn.state, backend.requests) == (State.REFUSED, [])

    def test_it_asks_nobody_for_a_deactivated_person(self):
        person = a_person("eve")
        turn, backend = a_turn(a_conversation(person)), Scripted([answer("x")])
        person.is_active = False
        person.save()
        played(backend, turn)
        assert backend.requests == []

    def test_it_asks_no_server_that_was_forgotten(self):
        server = a_server()
        turn, backend = a_turn(a_conversation(server=server)), Scripted([answer("x")])
        forget(server.pk)
        played(backend, turn)
        turn.refresh_from_db()
        assert (turn.state, backend.requests) == (State.REFUSED, [])
        assert turn.error

    def test_it_leaves_a_turn_alone_that_was_ended_meanwhile(self):
        turn, backend = a_turn(a_conversation()), Scripted([answer("x")])
        Turn.objects.filter(pk=turn.pk).update(stop_requested=True)
        played(backend, turn)
        assert backend.requests == []


class TemporaryTests:
    def test_it_answers_a_temporary_turn_and_leaves_no_row(self):
        conversation = a_conversation(temporary=True)
        turn = a_turn(conversation)
        heard = played(Scripted([answer("Gone ", "soon.")]), turn)[0]
        assert text_of(heard) == "Gone soon."
        assert turn.pk >= TEMPORARY_FROM
        assert (turn.state, turn.answer) == (State.COMPLETED, "Gone soon.")
        assert not Conversation.objects.exists()
        assert not Turn.objects.exists()
        assert not Piece.objects.exists()


class OutsideTests:
    def test_it_runs_what_another_process_left_as_a_row(self):
        backend = Scripted([answer("Found.")])
        conversation = a_conversation()

        async def play():
            async with an_engine(backend) as engine:
                turn = await in_thread(a_turn)(conversation)
                await until(lambda: engine.live(turn.pk))
                return await hear(engine, turn.pk)

        assert text_of(run(play)) == "Found."

    def test_it_does_nothing_before_it_started(self):
        turn = a_turn(a_conversation())
        InProcess(Roads(server=lambda kept, placed: Scripted([[]]))).submit(turn.pk)
        turn.refresh_from_db()
        assert turn.state == State.QUEUED

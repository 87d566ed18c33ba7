"""What every engine must do, held against each of them."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest

from chat.engine.elsewhere import Elsewhere
from chat.errors import BackendError, Fault
from chat.events import Final, RateLimited, Reasoning, Text
from chat.models import Piece, State, Turn
from tests.chat.makers import (
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
)
from tests.chat.scripted import Scripted, Step, answer

pytestmark = pytest.mark.django_db(transaction=True, serialized_rollback=True)


@asynccontextmanager
async def here(backend):
    async with an_engine(backend) as engine:
        yield engine


@asynccontextmanager
async def elsewhere(backend):
    """Another process's view of an engine: here of one in the same process."""
    async with an_engine(backend):
        yield Elsewhere()


@pytest.fixture(params=[here, elsewhere], ids=["in process", "elsewhere"])
def open_engine(request):
    return request.param


@in_thread
def state_of(key):
    return Turn.objects.get(pk=key).state


async def reach(key, state):
    while await state_of(key) != state:  # noqa: ASYNC110  rows have no event
        await asyncio.sleep(0.01)


async def submitted(engine, *turns):
    for turn in turns:
        await in_thread(engine.submit)(turn.pk)


class EngineContractTests:
    def test_it_runs_a_submitted_turn_to_its_end(self, open_engine):
        turn = a_turn(a_conversation())

        async def play():
            async with open_engine(Scripted([answer("Be", "cause.")])) as engine:
                await submitted(engine, turn)
                return await hear(engine, turn.pk)

        heard = run(play)
        assert text_of(heard) == "Because."
        assert (heard[-1].kind, heard[-1].data["state"]) == ("end", "completed")
        turn.refresh_from_db()
        assert (turn.state, turn.answer) == (State.COMPLETED, "Because.")
        assert turn.model_answered == "tiny"
        assert turn.ended
        assert not Piece.objects.exists()

    def test_it_runs_a_turn_once_however_often_it_is_submitted(self, open_engine):
        turn, backend = a_turn(a_conversation()), Scripted([answer("Once.")])

        async def play():
            async with open_engine(backend) as engine:
                await submitted(engine, turn, turn, turn)
                await hear(engine, turn.pk)
                await submitted(engine, turn)

        run(play)
        assert len(backend.requests) == 1

    def test_it_sends_what_was_cleared_and_nothing_else(self, open_engine):
        turn, backend = (
            a_turn(a_conversation(), system="Be brief."),
            Scripted([answer("Yes.")]),
        )

        async def play():
            async with open_engine(backend) as engine:
                await submitted(engine, turn)
                await hear(engine, turn.pk)

        run(play)
        sent = backend.requests[0]
        said = [(m.role, m.content) for m in sent.cleared.payload.messages]
        assert said == [("system", "Be brief."), ("user", "Why?")]
        assert sent.model == "tiny"

    def test_it_keeps_the_text_of_a_stopped_turn(self, open_engine):
        turn = a_turn(a_conversation())

        async def play():
            never = asyncio.Event()
            backend = Scripted([[Text("So far"), never]])
            async with open_engine(backend) as engine:
                await submitted(engine, turn)
                await until(lambda: backend.requests)
                await asyncio.sleep(0.05)
                await in_thread(engine.cancel)(turn.pk)
                await hear(engine, turn.pk)
                return backend.closed

        assert run(play) == 1
        turn.refresh_from_db()
        assert (turn.state, turn.answer) == (State.INTERRUPTED, "So far")

    def test_it_cancels_a_turn_that_waits(self, open_engine):
        server = a_server()
        first = a_turn(a_conversation(a_person("ada"), server))
        second = a_turn(a_conversation(a_person("bob"), server))

        async def play():
            gate = asyncio.Event()
            backend = Scripted([[gate, *answer("One.")]])
            async with open_engine(backend) as engine:
                await submitted(engine, first, second)
                await until(lambda: backend.requests)
                await in_thread(engine.cancel)(second.pk)
                await reach(second.pk, State.INTERRUPTED)
                gate.set()
                await reach(first.pk, State.COMPLETED)
            return len(backend.requests)

        assert run(play) == 1

    def test_it_answers_one_at_a_time_where_slots_are_unknown(self, open_engine):
        server = a_server()
        turns = [a_turn(a_conversation(a_person(n), server)) for n in ("ada", "bob")]

        async def play():
            gate = asyncio.Event()
            backend = Scripted([[gate, *answer("x")]])
            async with open_engine(backend) as engine:
                await submitted(engine, *turns)
                await until(lambda: backend.requests)
                place = await in_thread(engine.place)(turns[1].pk)
                gate.set()
                for turn in turns:
                    await reach(turn.pk, State.COMPLETED)
                return place

        place = run(play)
        assert (place.ahead, place.running, place.lanes) == (0, 1, 1)

    def test_it_says_what_went_wrong_in_the_row(self, open_engine):
        turn = a_turn(a_conversation())
        broken = BackendError(Fault.UNREACHABLE, "No connection.")

        async def play():
            async with open_engine(Scripted([[broken]])) as engine:
                await submitted(engine, turn)
                return await hear(engine, turn.pk)

        assert run(play)[-1].data["state"] == "failed"
        turn.refresh_from_db()
        assert (turn.error, turn.fault) == ("No connection.", "unreachable")

    def test_it_lets_a_limit_without_a_reset_wait_for_its_person(self, open_engine):
        turn = a_turn(a_conversation())
        scripts: list[list[Step]] = [[RateLimited(None, "Too many.")], answer("Now.")]

        async def play():
            async with open_engine(Scripted(scripts)) as engine:
                await submitted(engine, turn)
                await hear(engine, turn.pk)
                limited = await state_of(turn.pk)
                await in_thread(engine.resume)(turn.pk)
                await reach(turn.pk, State.COMPLETED)
                return limited

        assert run(play) == State.RATE_LIMITED
        turn.refresh_from_db()
        assert (turn.answer, turn.error) == ("Now.", "")

    def test_it_ignores_strangers(self, open_engine):
        async def play():
            async with open_engine(Scripted([answer("x")])) as engine:
                for call in (engine.submit, engine.cancel, engine.resume):
                    await in_thread(call)(404)
                return await hear(engine, 404), await in_thread(engine.place)(404)

        heard, place = run(play)
        assert [notice.kind for notice in heard] == ["end"]
        assert place is None

    def test_it_tells_reasoning_apart_from_the_answer(self, open_engine):
        turn = a_turn(a_conversation())
        script: list[Step] = [Reasoning("Hm."), Text("Yes."), Final("stop")]

        async def play():
            async with open_engine(Scripted([script])) as engine:
                await submitted(engine, turn)
                return await hear(engine, turn.pk)

        heard = run(play)
        kinds = [n.kind for n in heard if n.kind in ("reasoning", "text")]
        assert kinds == ["reasoning", "text"]
        turn.refresh_from_db()
        assert (turn.reasoning, turn.answer) == ("Hm.", "Yes.")

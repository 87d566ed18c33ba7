"""A real llama.cpp server with a tiny model: two members, one slot, a queue."""

from __future__ import annotations

import asyncio

import pytest

from chat.engine.inprocess import InProcess
from chat.models import State, Turn
from chat.roads import roads
from servers.hosting import Hosting
from servers.retained import keep
from tests.chat.makers import (
    QUICK,
    a_conversation,
    a_person,
    a_turn,
    hear,
    in_thread,
    run,
    text_of,
    until,
)
from tests.llama import llama

pytestmark = [
    pytest.mark.llama,
    pytest.mark.django_db(transaction=True, serialized_rollback=True),
]


@pytest.fixture(scope="module")
def origin():
    with llama(slots=1) as found:
        yield found


@pytest.fixture
def kept(origin):
    return keep(origin, family="llamacpp", hosting=Hosting.LOOPBACK, slots=1)


def with_engine(play):
    async def whole():
        engine = InProcess(roads(), QUICK)
        await engine.start()
        try:
            return await play(engine)
        finally:
            await engine.stop()

    return run(whole)


def asked(person, kept, question="Tell me.", **params):
    conversation = a_conversation(a_person(person), kept)
    return a_turn(conversation, question, params={"max_tokens": 40, **params})


class QueueTests:
    def test_it_answers_two_members_one_after_the_other(self, kept):
        # Long enough that the second comes while the first is answered.
        first = asked("ada", kept, max_tokens=400, ignore_eos=True)
        second = asked("bob", kept, ignore_eos=True)

        async def play(engine):
            for turn in (first, second):
                await in_thread(engine.submit)(turn.pk)
            return await asyncio.gather(
                *(hear(engine, turn.pk) for turn in (first, second))
            )

        one, two = with_engine(play)
        waited = [notice.data for notice in two if notice.kind == "queue"]
        assert waited[0]["running"] == 1
        first.refresh_from_db()
        second.refresh_from_db()
        assert first.ended <= second.started
        for turn, heard in ((first, one), (second, two)):
            assert (turn.state, turn.answer) == (State.COMPLETED, text_of(heard))
            assert turn.completion_tokens in (40, 400)
            assert turn.finish_reason == "length"
            assert turn.tokens_per_s > 0

    def test_it_frees_the_server_when_a_turn_is_stopped(self, kept):
        long = asked("ada", kept, max_tokens=100_000, ignore_eos=True)
        short = asked("bob", kept)

        async def play(engine):
            for turn in (long, short):
                await in_thread(engine.submit)(turn.pk)
            await until(lambda: len(engine.live(long.pk).pieces) > 5)
            await in_thread(engine.cancel)(long.pk)
            await hear(engine, short.pk)

        with_engine(play)
        states = [Turn.objects.get(pk=turn.pk).state for turn in (long, short)]
        assert states == [State.INTERRUPTED, State.COMPLETED]
        long.refresh_from_db()
        assert long.answer

    def test_it_tells_the_model_what_was_said_before(self, kept):
        conversation = a_conversation(a_person("ada"), kept)

        async def ask(engine, question):
            turn = await in_thread(a_turn)(
                conversation, question, params={"max_tokens": 8}
            )
            await in_thread(engine.submit)(turn.pk)
            await hear(engine, turn.pk)
            return await in_thread(Turn.objects.get)(pk=turn.pk)

        async def play(engine):
            return await ask(engine, "One?"), await ask(engine, "Two?")

        one, two = with_engine(play)
        assert two.prompt_tokens > one.prompt_tokens + 8

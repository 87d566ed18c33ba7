"""Turns with a session through the engine: forked first, then its own fork."""

from __future__ import annotations

import os
import time

import pytest
from django.contrib.auth.models import Permission

from chat import transcript
from chat.claude.choosing import destination_of
from chat.claude.sessions import Session
from chat.engine.inprocess import InProcess
from chat.models import Conversation, State, Turn
from chat.roads import roads
from chat.transcript import Asking
from gpts.protected import add
from tests.chat.claude.machine import FORK, SESSION, result
from tests.chat.makers import QUICK, a_person, hear, in_thread, run

pytestmark = pytest.mark.django_db(transaction=True, serialized_rollback=True)


@pytest.fixture
def conversation(machine, monkeypatch, settings):
    settings.LLMHUB_CLAUDE = True
    for name in ("PATH", "HOME"):
        monkeypatch.setenv(name, machine.environ[name])
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    machine.answer(result()).save(SESSION)
    person = a_person()
    person.user_permissions.add(Permission.objects.get(codename="ask_claude"))
    add(["zzquxx"])
    return transcript.begin(person, claude_session=SESSION)


def ask(conversation, question="Why?"):
    """One question through an engine of its own; the turn as it ended."""
    destination = destination_of(Session(session_id=SESSION))
    asking = Asking(question, retyped=frozenset([destination.key]))
    turn = transcript.ask(conversation, asking, destination)
    assert isinstance(turn, Turn)

    async def play():
        engine = InProcess(roads(), QUICK)
        await engine.start()
        try:
            await in_thread(engine.submit)(turn.pk)
            await hear(engine, turn.pk)
        finally:
            await engine.stop()

    run(play)
    return Turn.objects.get(pk=turn.pk)


class TurnTests:
    def test_it_answers_and_goes_on_with_the_fork(self, conversation, machine):
        turn = ask(conversation)
        assert (turn.state, turn.answer) == (State.COMPLETED, "Yes.")
        assert f"--resume\n{SESSION}\n--fork-session" in machine.seen("argv")
        again = Conversation.objects.get()
        assert again.claude_adopted == FORK
        machine.answer(result(result="Again."))
        assert ask(again, "And?").answer == "Again."
        assert f"--resume\n{FORK}\n--tools" in machine.seen("argv")
        assert machine.seen("stdin") == "And?"

    def test_it_forks_again_after_a_failure(self, conversation, machine):
        machine.answer(result(is_error=True, result="API Error: 529"))
        turn = ask(conversation)
        assert (turn.state, turn.answer) == (State.FAILED, "")
        assert Conversation.objects.get().claude_adopted == ""

    def test_it_tells_a_limit_with_its_reset(self, conversation, machine):
        reset = int(time.time()) + 3600
        words = f"Claude AI usage limit reached|{reset}"
        machine.answer(result(is_error=True, result=words))
        destination = destination_of(Session(session_id=SESSION))
        asking = Asking("Why?", retyped=frozenset(["claude"]), by_itself=False)
        turn = transcript.ask(conversation, asking, destination)
        assert isinstance(turn, Turn)

        async def play():
            engine = InProcess(roads(), QUICK)
            await engine.start()
            try:
                await in_thread(engine.submit)(turn.pk)
                await hear(engine, turn.pk)
            finally:
                await engine.stop()

        run(play)
        turn.refresh_from_db()
        assert turn.state == State.RATE_LIMITED
        assert turn.resets_at is not None
        assert turn.resets_at.timestamp() == reset

    def test_it_asks_no_session_that_is_gone(self, conversation, machine):
        machine.save(FORK).unlink()
        machine.save(SESSION).unlink()
        turn = ask(conversation)
        assert turn.state == State.REFUSED
        assert "No Claude Code session" in turn.error

    def test_it_asks_nothing_once_the_permission_is_gone(self, conversation):
        conversation.owner.user_permissions.clear()
        assert ask(conversation).state == State.REFUSED

    def test_it_writes_into_the_session_only_while_that_process_holds_it(
        self, conversation, machine
    ):
        now = int(time.time() * 1000)
        row = {"pid": os.getpid(), "startedAt": now, "sessionId": SESSION}
        machine.announce([row])
        transcript.change(conversation, claude_holder=os.getpid())
        ask(conversation)
        assert "--fork-session" not in machine.seen("argv")

    def test_it_forks_when_another_process_holds_it_by_now(self, conversation, machine):
        transcript.change(conversation, claude_holder=os.getpid())
        ask(conversation)
        assert "--fork-session" in machine.seen("argv")

"""Questions to a real child process that plays `claude`."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from chat.backends.base import Request
from chat.backends.claude_cli import ClaudeCli
from chat.claude.liveness import running
from chat.claude.sessions import Session
from chat.events import Event, RateLimited, Reasoning, Text, ToolActivity
from chat.turn import Ending, Stop, drain
from gpts.gate import Cleared, Destination, Message, Payload, clear
from servers.hosting import Hosting
from tests.chat.claude.machine import (
    FORK,
    SESSION,
    STREAM_HELP,
    Machine,
    result,
    until,
)

HERE = Destination("claude", "Claude session", "claude", Hosting.LOOPBACK)
QUESTION = "the secret question"


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def request(*messages):
    messages = messages or (Message("user", QUESTION),)
    cleared = clear(Payload(messages), HERE)
    assert isinstance(cleared, Cleared)
    return Request(cleared, model="")


def backend(machine, **more):
    session = Session(session_id=SESSION, directory=str(machine.folder))
    return ClaudeCli(session, environ=machine.environ, grace_seconds=0.1, **more)


def ask(machine, *messages, timeout=30.0, stop=None, sink=None, **more):
    return asyncio.run(
        drain(
            backend(machine, **more),
            request(*messages),
            timeout_seconds=timeout,
            stop=stop,
            sink=sink,
        )
    )


class QuestionTests:
    def test_it_asks_on_standard_input_and_never_in_an_argument(self, machine):
        outcome = ask(machine.answer(result()))
        assert (outcome.ending, outcome.text) == (Ending.COMPLETED, "Yes.")
        assert machine.seen("stdin") == QUESTION
        assert "secret" not in machine.seen("argv")

    def test_it_may_only_read_and_forks(self, machine):
        ask(machine.answer(result()))
        assert machine.seen("argv").split("\n")[:-1] == [
            "-p",
            "--output-format",
            "json",
            "--resume",
            SESSION,
            "--fork-session",
            "--tools",
            "Read,Glob,Grep",
            "--permission-mode",
            "dontAsk",
            "--add-dir",
            str(machine.folder),
        ]

    def test_it_continues_the_session_itself_only_when_told(self, machine):
        ask(machine.answer(result()), fork=False)
        assert "--fork-session" not in machine.seen("argv")

    def test_it_runs_in_the_sessions_own_directory(self, machine):
        ask(machine.answer(result()))
        assert machine.seen("pwd").strip() == str(machine.folder)

    @pytest.mark.parametrize("directory", ["", "/gone/away", "relative", "a\0b"])
    def test_it_runs_in_an_empty_folder_where_the_directory_is_gone(
        self, machine, directory
    ):
        machine.answer(result())
        session = Session(session_id=SESSION, directory=directory)
        asking = ClaudeCli(session, environ=machine.environ)
        assert asyncio.run(drain(asking, request())).ending is Ending.COMPLETED
        assert "--add-dir" not in machine.seen("argv")
        assert not Path(machine.seen("pwd").strip()).exists()

    def test_it_passes_no_key_on(self, machine):
        ask(machine.answer(result()))
        assert "canary" not in machine.seen("env")
        assert f"HOME={machine.home}" in machine.seen("env")

    def test_it_sends_only_the_new_turn_with_a_gpts_text_at_its_head(self, machine):
        history = [
            Message("system", "Be brief."),
            Message("user", "first"),
            Message("assistant", "1"),
            Message("user", "second"),
        ]
        ask(machine.answer(result()), *history)
        assert machine.seen("stdin") == "Be brief.\n\nsecond"
        assert "system" not in machine.seen("argv")

    def test_it_sends_a_huge_question_to_a_program_that_reads_none_of_it(self, machine):
        machine.answer(result())
        program = machine.folder / "bin/claude"
        program.write_text(f"#!/bin/sh\ncat {machine.folder}/out\n")
        outcome = ask(machine, Message("user", "x" * 3_000_000))
        assert outcome.text == "Yes."


class AnswerTests:
    def test_it_adopts_the_fork(self, machine):
        asking = backend(machine.answer(result()))
        asyncio.run(drain(asking, request()))
        assert asking.adopted.session_id == FORK

    @pytest.mark.parametrize(
        ("named", "note"),
        [
            (None, "no fork id returned"),
            (SESSION, "the original session itself was continued"),
        ],
    )
    def test_it_adopts_nothing_else_and_says_why(self, machine, named, note):
        asking = backend(machine.answer(result(session_id=named)))
        outcome = asyncio.run(drain(asking, request()))
        assert outcome.text == "Yes."
        assert asking.adopted.session_id == ""
        assert note in outcome.notes

    def test_it_adopts_nothing_after_a_failure(self, machine):
        asking = backend(machine.answer(result(is_error=True)))
        outcome = asyncio.run(drain(asking, request()))
        assert outcome.ending is Ending.FAILED
        assert outcome.text == ""
        assert asking.adopted.session_id == ""

    def test_it_says_what_the_answer_cost_and_what_was_refused(self, machine):
        denials = [{"tool_name": "Bash", "tool_input": {"command": "cat /home/m/x"}}]
        outcome = ask(
            machine.answer(
                result(
                    permission_denials=denials * 2, modelUsage={"m-1": {}, "m-2": {}}
                )
            )
        )
        assert outcome.notes == (
            "as of the last saved state of the session",
            "2 tool calls were not allowed (Bash)",
            "cost: 0.0100 US dollars",
            "1 turn",
            "models: m-1, m-2",
        )
        assert outcome.model == "m-1"
        assert outcome.usage.completion_tokens == 3

    def test_it_reads_an_answer_longer_than_a_pipe_to_its_end(self, machine):
        text = "x" * 2_000_000
        assert ask(machine.answer(result(result=text))).text == text

    def test_it_reports_a_limit_as_one(self, machine):
        words = "Claude AI usage limit reached|4102444800"
        machine.answer(result(is_error=True, result=words), code=1)
        outcome = ask(machine)
        assert outcome.ending is Ending.RATE_LIMITED
        assert outcome.error == words

    def test_it_says_that_there_is_no_program(self, machine):
        machine.environ["PATH"] = "/nonexistent"
        outcome = ask(machine)
        assert outcome.ending is Ending.FAILED
        assert "no claude program" in outcome.error

    def test_it_says_that_the_program_cannot_be_started(self, machine):
        machine.answer(result())
        (machine.folder / "bin/claude").write_text("#!/nonexistent/node\n")
        outcome = ask(machine)
        assert outcome.ending is Ending.FAILED
        assert "could not be started" in outcome.error


def gone(pid_file):
    """Whether the process that wrote its pid there has ended, waiting a little."""
    return until(lambda: running(int(pid_file.read_text())) is None)


class EndingTests:
    @pytest.fixture
    def hanging(self, machine):
        """One that ignores the polite signal and has a child of its own."""
        here = machine.folder
        return machine.install(
            f"trap '' TERM\nsh -c 'trap \"\" TERM; echo $$ > {here}/child; "
            f"while :; do sleep 1; done' &\necho $$ > {here}/leader\nwait\nwait"
        )

    def stop_once_it_runs(self, machine, **more):
        stop = Stop()

        async def run():
            asking = backend(machine, **more)
            task = asyncio.create_task(drain(asking, request(), stop=stop))
            child = machine.folder / "child"
            written = lambda: child.exists() and child.read_text()  # noqa: E731
            assert await asyncio.to_thread(until, written)
            stop.ask()
            return await task

        return asyncio.run(run())

    def test_it_kills_the_whole_group_on_stop(self, hanging):
        outcome = self.stop_once_it_runs(hanging)
        assert outcome.ending is Ending.INTERRUPTED
        assert gone(hanging.folder / "leader")
        assert gone(hanging.folder / "child")

    def test_it_ends_a_slow_one_at_the_timeout(self, hanging):
        outcome = ask(hanging, timeout=0.5)
        assert outcome.ending is Ending.TIMEOUT
        assert gone(hanging.folder / "leader")

    def test_it_has_a_budget_of_its_own(self, hanging):
        outcome = ask(hanging, budget_seconds=0.2)
        assert outcome.ending is Ending.FAILED
        assert outcome.error == "stopped by the time limit of 0.2 s"

    def test_it_does_not_wait_for_a_grandchild_and_ends_it(self, machine):
        machine.answer(result())
        script = machine.folder / "bin/claude"
        forked = f"sleep 600 & echo $! > {machine.folder}/left\n"
        script.write_text(script.read_text().replace("cat > ", forked + "cat > "))
        assert ask(machine, timeout=20).text == "Yes."
        assert gone(machine.folder / "left")

    def test_it_stops_one_that_prints_without_end(self, machine, monkeypatch):
        monkeypatch.setattr("chat.backends.claude_cli.OUTPUT_BYTES", 100_000)
        outcome = ask(machine.install("exec yes"))
        assert outcome.ending is Ending.FAILED
        assert "printed more than" in outcome.error

    def test_it_says_that_one_was_killed(self, machine):
        outcome = ask(machine.install("kill -9 $$"))
        assert outcome.error == "claude was killed"

    def test_it_fails_on_an_answer_cut_at_64_kib(self, machine):
        outcome = ask(machine.answer(result(result="x" * 70_000)[:65_536]))
        assert outcome.ending is Ending.FAILED
        assert outcome.text == ""
        assert outcome.error == "the output was cut (65536 bytes)"

    def test_it_leaves_no_descriptor_open(self, machine):
        machine.answer(result())
        ask(machine)
        before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
        for _ in range(3):
            ask(machine)
        assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


def line(**item):
    return json.dumps(item) + "\n"


def said(*blocks, **more):
    return line(type="assistant", message={"model": "m", "content": blocks}, **more)


def text(words):
    return {"type": "text", "text": words}


def delta(**delta):
    return line(
        type="stream_event", event={"type": "content_block_delta", "delta": delta}
    )


class StreamTests:
    def ask(self, machine, stdout, sink=None):
        machine.answer(stdout)
        (machine.folder / "help").write_text(STREAM_HELP)
        return ask(machine, sink=sink)

    def test_it_streams_where_the_version_can(self, machine):
        self.ask(machine, result())
        argv = machine.seen("argv")
        assert "stream-json\n--verbose\n--include-partial-messages" in argv
        assert "--strict-mcp-config" in argv

    def test_it_says_the_text_once_however_often_it_came(self, machine):
        events: list[Event] = []
        outcome = self.ask(
            machine,
            delta(type="thinking_delta", thinking="hm")
            + delta(type="text_delta", text="Ye")
            + delta(type="text_delta", text="s.")
            + said({"type": "thinking", "thinking": "hm"}, text("Yes."))
            + result(),
            sink=events.append,
        )
        assert outcome.text == "Yes."
        bodies = [event.body for event in events[1:-1]]
        assert bodies == [Reasoning("hm"), Text("Ye"), Text("s.")]

    def test_it_parts_the_messages_of_one_answer(self, machine):
        events: list[Event] = []
        outcome = self.ask(
            machine,
            said(text("I look."), {"type": "tool_use", "name": "Read", "input": {}})
            + said(text("Yes."))
            + result(),
            sink=events.append,
        )
        assert outcome.text == "I look.\n\nYes."
        assert ToolActivity("Read") in [event.body for event in events]

    def test_it_adds_what_only_the_result_has(self, machine):
        assert self.ask(machine, "garbage\n" + result()).text == "Yes."

    def test_it_leaves_out_what_helpers_and_failures_say(self, machine):
        outcome = self.ask(
            machine,
            said(text("aside"), parent_tool_use_id="t1")
            + said(text("API Error"), error="server_error")
            + line(
                type="assistant",
                message={"model": "<synthetic>", "content": [text("notice")]},
            )
            + result(is_error=True, result="API Error"),
        )
        assert outcome.ending is Ending.FAILED
        assert outcome.text == ""

    def test_it_keeps_what_came_before_it_broke_off(self, machine):
        outcome = self.ask(machine, said(text("half")))
        assert outcome.ending is Ending.FAILED
        assert outcome.text == "half"
        assert outcome.error == "no result in the output"

    def test_it_shows_text_while_the_program_still_writes(self, machine):
        """The program goes on only after its first words were shown."""
        here = machine.folder
        (here / "first").write_text(said(text("one")))
        (here / "second").write_text(said(text("two")) + result(result="two"))
        machine.install(
            f"cat {here}/first; until [ -e {here}/shown ]; do sleep 0.05; done\n"
            f"cat {here}/second",
            help_text=STREAM_HELP,
        )

        def sink(event):
            if event.body == Text("one"):
                (here / "shown").touch()

        outcome = ask(machine, sink=sink)
        assert outcome.text == "one\n\ntwo"

    def test_it_reports_a_limit_without_taking_it_for_text(self, machine):
        events: list[Event] = []
        words = "You've hit your session limit · resets 3am (UTC)"
        outcome = self.ask(
            machine,
            said(text(words)) + result(is_error=True, result=words),
            sink=events.append,
        )
        assert outcome.ending is Ending.RATE_LIMITED
        assert outcome.text == ""
        assert any(isinstance(event.body, RateLimited) for event in events)

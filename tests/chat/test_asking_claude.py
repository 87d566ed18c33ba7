"""`ask --claude`, as it is typed."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from gpts.protected import add
from tests.chat.claude.machine import FORK, SESSION, Machine, result


@pytest.fixture
def machine(tmp_path, monkeypatch, settings):
    settings.LLMHUB_CLAUDE = True
    machine = Machine(tmp_path).answer(result())
    machine.save(SESSION)
    for name in ("PATH", "HOME"):
        monkeypatch.setenv(name, machine.environ[name])
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return machine


def ask(*args, session=SESSION, word="claude"):
    out = StringIO()
    words = ["--confirm-destination", word] if word else []
    try:
        call_command(
            "ask", "--claude", session, "--json", *words, *args, "Why?", stdout=out
        )
    except SystemExit as ended:
        return ended.code, json.loads(out.getvalue())
    return 0, json.loads(out.getvalue())


@pytest.mark.django_db
class AskTests:
    def test_it_answers(self, machine):
        add(["zzquxx"])
        code, got = ask()
        assert (code, got["outcome"], got["text"]) == (0, "completed", "Yes.")
        assert machine.seen("stdin") == "Why?"

    def test_it_takes_the_beginning_of_an_identifier(self, machine):
        add(["zzquxx"])
        assert ask(session=SESSION[:8])[0] == 0

    def test_it_fails_as_the_session_did(self, machine):
        add(["zzquxx"])
        machine.answer(result(is_error=True, result="API Error: 529 overloaded"))
        code, got = ask()
        assert (code, got["outcome"], got["text"]) == (1, "failed", "")
        assert "529 overloaded" in got["error"]

    def test_it_sends_nothing_while_no_name_is_protected(self, machine):
        code, got = ask("--yes")
        assert (code, got["outcome"]) == (1, "refused")
        assert not (machine.folder / "stdin").exists()

    @pytest.mark.parametrize("word", ["", "Claude", "yes"])
    def test_it_wants_the_word_typed(self, machine, word):
        with pytest.raises(CommandError, match="--confirm-destination claude") as error:
            ask(word=word)
        assert error.value.returncode == 2

    @pytest.mark.parametrize("session", [FORK, "x", "--help", "../../etc/passwd"])
    def test_it_asks_only_what_is_listed(self, machine, session):
        with pytest.raises(CommandError) as error:
            call_command("ask", f"--claude={session}", "Why?")
        assert error.value.returncode == 2

    def test_it_is_off_unless_switched_on(self, machine, settings):
        settings.LLMHUB_CLAUDE = False
        code, got = ask()
        assert (code, got["outcome"]) == (1, "refused")
        assert "LLMHUB_CLAUDE" in got["error"]

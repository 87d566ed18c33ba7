"""`claude_sessions`, as it is typed."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.chat.claude.machine import SESSION


@pytest.fixture
def here(machine, monkeypatch, settings):
    """The machine of the test is this machine, and the feature is on."""
    settings.LLMHUB_CLAUDE = True
    for name in ("PATH", "HOME"):
        monkeypatch.setenv(name, machine.environ[name])
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return machine


def run(*args):
    out, err = StringIO(), StringIO()
    try:
        call_command("claude_sessions", *args, stdout=out, stderr=err)
    except SystemExit as ended:
        return ended.code, out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


class CommandTests:
    def test_it_lists_for_programs(self, here):
        here.install().save(SESSION)
        code, out, _ = run("--json")
        assert code == 0
        assert json.loads(out)[0]["id"] == SESSION

    def test_it_lists_for_people_without_the_whole_path(self, here):
        here.install().save(SESSION, {"cwd": "/home/mira/shop"})
        code, out, _ = run()
        assert code == 0
        assert SESSION[:8] in out
        assert "shop" in out
        assert "mira" not in out

    def test_it_says_that_there_are_none(self, here):
        here.install()
        assert run() == (1, "no sessions\n", "")

    def test_it_prints_a_document_even_without_a_program(self, here, monkeypatch):
        monkeypatch.setenv("PATH", "/nonexistent")
        code, out, err = run("--json")
        assert (code, json.loads(out)) == (1, [])
        assert "no claude program" in err

    def test_it_is_off_unless_switched_on(self, here, settings):
        settings.LLMHUB_CLAUDE = False
        with pytest.raises(CommandError, match="LLMHUB_CLAUDE"):
            call_command("claude_sessions")

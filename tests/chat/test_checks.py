"""System checks of the chat."""

from __future__ import annotations

import pytest

from chat.checks import claude_is_there
from tests.chat.claude.machine import Machine


@pytest.fixture
def machine(tmp_path, monkeypatch):
    machine = Machine(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")
    return machine


class ClaudeTests:
    def test_it_warns_where_there_is_no_program(self, machine, settings):
        settings.LLMHUB_CLAUDE = True
        assert [message.id for message in claude_is_there(None)] == ["chat.W001"]

    def test_it_is_silent_where_there_is_one(self, machine, settings):
        settings.LLMHUB_CLAUDE = True
        machine.install()
        assert claude_is_there(None) == []

    def test_it_is_silent_while_it_is_off(self, machine, settings):
        settings.LLMHUB_CLAUDE = False
        assert claude_is_there(None) == []

"""Announced sessions, in the shapes of several versions."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from chat.claude.agents import AgentRow, read_agents, read_registry, read_row
from tests.chat.claude.machine import FORK, SESSION

CASE = Path(__file__).resolve().parents[2] / "cases/claude-cli"
ANSWERS = json.loads((CASE / "10-agents-list-in-several-versions.json").read_text())
ANSWERS = ANSWERS["input"]["agents"]


class AgentsTests:
    def test_it_reads_rows_with_and_without_identifiers(self):
        rows = read_agents(ANSWERS[0]["stdout"], 0) or []
        assert [row.session_id for row in rows] == ["", FORK, FORK]
        assert [row.pid for row in rows] == [7, 8, 9]

    def test_it_reads_a_start_as_text_and_as_milliseconds(self):
        rows = read_agents(ANSWERS[0]["stdout"], 0) or []
        assert rows[0].started == datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
        assert rows[1].started == datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
        assert rows[2].started is None

    def test_it_shows_unknown_words_as_they_are(self):
        rows = read_agents(ANSWERS[0]["stdout"], 0) or []
        assert (rows[2].kind, rows[2].status) == ("novel-kind", "novel")
        assert rows[1].status == "waiting: permission prompt"

    def test_it_tells_no_sessions_from_a_version_that_cannot_list(self):
        assert read_agents(ANSWERS[1]["stdout"], 0) == []
        assert read_agents(ANSWERS[2]["stdout"], 0) is None
        assert read_agents(ANSWERS[3]["stdout"], 1) is None

    @pytest.mark.parametrize(
        "stdout", ["", "[1, 2]", "[[]]", "{}", "[" * 50_000, '[{"pid": 7}', "[x]"]
    )
    def test_it_takes_nothing_else_for_a_list(self, stdout):
        assert read_agents(stdout, 0) is None

    def test_it_reads_through_noise(self):
        assert read_agents('[WARN] slow\n{"agents": [{"pid": 7}]}', 0) == [
            AgentRow(pid=7)
        ]


class RowTests:
    @pytest.mark.parametrize(
        "row",
        [
            {"pid": "x", "startedAt": [], "sessionId": 3, "name": {}, "cwd": None},
            {"pid": True, "startedAt": "soon", "id": "!", "procStart": -1},
            {"pid": -4, "startedAt": 1e300, "sessionId": "../../x", "kind": None},
        ],
    )
    def test_it_calls_what_is_no_value_missing(self, row):
        assert read_row(row) == AgentRow()

    def test_it_reads_a_start_in_ticks_that_is_text(self):
        assert read_row({"procStart": "20095994"}).start_ticks == 20095994

    def test_it_folds_a_name_onto_one_line(self):
        assert read_row({"name": "a\n\x1b[31mb"}).name == "a [31mb"


class RegistryTests:
    def read(self, machine):
        return read_registry(machine.home / ".claude")

    def test_it_reads_the_file_of_each_process(self, machine):
        machine.register(7, sessionId=SESSION, version="2.1.0", procStart="99")
        [row] = self.read(machine)
        assert (row.pid, row.version, row.start_ticks) == (7, "2.1.0", 99)

    def test_it_opens_nothing_that_stands_beside(self, machine):
        folder = machine.register(7).parent
        for name in ("7.token", "token.json", "07.json", ".7.json", "7.json.bak"):
            # Opening one of these for reading would wait for a writer.
            os.mkfifo(folder / name)
        assert [row.pid for row in self.read(machine)] == [7]

    def test_it_believes_a_file_only_about_its_own_process(self, machine):
        machine.register(7).write_text('{"pid": 8}')
        assert self.read(machine) == []

    def test_it_follows_no_link(self, machine, tmp_path):
        path = machine.register(7)
        path.rename(tmp_path / "moved.json")
        path.symlink_to(tmp_path / "moved.json")
        assert self.read(machine) == []

    @pytest.mark.parametrize("text", ["", "[]", "{", "[" * 50_000, "\xff"])
    def test_it_passes_over_what_is_no_row(self, machine, text):
        machine.register(7).write_text(text)
        assert self.read(machine) == []

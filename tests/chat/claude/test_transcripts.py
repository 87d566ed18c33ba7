"""Saved sessions: two fields of the first lines, real files only."""

from __future__ import annotations

import os

from chat.claude.transcripts import HEAD_LINES, Head, read_head, saved_sessions
from tests.chat.claude.machine import FORK, SESSION


def heads(machine):
    config = machine.home / ".claude"
    return {t.session_id: read_head(t) for t in saved_sessions(config)}


class SavedTests:
    def test_it_reads_directory_and_branch(self, machine):
        machine.save(SESSION, {"cwd": "/srv/p", "gitBranch": "main", "message": "x"})
        assert heads(machine) == {SESSION: Head("/srv/p", "main")}

    def test_it_reads_the_directory_and_never_the_folders_name(self, machine):
        machine.save(SESSION, {"type": "summary"}, folder="-home-mira-secret")
        assert heads(machine) == {SESSION: Head("", "")}

    def test_it_takes_each_field_from_the_first_line_that_has_it(self, machine):
        rows = [{"type": "summary"}, {"cwd": "/a"}, {"cwd": "/b", "gitBranch": "dev"}]
        machine.save(SESSION, *rows)
        assert heads(machine)[SESSION] == Head("/a", "dev")

    def test_it_reads_no_further_than_forty_lines(self, machine):
        rows = [{"type": "x"}] * HEAD_LINES
        machine.save(SESSION, *rows, {"cwd": "/late"})
        machine.save(FORK, *rows[1:], {"cwd": "/just"})
        assert heads(machine)[SESSION] == Head()
        assert heads(machine)[FORK] == Head("/just", "")

    def test_it_passes_over_broken_and_strange_lines(self, machine):
        strange = ["{", "[" * 9_000, "[]", '{"cwd": 7}', '{"cwd": "/ok"}']
        machine.save(SESSION, *strange)
        assert heads(machine)[SESSION].directory == "/ok"

    def test_it_leaves_a_line_that_is_still_being_written(self, machine):
        path = machine.save(SESSION, {"type": "x"})
        with path.open("a") as file:
            file.write('{"cwd": "/half"}')
        assert heads(machine)[SESSION] == Head()

    def test_it_lists_the_latest_file_of_a_session_once_and_first(self, machine):
        old = machine.save(SESSION, {"cwd": "/old"}, folder="-a")
        machine.save(SESSION, {"cwd": "/new"}, folder="-b")
        other = machine.save(FORK, {"cwd": "/other"})
        os.utime(old, (1, 1))
        os.utime(other, (2, 2))
        assert list(heads(machine).items()) == [
            (SESSION, Head("/new", "")),
            (FORK, Head("/other", "")),
        ]


class RefusedTests:
    def test_it_follows_no_link_to_a_file(self, machine, tmp_path):
        outside = tmp_path / "outside.jsonl"
        outside.write_text('{"cwd": "/secret"}\n')
        folder = machine.save(FORK).parent
        (folder / f"{SESSION}.jsonl").symlink_to(outside)
        assert list(heads(machine)) == [FORK]

    def test_it_follows_no_link_to_a_folder(self, machine, tmp_path):
        real = machine.save(SESSION, folder="-real").parent
        moved = real.rename(tmp_path / "elsewhere")
        (real.parent / "-link").symlink_to(moved)
        assert heads(machine) == {}

    def test_it_follows_no_link_put_in_the_place_of_a_listed_file(
        self, machine, tmp_path
    ):
        path = machine.save(SESSION, {"cwd": "/mine"})
        [listed] = saved_sessions(machine.home / ".claude")
        path.rename(tmp_path / "moved.jsonl")
        path.symlink_to(tmp_path / "moved.jsonl")
        assert read_head(listed) == Head()

    def test_it_waits_for_no_pipe_named_like_a_session(self, machine):
        folder = machine.save(FORK).parent
        os.mkfifo(folder / f"{SESSION}.jsonl")
        assert list(heads(machine)) == [FORK]

    def test_it_takes_only_identifiers_for_sessions(self, machine):
        for name in ("agent-abc", "notes", SESSION + "x", "..", SESSION[:8]):
            machine.save(name)
        assert heads(machine) == {}

"""The child process: what it gets, and how it ends."""

from __future__ import annotations

from pathlib import Path

from chat.claude.child import (
    built_environment,
    config_folder,
    find_program,
    run_briefly,
)
from chat.claude.liveness import running
from tests.chat.claude.machine import until


class EnvironmentTests:
    def test_it_passes_what_is_named_and_nothing_else(self):
        environ = {
            "PATH": "/bin",
            "HOME": "/srv/home",
            "LC_ALL": "C",
            "SECRET_KEY": "x",
            "LLMHUB_KEYS": "x",
            "DATABASE_URL": "x",
            "ANTHROPIC_API_KEY": "x",
            "AWS_SECRET_ACCESS_KEY": "x",
            "SOMETHING_NEW_TOKEN": "x",
            "CLAUDECODE": "1",
        }
        passed = built_environment(environ)
        assert passed == {"PATH": "/bin", "HOME": "/srv/home", "LC_ALL": "C"}

    def test_it_finds_the_folder_of_sessions(self):
        assert config_folder({"HOME": "/srv/h"}) == Path("/srv/h/.claude")
        moved = {"HOME": "/srv/h", "CLAUDE_CONFIG_DIR": "/srv/c"}
        assert config_folder(moved) == Path("/srv/c")
        assert config_folder({"HOME": "/srv/h", "CLAUDE_CONFIG_DIR": "rel"}) == Path(
            "/srv/h/.claude"
        )

    def test_it_finds_no_program_that_is_not_on_path(self, machine):
        assert find_program(machine.environ) is None
        machine.install()
        assert find_program(machine.environ) == str(machine.folder / "bin/claude")


class BriefTests:
    def run(self, script, seconds=10.0):
        argv = ["/bin/sh", "-c", script]
        return run_briefly(argv, {"PATH": "/bin:/usr/bin"}, timeout_seconds=seconds)

    def test_it_gives_back_what_was_printed(self):
        found = self.run("echo out; echo err >&2; exit 3")
        assert (found.stdout, found.stderr, found.exit_code) == ("out\n", "err\n", 3)

    def test_it_ends_one_that_takes_too_long_with_its_children(self, tmp_path):
        pid = tmp_path / "pid"
        assert self.run(f"sleep 600 & echo $! > {pid}; wait", seconds=0.3) is None
        assert until(lambda: running(int(pid.read_text())) is None)

    def test_it_does_not_wait_for_a_child_left_behind(self):
        found = self.run("sleep 600 & echo done")
        assert found.stdout == "done\n"

    def test_it_ends_one_that_prints_without_end(self):
        assert self.run("yes") is None

    def test_it_starts_nothing_that_is_not_there(self):
        assert run_briefly(["/nonexistent"], {}, timeout_seconds=1) is None

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gpts.running import OUTPUT_LIMIT, NotRun, run


def gone(marker: str) -> bool:
    """Whether no process has `marker` in its arguments; killing takes a moment."""
    deadline = time.monotonic() + 5
    while alive(marker) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not alive(marker)


def alive(marker: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes()
        except OSError:
            continue  # gone meanwhile
        if marker.encode() in line:
            found.append(path.parent.name)
    return found


class RunTests:
    def test_it_leaves_no_child_of_a_child(self, tmp_path):
        """Started by a shell here; the allow list lets none start."""
        ran = run(["sh", "-c", "sleep 97531 & sleep 97531"], str(tmp_path), 0.3)

        assert ran.late
        assert gone("97531")

    @pytest.mark.timeout(10)
    def test_it_does_not_wait_for_a_child_that_holds_the_pipe(self, tmp_path):
        ran = run(["sh", "-c", "echo out; sleep 86421 &"], str(tmp_path), 30)

        assert (ran.code, bytes(ran.out)) == (0, b"out\n")
        assert gone("86421")

    def test_it_bounds_both_streams(self, tmp_path):
        ran = run(["sh", "-c", "yes >&2"], str(tmp_path), 20)

        assert ran.cut
        assert len(ran.err) == OUTPUT_LIMIT

    def test_it_has_no_terminal_and_no_input(self, tmp_path):
        ran = run(["sh", "-c", "read x; tty; echo $PAGER"], str(tmp_path), 5)

        assert bytes(ran.out) == b"not a tty\ncat\n"

    def test_it_says_what_is_not_there(self, tmp_path):
        with pytest.raises(NotRun):
            run(["nonesuch"], str(tmp_path), 1)

    def test_it_finds_no_program_in_the_folder_it_runs_in(self, tmp_path):
        (tmp_path / "mine").write_text("#!/bin/sh\necho mine\n")
        (tmp_path / "mine").chmod(0o755)

        with pytest.raises(NotRun):
            run(["mine"], str(tmp_path), 1)

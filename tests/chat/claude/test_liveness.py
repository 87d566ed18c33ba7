"""Real processes, alive, ended and given out again."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from chat.claude.liveness import is_alive, running


@pytest.fixture
def sleeper():
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


def seen(child):
    """The running process of a child."""
    process = running(child.pid)
    assert process is not None
    return process


class RunningTests:
    def test_it_knows_when_a_process_started(self, sleeper):
        process = running(sleeper.pid)
        assert process is not None
        assert abs(process.started - datetime.now(UTC)) < timedelta(seconds=5)

    def test_it_finds_no_process_that_ended(self, sleeper):
        sleeper.kill()
        sleeper.wait()
        assert running(sleeper.pid) is None

    def test_it_calls_a_zombie_ended(self, sleeper):
        sleeper.kill()
        os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
        assert running(sleeper.pid) is None

    def test_it_reads_a_name_with_brackets_and_spaces(self, tmp_path):
        odd = tmp_path / ") R 1 (x"
        odd.symlink_to(sys.executable)
        argv = [str(odd), "-c", "import sys; sys.stdin.read()"]
        with subprocess.Popen(argv, stdin=subprocess.PIPE) as process:
            found = running(process.pid)
        assert found is not None
        assert abs(found.started - datetime.now(UTC)) < timedelta(seconds=5)

    @pytest.mark.parametrize("pid", [0, -1, 2**31])
    def test_it_finds_no_process_with_an_impossible_pid(self, pid):
        assert running(pid) is None


class AliveTests:
    def test_it_takes_no_pid_alone_as_proof(self, sleeper):
        assert not is_alive(sleeper.pid)

    def test_it_believes_the_pid_with_its_start(self, sleeper):
        process = seen(sleeper)
        assert is_alive(sleeper.pid, start_ticks=process.start_ticks)
        assert is_alive(sleeper.pid, started=process.started)

    def test_it_believes_a_session_begun_later_in_the_process(self, sleeper):
        later = datetime.now(UTC) + timedelta(hours=1)
        assert is_alive(sleeper.pid, started=later)

    def test_it_refuses_a_pid_that_now_belongs_to_a_younger_process(self, sleeper):
        earlier = datetime.now(UTC) - timedelta(minutes=1)
        assert not is_alive(sleeper.pid, started=earlier)

    def test_it_lets_the_ticks_decide_before_the_clock(self, sleeper):
        process = seen(sleeper)
        assert not is_alive(
            sleeper.pid, started=process.started, start_ticks=process.start_ticks + 1
        )


@pytest.mark.skipif(
    not os.access("/proc/sys/kernel/ns_last_pid", os.W_OK),
    reason="only root may choose the next pid",
)
class RecycledTests:
    def test_it_tells_a_recycled_pid_from_the_process_that_had_it(self):
        first = subprocess.Popen(["sleep", "60"])
        before = seen(first)
        first.kill()
        first.wait()
        second = _again(first.pid)
        try:
            assert running(second.pid) is not None
            assert second.pid == first.pid
            assert not is_alive(second.pid, start_ticks=before.start_ticks)
        finally:
            second.kill()
            second.wait()


def _again(pid):
    """A new process with the same pid, at least one clock tick later."""
    deadline = time.monotonic() + 20
    tick = 1 / os.sysconf("SC_CLK_TCK")
    threading.Event().wait(2 * tick)
    while time.monotonic() < deadline:
        with open("/proc/sys/kernel/ns_last_pid", "w") as last:  # noqa: PTH123
            last.write(str(pid - 1))
        process = subprocess.Popen(["sleep", "60"])
        if process.pid == pid:
            return process
        process.kill()
        process.wait()
    raise RuntimeError("another process was always quicker")

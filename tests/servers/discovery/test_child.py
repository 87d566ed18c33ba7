from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from servers.discovery.child import NoAnswer, Printed, ask, built_environment


def python(code: str, **more):
    return ask([sys.executable, "-c", code], **{"timeout_seconds": 10.0, **more})


class ChildTests:
    def test_it_returns_what_a_program_prints(self):
        printed = python("import sys; print('out'); print('err', file=sys.stderr)")
        assert printed == Printed("out\n", "err\n", 0)

    def test_it_says_when_there_is_no_such_program(self):
        answer = ask(["no-such-program-here"], timeout_seconds=1)
        assert answer == NoAnswer("no-such-program-here is not installed here")

    def test_it_says_when_a_file_cannot_be_run(self, tmp_path):
        path = tmp_path / "ip"
        path.write_bytes(b"\x00\x01")
        assert isinstance(ask([str(path)], timeout_seconds=1), NoAnswer)

    def test_it_takes_a_name_with_a_zero_byte_as_no_answer(self):
        assert isinstance(ask(["echo", "a\0b"], timeout_seconds=1), NoAnswer)

    def test_it_ends_a_program_that_hangs_with_all_it_started(self, tmp_path):
        mark = tmp_path / "pid"
        began = time.monotonic()
        code = (
            "import subprocess, sys, time, pathlib\n"
            "child = subprocess.Popen(['sleep', '600'])\n"
            f"pathlib.Path({str(mark)!r}).write_text(str(child.pid))\n"
            "time.sleep(600)\n"
        )
        answer = python(code, timeout_seconds=1.5)
        assert answer == NoAnswer(f"{sys.executable} did not answer within 1.5 s")
        assert time.monotonic() - began < 60
        assert is_gone(int(mark.read_text()))

    def test_it_ends_a_program_that_prints_without_end(self):
        answer = python("while True: print('x' * 65536)", limit_bytes=100_000)
        assert isinstance(answer, NoAnswer)
        assert "printed more than" in answer.reason

    def test_it_ends_a_program_that_complains_without_end(self):
        code = "import sys\nwhile True: sys.stderr.write('x' * 65536)"
        assert isinstance(python(code, limit_bytes=100_000), NoAnswer)

    def test_it_takes_whatever_bytes_come(self):
        printed = python("import sys; sys.stdout.buffer.write(b'\\xff\\x00ok')")
        assert isinstance(printed, Printed)
        assert printed.text.endswith("ok")

    def test_it_gives_no_input_and_no_terminal(self):
        printed = python("import sys; print(repr(sys.stdin.read()), end='')")
        assert isinstance(printed, Printed)
        assert printed.text == "''"

    def test_it_passes_no_secret_on(self, monkeypatch):
        for name in ("SECRET_KEY", "LLMHUB_KEYS", "DATABASE_URL", "OPENAI_API_KEY"):
            monkeypatch.setenv(name, "canary")
        printed = python("import os; print(dict(os.environ))")
        assert isinstance(printed, Printed)
        assert "canary" not in printed.text
        assert "'LC_ALL': 'C'" in printed.text

    def test_it_finds_programs_without_any_environment(self):
        assert built_environment({})["PATH"].startswith(os.defpath)
        assert built_environment({"PATH": "/x"})["PATH"] == "/x:/usr/sbin:/sbin"

    def test_it_shortens_a_complaint_to_one_line(self):
        assert Printed("", "a\n  b\n" + "c" * 500, 1).complaint.startswith("a b ccc")
        assert len(Printed("", "c" * 500, 1).complaint) == 200


def is_gone(pid: int) -> bool:
    """Dead, or dead and not yet collected by init."""
    for _ in range(500):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "LLMHUB_KEYS", "LD_PRELOAD"])
def test_it_builds_an_environment_from_an_allow_list(name):
    assert name not in built_environment({name: "x", "PATH": "/bin"})

"""Faults of the surroundings end in one line and a right exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KEY = "Zm9yLXRlc3RzLW9ubHktMDEyMzQ1Njc4OWFiY2RlZmc="


def manage(*argv: str, **env: str) -> subprocess.CompletedProcess[str]:
    environ = {
        "PATH": os.environ["PATH"],
        "LLMHUB_ENV_FILE": "/nonexistent",
        "SECRET_KEY": "tests",
        "LLMHUB_KEYS": KEY,
        **env,
    }
    command = [sys.executable, str(ROOT / "manage.py"), *argv]
    return subprocess.run(
        command, env=environ, capture_output=True, text=True, timeout=60, check=False
    )


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    return done.stderr


class CommandLineTests:
    def test_it_names_the_setting_that_is_missing(self):
        done = manage("check", SECRET_KEY="")
        assert done.returncode == 2
        assert "SECRET_KEY is not set" in one_line(done)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("LLMHUB_TURN_SECONDS", "soon"),
            ("LLMHUB_CONNECT_SECONDS", "0"),
            ("LLMHUB_CLAUDE", "maybe"),
        ],
    )
    def test_it_names_the_setting_that_cannot_be_read(self, name, value):
        done = manage("check", **{name: value})
        assert done.returncode == 2
        assert name in one_line(done)

    def test_it_says_how_to_make_tables(self, tmp_path):
        done = manage("rotate_keys", DATABASE_URL=f"sqlite:///{tmp_path / 'x.sqlite3'}")
        assert done.returncode == 1
        assert "migrat" in done.stderr
        assert "Traceback" not in done.stderr

    def test_it_says_that_the_database_cannot_be_opened(self):
        done = manage("rotate_keys", DATABASE_URL="sqlite:////nonexistent/x.sqlite3")
        assert done.returncode == 1
        assert "cannot be opened" in one_line(done)

    def test_it_says_that_the_database_is_something_else(self, tmp_path):
        path = tmp_path / "x.sqlite3"
        path.write_text("hello " * 500)
        done = manage("rotate_keys", DATABASE_URL=f"sqlite:///{path}")
        assert done.returncode == 1
        assert "damaged or something else" in one_line(done)

    def test_it_refuses_a_key_that_is_none(self):
        done = manage("check", LLMHUB_KEYS="nonsense")
        assert done.returncode != 0
        assert "llmhub.E001" in done.stderr
        assert "nonsense" not in done.stderr

"""Programs on PATH that print what a test gives them, and a home of one's own."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """`program("ip", "echo hello")`: an `ip` in front of the real one.

    Returns the file to which each call's arguments are written, one line a call.
    """
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def make(name: str, script: str) -> Path:
        calls = tmp_path / f"{name}.calls"
        path = folder / name
        path.write_text(f'#!/bin/sh\necho "$@" >> {calls}\n{script}\n', "utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return calls

    return make


@pytest.fixture
def printing(program: Callable[..., Path], tmp_path: Path) -> Callable[..., Path]:
    """`printing("ip", text)`: a program that prints this text whatever it is asked."""

    def make(name: str, text: str | bytes, code: int = 0) -> Path:
        out = tmp_path / f"{name}.out"
        out.write_bytes(text if isinstance(text, bytes) else text.encode())
        return program(name, f"cat {out}\nexit {code}")

    return make


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory with an empty `.ssh`."""
    folder = tmp_path / "home"
    (folder / ".ssh").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    return folder

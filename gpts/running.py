"""Runs one command of a context: no shell, no terminal, no question, no leftovers.

Bounded in time and output; its whole process group is gone afterwards. Knows no gpt.
"""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO

OUTPUT_LIMIT = 256 * 1024  # bytes of either stream
_PATH = "/usr/local/bin:/usr/bin:/bin"
# Nothing of the hub's own environment: no key, no proxy, no locale, no home.
_ENVIRONMENT = {
    "PATH": _PATH,
    "HOME": "/nonexistent",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "/bin/false",
    "SSH_ASKPASS": "/bin/false",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_OPTIONAL_LOCKS": "0",
    # A repository's own configuration may name programs to run.
    "GIT_CONFIG_COUNT": "4",
    "GIT_CONFIG_KEY_0": "core.fsmonitor",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_KEY_1": "core.hooksPath",
    "GIT_CONFIG_VALUE_1": "/dev/null",
    "GIT_CONFIG_KEY_2": "diff.external",
    "GIT_CONFIG_VALUE_2": "",
    "GIT_CONFIG_KEY_3": "log.showSignature",
    "GIT_CONFIG_VALUE_3": "false",
}


class NotRun(Exception):
    """The program is not there or could not be started; says which."""


@dataclass(slots=True)
class Ran:
    """What came of it. `code` None: it was stopped, by time or by its output."""

    code: int | None = None
    out: bytearray = field(default_factory=bytearray)
    err: bytearray = field(default_factory=bytearray)
    late: bool = False
    cut: bool = False


def run(argv: Sequence[str], folder: str, seconds: float) -> Ran:
    """Runs it in `folder` for at most `seconds`. Raises NotRun."""
    program = shutil.which(argv[0], path=_PATH)
    if program is None:
        raise NotRun(argv[0])
    try:
        process = subprocess.Popen(
            [program, *argv[1:]],
            cwd=folder,
            env=_ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError):
        raise NotRun(argv[0]) from None
    try:
        return _collect(process, time.monotonic() + seconds)
    finally:
        _end(process)


def _collect(process: subprocess.Popen[bytes], deadline: float) -> Ran:
    ran = Ran()
    with selectors.DefaultSelector() as waiting:
        for stream, into in ((process.stdout, ran.out), (process.stderr, ran.err)):
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
                waiting.register(stream, selectors.EVENT_READ, into)
        while waiting.get_map() and not ran.cut:
            left = deadline - time.monotonic()
            if left <= 0:
                ran.late = True
                return ran
            # A child of the child may hold the pipe open: look whether it lives.
            ready = waiting.select(min(left, 0.05))
            for key, _events in ready:
                _read(key, waiting, ran)
            if not ready and process.poll() is not None:
                break
    return _ended(process, deadline, ran)


def _read(
    key: selectors.SelectorKey, waiting: selectors.BaseSelector, ran: Ran
) -> None:
    stream: IO[bytes] = key.fileobj  # type: ignore[assignment]
    into: bytearray = key.data
    piece = stream.read(64 * 1024)
    if piece is None:
        return
    if not piece:
        waiting.unregister(stream)
        return
    into += piece[: OUTPUT_LIMIT - len(into)]
    ran.cut = len(into) >= OUTPUT_LIMIT


def _ended(process: subprocess.Popen[bytes], deadline: float, ran: Ran) -> Ran:
    if ran.cut:
        return ran
    try:
        ran.code = process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        ran.late = True
    return ran


def _end(process: subprocess.Popen[bytes]) -> None:
    """The group, whether or not its head still lives: children outlive parents."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()

"""The `claude` program as a child process: its environment, output and end.

Owns how it is started and ended; reads none of its words. It writes into files that
nobody else can open: with a pipe it ends before the last 64 KiB are read, and a
grandchild that keeps the pipe would hold the reader for ever.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from chat.claude.envelope import Printed

# What a child gets of the hub's environment: nothing by default, so that no key of
# the hub or of a vendor travels.
_PASSED = frozenset(
    [
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TERM",
        "TMPDIR",
        "CLAUDE_CONFIG_DIR",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "NODE_EXTRA_CA_CERTS",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "no_proxy",
    ]
)
BRIEF_BYTES = 4 * 1024 * 1024
_TICK_SECONDS = 0.05
GRACE_SECONDS = 2.0


def built_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The few variables that `claude` needs, named one by one."""
    return {
        name: value
        for name, value in environ.items()
        if name in _PASSED or name.startswith("LC_")
    }


def find_program(environ: Mapping[str, str]) -> str | None:
    """Where `claude` stands on PATH, or None."""
    return shutil.which("claude", path=environ.get("PATH", os.defpath))


def config_folder(environ: Mapping[str, str]) -> Path:
    """Where it keeps its sessions: CLAUDE_CONFIG_DIR, or `~/.claude`."""
    named = environ.get("CLAUDE_CONFIG_DIR", "")
    if named and Path(named).is_absolute():
        return Path(named)
    return Path(environ.get("HOME") or "/nonexistent") / ".claude"


def private_file(text: str = "") -> IO[bytes]:
    """A file without a name, opened by us alone, at its beginning."""
    file = tempfile.TemporaryFile()  # noqa: SIM115  its caller closes it
    file.write(text.encode("utf-8", "replace"))
    file.seek(0)
    return file


def size_of(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def read_from(file: IO[bytes], offset: int, most: int) -> bytes:
    """Bytes at an offset of our own: the child's writing position is shared."""
    return os.pread(file.fileno(), most, offset)


def text_of(file: IO[bytes], most: int) -> str:
    return read_from(file, 0, most).decode("utf-8", "replace")


def signal_group(pid: int, number: signal.Signals) -> None:
    """Signal a child's whole group; one that has ended already is no error."""
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def run_briefly(
    argv: list[str], environ: Mapping[str, str], *, timeout_seconds: float
) -> Printed | None:
    """Run a short question (`--help`, `agents --json`) to its end (blocking).

    None when it did not start, did not end in time, or printed more than 4 MiB.
    """
    with private_file() as out, private_file() as err:
        try:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=built_environment(environ),
                cwd="/",  # no folder whose settings could name programs to run
                start_new_session=True,
            )
        except OSError:
            return None
        try:
            ended = _wait(process, (out, err), time.monotonic() + timeout_seconds)
        finally:
            signal_group(process.pid, signal.SIGKILL)
            process.wait()
        if not ended:
            return None
        return Printed(
            text_of(out, BRIEF_BYTES), text_of(err, 4096), process.returncode
        )


def _wait(
    process: subprocess.Popen[bytes], files: tuple[IO[bytes], ...], deadline: float
) -> bool:
    while True:
        try:
            process.wait(_TICK_SECONDS)
        except subprocess.TimeoutExpired:
            if time.monotonic() > deadline or any(
                size_of(file) > BRIEF_BYTES for file in files
            ):
                return False
        else:
            return True

"""What the installed `claude` can do, and the argument list of one question.

Read-only by flags: only tools that read, and everything else refused without asking.
The question itself is never an argument.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from chat.claude.child import run_briefly

READ_TOOLS = "Read,Glob,Grep"
_HELP_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Abilities:
    """Options of the installed version, as its `--help` names them."""

    streams: bool = False
    partial_messages: bool = False
    strict_mcp: bool = False


def abilities_of(program: str, environ: Mapping[str, str]) -> Abilities:
    """Read `--help` once per installed version (blocking, at most 10 s)."""
    try:
        status = Path(program).stat()
    except OSError:
        return Abilities()
    stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
    return _abilities(program, stamp, tuple(sorted(environ.items())))


@lru_cache(maxsize=8)
def _abilities(
    program: str, stamp: tuple[int, ...], environ: tuple[tuple[str, str], ...]
) -> Abilities:
    printed = run_briefly(
        [program, "--help"], dict(environ), timeout_seconds=_HELP_SECONDS
    )
    return read_help(printed.stdout if printed else "")


def read_help(text: str) -> Abilities:
    """An option counts only where the help lists it, not where prose mentions it."""
    streams = re.search(r"--output-format[^\n]*(?:\n[^\n-]*)*stream-json", text)
    return Abilities(
        streams=bool(streams),
        partial_messages=_lists(text, "--include-partial-messages"),
        strict_mcp=_lists(text, "--strict-mcp-config"),
    )


def _lists(text: str, option: str) -> bool:
    return bool(re.search(rf"^\s*{option}\b", text, re.MULTILINE))


def question_argv(
    program: str,
    session_id: str,
    *,
    fork: bool,
    abilities: Abilities,
    directory: str = "",
) -> list[str]:
    """The argument list that asks `session_id`; the question goes to its stdin."""
    argv = [program, "-p", "--output-format"]
    if abilities.streams:
        # Print mode streams only together with --verbose.
        argv += ["stream-json", "--verbose"]
        if abilities.partial_messages:
            argv.append("--include-partial-messages")
    else:
        argv.append("json")
    argv += ["--resume", session_id]
    if fork:
        argv.append("--fork-session")
    if abilities.strict_mcp:
        argv.append("--strict-mcp-config")
    argv += ["--tools", READ_TOOLS, "--permission-mode", "dontAsk"]
    if directory:
        argv += ["--add-dir", directory]
    return argv

"""Whether a process that was written down is still the same one.

A pid proves nothing: it is used again. A pid together with the moment its process
started does. Reads /proc alone.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

PROC = Path("/proc")
# The boot time is given in whole seconds, and a program writes its start down a
# moment after it started.
SLACK_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Process:
    """A running process: the clock ticks since boot at its start, and that moment."""

    pid: int
    start_ticks: int
    started: datetime


def running(pid: int, proc: Path = PROC) -> Process | None:
    """The process with that pid at this moment, if there is one that is no zombie."""
    try:
        stat = (proc / str(pid) / "stat").read_text(errors="replace")
        boot = _boot_seconds((proc / "stat").read_text())
    except (OSError, ValueError):
        return None
    # The name in brackets may hold spaces and brackets of its own.
    fields = stat.rpartition(")")[2].split()
    if len(fields) < 20 or fields[0] in {"Z", "X", "x"}:
        return None
    ticks = int(fields[19])
    seconds = boot + ticks / os.sysconf("SC_CLK_TCK")
    return Process(pid, ticks, datetime.fromtimestamp(seconds, UTC))


def _boot_seconds(stat: str) -> int:
    for line in stat.splitlines():
        if line.startswith("btime "):
            return int(line.split()[1])
    raise ValueError("no btime")


def is_alive(
    pid: int | None,
    *,
    started: datetime | None = None,
    start_ticks: int | None = None,
    proc: Path = PROC,
) -> bool:
    """Whether the process that was seen with this pid and start still runs.

    `start_ticks` must be equal. With `started` alone the process must not be younger
    than that moment: a pid given out again belongs to a younger process. Without
    either nothing is proved.
    """
    process = running(pid, proc) if pid is not None and pid > 0 else None
    if process is None:
        return False
    if start_ticks is not None:
        return process.start_ticks == start_ticks
    if started is None:
        return False
    return (process.started - started).total_seconds() <= SLACK_SECONDS

"""What this machine lends to a sweep: descriptors, and room in its neighbour table."""

from __future__ import annotations

import contextlib
import resource
from pathlib import Path

# Measured on a /24 x 12 ports: 0.95 s at 1,024 in flight, 0.36 s at 4,096.
IN_FLIGHT = 4096
# Left for everybody else in the process: recognition, pages, the database.
RESERVE = 40
# With as many descriptors, recognition need not count its own.
_PLENTY = 2 * IN_FLIGHT
_LEAST = 16


def descriptors_to_spare(wanted: int) -> int:
    """How many sockets a sweep of `wanted` endpoints may hold open at once.

    The soft limit is raised towards the hard one where that helps; never by cores.
    """
    wanted = min(wanted, IN_FLIGHT)
    used = _open_descriptors() + RESERVE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < used + wanted:
        soft = _raised(soft, hard, max(used + wanted, _PLENTY))
    if soft == resource.RLIM_INFINITY:
        return max(wanted, 1)
    return max(min(wanted, soft - used), _LEAST)


def has_plenty() -> bool:
    """Whether descriptors are no concern, even beside a sweep in full flight."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return soft == resource.RLIM_INFINITY or soft >= _PLENTY


def _raised(soft: int, hard: int, needed: int) -> int:
    target = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if target <= soft:
        return soft
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def _open_descriptors() -> int:
    for folder in ("/proc/self/fd", "/dev/fd"):
        with contextlib.suppress(OSError):
            return len(list(Path(folder).iterdir()))
    return 64


# The table is one for all network namespaces, and shown in the first one only.
_TABLES = (Path("/proc/net/stat"), Path("/proc/1/net/stat"))


def neighbour_overflows(folders: tuple[Path, ...] = _TABLES) -> int:
    """How often the kernel had no room for another neighbour; 0 where it won't say.

    A full table drops the question without an error: only this counter tells it from
    a host that is silent.
    """
    for folder in folders:
        if (folder / "arp_cache").exists():
            return _table_fulls(folder / "arp_cache") + _table_fulls(
                folder / "ndisc_cache"
            )
    return 0


def _table_fulls(path: Path) -> int:
    try:
        head, *rows = path.read_text("ascii").splitlines()
        column = head.split().index("table_fulls")
        return sum(int(row.split()[column], 16) for row in rows)
    except (OSError, ValueError, IndexError):
        return 0

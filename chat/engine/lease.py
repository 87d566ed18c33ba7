"""Who owns the engine: one process per database, known by a lease it renews.

Blocking (ORM). A lease that nobody renewed, or whose process on this machine is gone,
may be taken over; every other one is respected.
"""

from __future__ import annotations

import os
import secrets
import socket
from datetime import timedelta
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from chat.errors import EngineTaken
from chat.models import EngineLease

RENEW_SECONDS = 3.0
STALE_SECONDS = 12.0


class Lease:
    """This process's claim. `take` before `renew`; `release` at the end."""

    def __init__(self) -> None:
        self._holder = secrets.token_hex(16)

    def take(self) -> None:
        """Raises EngineTaken while another process holds it."""
        with transaction.atomic():
            row = EngineLease.objects.select_for_update().filter(pk=1).first()
            if row is not None and row.holder != self._holder and in_force(row):
                raise EngineTaken(row.machine, row.pid)
            pid = os.getpid()
            EngineLease.objects.update_or_create(
                pk=1,
                defaults={
                    "holder": self._holder,
                    "machine": socket.gethostname(),
                    "pid": pid,
                    "pid_started": _started(pid),
                    "renewed": timezone.now(),
                },
            )

    def renew(self) -> bool:
        """False when another process took it: this one must stop running turns."""
        rows = EngineLease.objects.filter(pk=1, holder=self._holder)
        return bool(rows.update(renewed=timezone.now()))

    def release(self) -> None:
        EngineLease.objects.filter(pk=1, holder=self._holder).delete()


def owner() -> EngineLease | None:
    """The process that owns the engine now."""
    row = EngineLease.objects.filter(pk=1).first()
    return row if row is not None and in_force(row) else None


def in_force(row: EngineLease) -> bool:
    """Renewed lately, and not by a process of this machine that is gone.

    Without the second a hub that was killed could not start again at once.
    """
    if timezone.now() - row.renewed > timedelta(seconds=STALE_SECONDS):
        return False
    if row.machine != socket.gethostname():
        return True
    return _alive(row.pid) and row.pid_started == _started(row.pid)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _started(pid: int) -> str:
    """When the process started, in ticks since boot; empty where /proc is not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
    # The name, in brackets, may hold spaces: field 22 is the 20th after it.
    fields = stat.rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 else ""

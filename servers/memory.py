"""What is read again and again, remembered for a moment by the process of the hub.

Reading kept servers means decrypting and ranking all of them, several times in one
request. Off unless somebody says for how long; what this process changes is seen at
once, what another one changes after that time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models.signals import m2m_changed, post_delete, post_save

from servers.models import Server

T = TypeVar("T")

_seconds: list[float] = [0.0]
_found: dict[str, tuple[float, Any]] = {}


def remember_for(seconds: float) -> None:
    """0 turns it off."""
    _seconds[0] = seconds
    forget_all()


def remembered(name: str, load: Callable[[], T]) -> T:
    """What `load` gave under this name lately, or gives now. Not to be changed."""
    if not _seconds[0]:
        return load()
    now = time.monotonic()
    moment, value = _found.get(name, (0.0, None))
    if not moment or now - moment > _seconds[0]:
        value = load()
        _found[name] = (now, value)
    return value  # type: ignore[no-any-return]


def forget_all(**_signal: Any) -> None:
    _found.clear()


post_save.connect(forget_all, sender=Server)
post_delete.connect(forget_all, sender=Server)
m2m_changed.connect(forget_all, sender=Server.groups.through)

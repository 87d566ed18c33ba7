"""The engine of this process: its own, or the road to the one that runs elsewhere."""

from __future__ import annotations

from chat.engine.base import Engine
from chat.engine.elsewhere import Elsewhere

_ELSEWHERE = Elsewhere()
_here: list[Engine] = []


def engine() -> Engine:
    return _here[-1] if _here else _ELSEWHERE


def use(found: Engine | None) -> None:
    """From now on this one; None: the hub of this process has stopped."""
    _here.clear()
    if found is not None:
        _here.append(found)

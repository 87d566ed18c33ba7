"""Tool calls put together from their pieces. Pure, and mutable."""

from __future__ import annotations

from dataclasses import dataclass, field

from chat.backends.chunks import ToolDelta
from chat.events import ToolCall

_NAME_CHARACTERS = 300


@dataclass(slots=True)
class _Call:
    call_id: str = ""
    name: str = ""
    # In pieces: joining at each would copy a long call again and again.
    arguments: list[str] = field(default_factory=list)


class ToolCalls:
    """Pieces belong together by number, by id, or simply to the last call."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._by_id: dict[str, _Call] = {}

    def add(self, delta: ToolDelta) -> str:
        """Add a piece; the name of the call it belongs to."""
        call = self._call(delta)
        if delta.name != call.name and len(call.name) < _NAME_CHARACTERS:
            call.name += delta.name
        call.call_id = call.call_id or delta.call_id
        call.arguments.append(delta.arguments)
        return call.name

    def __bool__(self) -> bool:
        return bool(self._calls)

    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(ToolCall(c.name, "".join(c.arguments)) for c in self._calls)

    def _call(self, delta: ToolDelta) -> _Call:
        """Some servers number every call 0: another id means another call."""
        known = self._known(delta)
        if known is None or (delta.call_id and known.call_id not in _either(delta)):
            known = _Call()
            self._calls.append(known)
        if delta.index is not None:
            self._by_index[delta.index] = known
        if delta.call_id:
            self._by_id[delta.call_id] = known
        return known

    def _known(self, delta: ToolDelta) -> _Call | None:
        if delta.index is not None:
            return self._by_index.get(delta.index)
        if delta.call_id in self._by_id:
            return self._by_id[delta.call_id]
        starts_another = delta.call_id and delta.name
        return self._calls[-1] if self._calls and not starts_another else None


def _either(delta: ToolDelta) -> tuple[str, str]:
    return ("", delta.call_id)

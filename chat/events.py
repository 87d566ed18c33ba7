"""What happens during a turn, as values. Pure: no clock, no network, no database.

A backend yields bodies; `turn.drain` numbers them without gaps into events; pages
follow events by number. The texts of all Text bodies, joined, ARE the answer.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Started:
    """The request left the hub's queue. `model` is what was asked for."""

    model: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    text: str


@dataclass(frozen=True, slots=True)
class ToolActivity:
    """The model asks for a tool: its name and the arguments as they arrive (text)."""

    name: str
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Nothing came for `quiet_seconds`; `reason` is `quiet` or `loading`."""

    quiet_seconds: float
    reason: str = "quiet"


@dataclass(frozen=True, slots=True)
class RateLimited:
    """The server limits. `resets_at` is aware UTC, None where it did not say when."""

    resets_at: datetime | None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts as the server gave them; None where it gave none."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Final:
    """The generation ended well. `finish_reason` is the server's own word or None.

    `model` is the one that answered; `notes` are facts worth showing with the
    answer ("sent again without top_k, which this server refused").
    """

    finish_reason: str | None
    model: str = ""
    usage: Usage = Usage()
    tools: tuple[ToolCall, ...] = ()
    notes: tuple[str, ...] = ()


Body = Started | Text | Reasoning | ToolActivity | Heartbeat | RateLimited | Final

KINDS: dict[type, str] = {
    Started: "started",
    Text: "text",
    Reasoning: "reasoning",
    ToolActivity: "tool",
    Heartbeat: "heartbeat",
    RateLimited: "rate_limited",
    Final: "final",
}


@dataclass(frozen=True, slots=True)
class Event:
    """One body with its number: 1, 2, 3 ... within a turn, without gaps."""

    number: int
    body: Body

    @property
    def kind(self) -> str:
        return KINDS[type(self.body)]

    def as_json(self) -> dict[str, Any]:
        """The body's fields as JSON values, `kind` and `number` beside them."""
        found: dict[str, Any] = {"number": self.number, "kind": self.kind}
        for item in fields(self.body):
            value = getattr(self.body, item.name)
            found[item.name] = _plain(value)
        return found


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Usage):
        return asdict(value)
    if isinstance(value, tuple):
        return [asdict(v) if isinstance(v, ToolCall) else v for v in value]
    return value

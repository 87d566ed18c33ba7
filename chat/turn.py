"""One road for every turn: events in, one outcome out.

Owns the numbering of events and what ends a turn; knows no server, page or row.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from chat.events import ToolCall, Usage


class Ending(StrEnum):
    """How a turn ended; the words of the command line's `outcome`."""

    COMPLETED = "completed"
    RATE_LIMITED = "rate_limited"
    INTERRUPTED = "interrupted"
    TIMEOUT = "timeout"
    FAILED = "failed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds from the request's first byte; None where nothing was measured."""

    first_token_s: float | None = None
    total_s: float | None = None
    tokens_per_s: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a turn came to. What was received is kept, whatever the ending."""

    ending: Ending
    text: str = ""
    reasoning: str = ""
    error: str = ""
    fault: str = ""
    resets_at: datetime | None = None
    finish_reason: str | None = None
    model: str = ""
    usage: Usage = Usage()
    tools: tuple[ToolCall, ...] = ()
    notes: tuple[str, ...] = ()
    timings: Timings = Timings()

"""One road for every turn: bodies in, numbered events out, one outcome at the end.

Owns the numbering of events, heartbeats, and what ends a turn; knows no server, page
or row. The page, the command and the blocking caller all call `drain`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.utils.translation import gettext as _

from chat.backends.base import Backend, Request
from chat.errors import BackendError
from chat.events import (
    Body,
    Event,
    Final,
    Heartbeat,
    RateLimited,
    Reasoning,
    Started,
    Text,
    ToolCall,
    Usage,
)

# A silence longer than this becomes a heartbeat that the person can see.
QUIET_SECONDS = 3.0

Sink = Callable[[Event], None]


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


class Stop:
    """A stop that a person asks for, before or while a turn is read.

    `ask` belongs to the loop's own thread; asking twice, or after the end, is
    harmless. A stopped `drain` returns an interrupted outcome.
    """

    def __init__(self) -> None:
        self.asked = False
        self._scope: asyncio.Timeout | None = None

    def ask(self) -> None:
        self.asked = True
        if self._scope is not None and not self._scope.expired():
            self._scope.reschedule(asyncio.get_running_loop().time())

    def guard(self, scope: asyncio.Timeout | None) -> None:
        """The scope that `ask` ends from now on; None takes it away again."""
        self._scope = scope


class Reading:
    """What came so far: bodies in, numbered events out, an outcome at any moment.

    A caller whose task may be cancelled passes its own to `drain` and asks it for
    the outcome afterwards.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._number = 0
        self._started = self._last = clock()
        self._first_token: float | None = None
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self.limit: RateLimited | None = None
        self.final: Final | None = None

    @property
    def quiet_seconds(self) -> float:
        """Seconds since the last sign of life, heartbeats of our own not counted."""
        return self._clock() - self._last

    def take(self, body: Body) -> Event:
        """Number one body and remember what the outcome will need of it."""
        self._last = self._clock()
        if isinstance(body, Text):
            self._token(self._text, body.text)
        elif isinstance(body, Reasoning):
            self._token(self._reasoning, body.text)
        elif isinstance(body, Started):
            self._started = self._last
        elif isinstance(body, RateLimited):
            self.limit = body
        elif isinstance(body, Final):
            self.final = body
        return self._numbered(body)

    def beat(self) -> Event:
        """A heartbeat of our own: it is no sign of life of the server's."""
        return self._numbered(Heartbeat(round(self.quiet_seconds, 1)))

    def outcome(self, ending: Ending, error: str = "", fault: str = "") -> Outcome:
        """What the turn comes to if it ends now, as `ending`."""
        final = self.final or Final(finish_reason=None)
        return Outcome(
            ending=ending,
            text="".join(self._text),
            reasoning="".join(self._reasoning),
            error=error,
            fault=fault,
            resets_at=self._resets_at(ending),
            finish_reason=final.finish_reason,
            model=final.model,
            usage=final.usage,
            tools=final.tools,
            notes=final.notes,
            timings=self._timings(final.usage),
        )

    def _token(self, parts: list[str], text: str) -> None:
        parts.append(text)
        if self._first_token is None:
            self._first_token = self._last

    def _numbered(self, body: Body) -> Event:
        self._number += 1
        return Event(self._number, body)

    def _resets_at(self, ending: Ending) -> datetime | None:
        """A later final wins over a limit that was seen before it."""
        if self.limit is None or ending is Ending.COMPLETED:
            return None
        return self.limit.resets_at

    def _timings(self, usage: Usage) -> Timings:
        total = self._clock() - self._started
        if self._first_token is None:
            return Timings(total_s=round(total, 3))
        first = self._first_token - self._started
        return Timings(round(first, 3), round(total, 3), _speed(usage, first, total))


def _speed(usage: Usage, first: float, total: float) -> float | None:
    """Tokens per second of generation; of the whole where all came in one lump."""
    if not usage.completion_tokens or total <= 0:
        return None
    generating = total - first
    seconds = generating if generating > total * 0.05 else total
    return round(usage.completion_tokens / seconds, 2)


async def drain(  # noqa: PLR0913  one road, so every caller's wish is named here
    backend: Backend,
    request: Request,
    *,
    sink: Sink | None = None,
    timeout_seconds: float | None = None,
    stop: Stop | None = None,
    quiet_seconds: float = QUIET_SECONDS,
    reading: Reading | None = None,
) -> Outcome:
    """Read one generation to its end and say what it came to.

    Every body is numbered and handed to `sink` at once (a plain function: it must
    not block); a silence of `quiet_seconds` becomes a heartbeat. `timeout_seconds`
    bounds everything, waits for a loading server included. A `BackendError`, a stop
    and the timeout are outcomes; cancelling the task closes the upstream and raises
    as always, and `reading.outcome(Ending.INTERRUPTED)` then holds what came.
    """
    reading = reading or Reading()
    stop = stop or Stop()
    if stop.asked:
        return reading.outcome(Ending.INTERRUPTED)
    try:
        async with asyncio.timeout(timeout_seconds) as scope:
            stop.guard(scope)
            await _read(backend, request, reading, sink or _nobody, quiet_seconds)
    except TimeoutError:
        if not scope.expired():
            raise
        return _broken_off(reading, stop, timeout_seconds)
    except BackendError as error:
        return _failed(reading, error)
    finally:
        stop.guard(None)
    return _ended(reading)


def _nobody(event: Event) -> None:
    """The sink of a caller who wants the outcome alone."""


async def _read(
    backend: Backend, request: Request, reading: Reading, sink: Sink, quiet: float
) -> None:
    pulse = _Pulse(reading, sink, quiet)
    bodies = backend.events(request)
    try:
        async for body in bodies:
            sink(reading.take(body))
            if isinstance(body, Final):
                return
    finally:
        pulse.end()
        await _close(bodies)


async def _close(bodies: AsyncIterator[Body]) -> None:
    """Close the iterator now, not when it is collected: the upstream hangs on it."""
    close = getattr(bodies, "aclose", None)
    if close is not None:
        await close()


class _Pulse:
    """Heartbeats while nothing comes: one timer, moved on only when it fires."""

    def __init__(self, reading: Reading, sink: Sink, quiet: float) -> None:
        self._reading, self._sink, self._quiet = reading, sink, quiet
        self._loop = asyncio.get_running_loop()
        self._next = quiet
        self._timer = self._loop.call_later(quiet, self._fire)

    def _fire(self) -> None:
        silent = self._reading.quiet_seconds
        if silent < self._quiet:
            self._next = self._quiet
        elif silent >= self._next:
            self._next = silent + self._quiet
            self._sink(self._reading.beat())
        wait = max(self._next - silent, 0.001)
        self._timer = self._loop.call_later(wait, self._fire)

    def end(self) -> None:
        self._timer.cancel()


def _ended(reading: Reading) -> Outcome:
    """The iterator ended by itself: only a final ends a turn well."""
    if reading.final is not None:
        return reading.outcome(Ending.COMPLETED)
    if reading.limit is not None:
        return reading.outcome(Ending.RATE_LIMITED, reading.limit.message)
    said = _("The server closed the stream without ending its answer.")
    return reading.outcome(Ending.FAILED, said, "cut")


def _failed(reading: Reading, error: BackendError) -> Outcome:
    if reading.final is None:
        reading.final = error.facts
    if reading.limit is not None:
        said = reading.limit.message or error.message
        return reading.outcome(Ending.RATE_LIMITED, said)
    return reading.outcome(Ending.FAILED, error.message, str(error.fault))


def _broken_off(reading: Reading, stop: Stop, timeout: float | None) -> Outcome:
    if stop.asked:
        return reading.outcome(Ending.INTERRUPTED)
    said = _("No end of the answer within %(seconds)g s.") % {"seconds": timeout or 0}
    return reading.outcome(Ending.TIMEOUT, said)

"""Which of many (host, port) accept a connection: one thread, readiness, no tasks.

Connects and closes; sends no byte. Knows numeric addresses only: names are resolved
before, and what answers is recognised after.
"""

from __future__ import annotations

import errno
import selectors
import socket
import threading
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field

from servers.discovery.limits import (
    IN_FLIGHT,
    descriptors_to_spare,
    neighbour_overflows,
)
from servers.discovery.sockets import (
    Endpoint,
    connect,
    met_itself,
    new_socket,
    numeric,
)

__all__ = ["DEFAULT_PACE", "Done", "Endpoint", "Heartbeat", "Hit", "Pace", "sweep"]

# Connections opened between two looks at what became ready. Small, so that an answer
# is seen soon; asyncio's habit of opening all at once lets timeouts expire unseen.
BATCH = 128
# A loop that came back this much later than planned may have lost answers, so what
# timed out then is looked at again (and only that: a second look costs its timeout).
LAG_SECONDS = 0.05
# What the system could not even start is asked again after these pauses, and on while
# that helps. A full neighbour table takes longer to empty: its entries wait 3 s.
PAUSES_SECONDS = (0.1, 0.2, 0.4, 0.8)
TABLE_PAUSE_SECONDS = 1.5
TABLE_LOOK_SECONDS = 0.02

# The network answered: nobody accepts there.
_REFUSED = frozenset(
    {
        errno.ECONNREFUSED,
        errno.ECONNRESET,
        errno.ECONNABORTED,
        errno.EHOSTUNREACH,
        errno.EHOSTDOWN,
        errno.ENETUNREACH,
        errno.ENETDOWN,
        errno.ETIMEDOUT,
        errno.ENOPROTOOPT,
    }
)
# This machine ran out of something: the question was never asked.
_EXHAUSTED = frozenset(
    {
        errno.EADDRNOTAVAIL,
        errno.EADDRINUSE,
        errno.ENOBUFS,
        errno.ENOMEM,
        errno.EMFILE,
        errno.ENFILE,
        errno.EAGAIN,
        errno.EINTR,
    }
)
_STARTED = frozenset({errno.EINPROGRESS, errno.EALREADY})


@dataclass(frozen=True, slots=True)
class Hit:
    """Somebody accepts connections here."""

    endpoint: Endpoint
    seconds: float


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Still sweeping, and nothing found since the last sign."""

    done: int
    total: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Done:
    """The end. `not_asked` could not be tried for want of ports, buffers or memory.

    `stopped` is true when the caller ended it early; `looked_twice` counts what was
    tried again because the machine was too busy to be sure.
    """

    open: int
    total: int
    seconds: float
    not_asked: tuple[Endpoint, ...] = ()
    looked_twice: int = 0
    stopped: bool = False


Progress = Hit | Heartbeat | Done


@dataclass(frozen=True, slots=True)
class Pace:
    """The numbers of a sweep. `in_flight` 0: as many as descriptors allow."""

    timeout_seconds: float = 0.30
    heartbeat_seconds: float = 2.0
    in_flight: int = 0


DEFAULT_PACE = Pace()


def sweep(
    endpoints: Iterable[Endpoint],
    pace: Pace = DEFAULT_PACE,
    *,
    stop: threading.Event | None = None,
    overflows: Callable[[], int] = neighbour_overflows,
    open_socket: Callable[[int], socket.socket] | None = None,
) -> Generator[Progress, None, None]:
    """Yield a Hit for each endpoint that accepts, Heartbeats between, Done last.

    Blocking. Runs until every endpoint is decided or `stop` is set; closing the
    generator closes every socket.
    """
    run = _Sweep(
        list(endpoints),
        pace,
        stop or threading.Event(),
        overflows,
        open_socket or new_socket,
    )
    try:
        yield from run.progress()
    finally:
        run.close()


@dataclass(slots=True)
class _Attempt:
    """One connection under way, with its own deadline."""

    sock: socket.socket
    endpoint: Endpoint
    started: float
    deadline: float
    over: bool = False
    # Opened while the neighbour table was full: the question went nowhere.
    dropped: bool = False


@dataclass(slots=True)
class _Sweep:
    """The state of one sweep. Deadlines are in order because the timeout is one."""

    endpoints: list[Endpoint]
    pace: Pace
    stop: threading.Event
    overflows: Callable[[], int]
    open_socket: Callable[[int], socket.socket]
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    live: dict[int, _Attempt] = field(default_factory=dict)
    waiting: deque[_Attempt] = field(default_factory=deque)
    queue: deque[Endpoint] = field(default_factory=deque)
    later: list[Endpoint] = field(default_factory=list)
    # What timed out, and between which two moments it was under way.
    expired: list[tuple[Endpoint, float, float]] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    not_asked: list[Endpoint] = field(default_factory=list)
    hits: deque[Hit] = field(default_factory=deque)
    limit: int = IN_FLIGHT
    # What was opened since the neighbour table was looked at, and when that was.
    unlooked: list[_Attempt] = field(default_factory=list)
    looked: float = 0.0
    table_full: int = 0
    table_was_full: bool = False
    done: int = 0
    found: int = 0
    looked_twice: int = 0
    began: float = field(default_factory=time.monotonic)
    last_sign: float = 0.0

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def progress(self) -> Iterator[Progress]:
        self.limit = self.pace.in_flight or descriptors_to_spare(len(self.endpoints))
        self.last_sign = self.began
        self.table_full = self.overflows()
        yield from self._pass(self.endpoints)
        again = self._doubtful()
        if again and not self.stop.is_set():
            self.looked_twice = len(again)
            yield from self._pass(again)
        yield Done(
            open=self.found,
            total=len(self.endpoints),
            seconds=self.seconds,
            not_asked=tuple(self.not_asked),
            looked_twice=self.looked_twice,
            stopped=self.stop.is_set(),
        )

    def _doubtful(self) -> list[Endpoint]:
        """What timed out while this loop lagged, for a second look."""
        chosen = [e for e, start, end in self.expired if self._lagged(start, end)]
        self.expired.clear()
        self.done -= len(chosen)
        return chosen

    def _lagged(self, start: float, end: float) -> bool:
        at = bisect_left(self.lags, start)
        return at < len(self.lags) and self.lags[at] <= end

    def _pass(self, endpoints: list[Endpoint]) -> Iterator[Progress]:
        """Ask each; what this machine could not start is asked again, then listed."""
        self.queue.extend(endpoints)
        yield from self._ask()
        pauses, before = list(PAUSES_SECONDS), len(endpoints) + 1
        while self.later and (pauses or len(self.later) < before):
            pause = pauses.pop(0) if pauses else PAUSES_SECONDS[-1]
            if self.stop.wait(TABLE_PAUSE_SECONDS if self.table_was_full else pause):
                break
            before, self.table_was_full = len(self.later), False
            self.queue.extend(self.later)
            self.later.clear()
            yield from self._ask()
        self.done += len(self.later)
        self.not_asked.extend(self.later)
        self.later.clear()

    def _ask(self) -> Iterator[Progress]:
        while (self.queue or self.live) and not self.stop.is_set():
            self._step()
            while self.hits:
                self.last_sign = time.monotonic()
                yield self.hits.popleft()
            now = time.monotonic()
            if now - self.last_sign >= self.pace.heartbeat_seconds:
                self.last_sign = now
                yield Heartbeat(self.done, len(self.endpoints), now - self.began)

    def _step(self) -> None:
        """Open some, see what is ready, and only then let the late ones go."""
        before = time.monotonic()
        self._open_some()
        wait = self._wait_seconds()
        ready = self.selector.select(wait)
        seen = time.monotonic()
        for key, _ in ready:
            self._finish(self.live[key.fd])
        after = time.monotonic()
        if after - before - wait > LAG_SECONDS:
            self.lags.append(after)
        self._expire(seen)

    def _wait_seconds(self) -> float:
        """Until the next deadline, briefly at most: `stop` must be seen soon."""
        if self.queue and len(self.live) < self.limit:
            return 0.0
        while self.waiting and self.waiting[0].over:
            self.waiting.popleft()
        if not self.waiting:
            return 0.0
        return min(max(self.waiting[0].deadline - time.monotonic(), 0.0), 0.05)

    def _open_some(self) -> None:
        room = min(BATCH, self.limit - len(self.live), len(self.queue))
        for _ in range(room):
            if not self._open(self.queue.popleft()):
                break
        if self.unlooked and time.monotonic() - self.looked > TABLE_LOOK_SECONDS:
            self._look_at_table()

    def _look_at_table(self) -> None:
        """What was opened while the neighbour table overflowed was never asked: the
        system drops it without an error, and only this counter tells."""
        full = self.overflows()
        if full > self.table_full:
            self.table_full, self.table_was_full = full, True
            for attempt in self.unlooked:
                attempt.dropped = True
            self.limit = max(BATCH, len(self.live) // 2)
        self.unlooked.clear()
        self.looked = time.monotonic()

    def _open(self, endpoint: Endpoint) -> bool:
        """Start one connection; False when the machine had nothing left to give."""
        family, address = numeric(endpoint)
        try:
            sock = self.open_socket(family)
        except OSError as error:
            return self._conclude(endpoint, error.errno or errno.EMFILE)
        code = connect(sock, address)
        if code not in _STARTED:
            sock.close()
            return self._conclude(endpoint, code)
        now = time.monotonic()
        attempt = _Attempt(sock, endpoint, now, now + self.pace.timeout_seconds)
        self.live[sock.fileno()] = attempt
        self.waiting.append(attempt)
        self.unlooked.append(attempt)
        self.selector.register(sock, selectors.EVENT_WRITE)
        return True

    def _conclude(self, endpoint: Endpoint, code: int) -> bool:
        """What the system said: open, nobody there, or not asked (False)."""
        if code in _EXHAUSTED:
            self.later.append(endpoint)
            if self.live:
                self.limit = max(1, min(self.limit, len(self.live)))
            return False
        self.done += 1
        if code == 0:
            self.found += 1
            self.hits.append(Hit(endpoint, self.seconds))
        elif code not in _REFUSED:
            # A firewall of this machine (EPERM, EACCES) and whatever else is local.
            self.not_asked.append(endpoint)
        return True

    def _finish(self, attempt: _Attempt) -> None:
        code = attempt.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code == 0 and met_itself(attempt.sock):
            code = errno.ECONNREFUSED
        self._drop(attempt)
        self._conclude(attempt.endpoint, code)

    def _drop(self, attempt: _Attempt) -> None:
        attempt.over = True
        del self.live[attempt.sock.fileno()]
        self.selector.unregister(attempt.sock)
        attempt.sock.close()

    def _expire(self, seen: float) -> None:
        """Let go of those whose deadline had passed when readiness was looked at."""
        while self.waiting:
            attempt = self.waiting[0]
            if not attempt.over and attempt.deadline > seen:
                return
            self.waiting.popleft()
            if attempt.over:
                continue
            self._drop(attempt)
            if attempt.dropped:
                self.later.append(attempt.endpoint)
            else:
                self.done += 1
                self.expired.append((attempt.endpoint, attempt.started, seen))

    def close(self) -> None:
        for attempt in self.live.values():
            attempt.sock.close()
        self.live.clear()
        self.selector.close()

"""The one scan a hub runs for its curators: in memory, followed by version number.

Owns the running scan's thread and what it found until somebody kept it or nobody
looks any more. Knows no page; every reader gets a snapshot.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from servers.discovery.report import Report
from servers.discovery.search import Progress, Recognise, Sighting, search
from servers.discovery.sweep import Pace
from servers.discovery.targets import Plan, Unprobed

# A scan nobody follows is stopped, and what it found is forgotten, after this long: a
# browser may let a page in the background ask once a minute only.
FORGET_SECONDS = 150.0
# So long after the last page said goodbye: a reload says it too, and comes back.
GRACE_SECONDS = 8.0
_BEAT_SECONDS = 0.1

logger = logging.getLogger(__name__)


class Stage(StrEnum):
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A scan at one moment. `sightings` stand in the order they came and stay there."""

    number: int
    by: str
    stage: Stage
    targets: int
    done: int
    open: int
    seconds: float
    sightings: tuple[Sighting, ...]
    left_out: tuple[Unprobed, ...]

    @property
    def running(self) -> bool:
        return self.stage is Stage.RUNNING

    @property
    def servers(self) -> tuple[Sighting, ...]:
        return tuple(one for one in self.sightings if one.is_server)

    @property
    def others(self) -> tuple[Sighting, ...]:
        """Open ports that are no LLM server."""
        return tuple(one for one in self.sightings if not one.is_server)


@dataclass(frozen=True, slots=True)
class Numbers:
    """How a scan is paced, from the settings of whoever starts it."""

    connect_seconds: float = 0.30
    probe_seconds: float = 1.0
    forget_seconds: float = FORGET_SECONDS
    grace_seconds: float = GRACE_SECONDS


@dataclass(slots=True)
class _Run:
    """What only the scan's own thread and the lock's holder touch."""

    number: int
    by: str
    report: Report
    numbers: Numbers
    stop: threading.Event = field(default_factory=threading.Event)
    stage: Stage = Stage.RUNNING
    came: list[Sighting] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)
    # When it is forgotten unless somebody looks before.
    until: float = 0.0


class Scanner:
    """One scan at a time. Every method may be called from any thread."""

    def __init__(self, recognise: Recognise) -> None:
        self._recognise = recognise
        self._lock = threading.Lock()
        self._run: _Run | None = None
        self._numbers = itertools.count(1)

    def start(self, plan: Plan, by: str, numbers: Numbers) -> Snapshot | None:
        """Begin; None when one is running already (it can be followed)."""
        with self._lock:
            if self._run is not None and self._run.stage is Stage.RUNNING:
                return None
            run = _Run(next(self._numbers), by, Report(plan), numbers)
            run.until = run.began + numbers.forget_seconds
            self._run = run
        threading.Thread(target=self._scan, args=(run,), daemon=True).start()
        return self._snapshot(run)

    def stop(self) -> None:
        """Ask the running scan to end; it does within a moment."""
        with self._lock:
            if self._run is not None:
                self._run.stop.set()

    def follow(self) -> Snapshot | None:
        """The scan there is, running or not; None when there is none. Counts as a
        sign that somebody looks."""
        with self._lock:
            run = self._run
            if run is None:
                return None
            run.until = time.monotonic() + run.numbers.forget_seconds
            return self._snapshot(run)

    def leave(self) -> None:
        """A page was closed. Another one that follows keeps the scan alive."""
        with self._lock:
            if self._run is not None:
                soon = time.monotonic() + self._run.numbers.grace_seconds
                self._run.until = min(self._run.until, soon)

    def chosen(self, number: int, places: Sequence[int]) -> list[Sighting]:
        """Sightings of scan `number` by their place; fewer when it is gone."""
        with self._lock:
            run = self._run
            if run is None or run.number != number:
                return []
            return [run.came[i] for i in places if 0 <= i < len(run.came)]

    def _snapshot(self, run: _Run) -> Snapshot:
        report, last = run.report, run.report.last
        seconds = report.seconds if report.ended else time.monotonic() - run.began
        planned = itertools.chain.from_iterable(
            found.unprobed for found in report.plan.sources.values()
        )
        return Snapshot(
            number=run.number,
            by=run.by,
            stage=run.stage,
            targets=last.total if last else len(report.plan.targets),
            done=last.done if last else 0,
            open=report.open,
            seconds=seconds,
            sightings=tuple(run.came),
            left_out=(*planned, *report.aside),
        )

    def _scan(self, run: _Run) -> None:
        try:
            asyncio.run(self._follow_search(run))
            ended = run.report.ended
            stage = Stage.STOPPED if ended is None or ended.stopped else Stage.DONE
        except Exception:  # noqa: BLE001 - the thread's border: the page must learn of it
            logger.exception("The scan ended early")
            stage = Stage.FAILED
        with self._lock:
            run.stage = stage
        self._wait_until_nobody_looks(run)

    async def _follow_search(self, run: _Run) -> None:
        events = search(
            run.report.plan,
            recognise=self._recognise,
            pace=Pace(run.numbers.connect_seconds, _BEAT_SECONDS),
            budget_seconds=run.numbers.probe_seconds,
            stop=run.stop,
        )
        async for event in events:
            with self._lock:
                run.report.take(event)
                if isinstance(event, Sighting):
                    run.came.append(event)
            if isinstance(event, Progress) and self._unwatched(run):
                run.stop.set()

    def _unwatched(self, run: _Run) -> bool:
        return time.monotonic() > run.until

    def _wait_until_nobody_looks(self, run: _Run) -> None:
        """What was not kept is gone when the last page is closed."""
        while self._run is run and not self._unwatched(run):
            time.sleep(min(1.0, run.numbers.grace_seconds / 4))
        with self._lock:
            if self._run is run:
                self._run = None


_scanners: dict[str, Scanner] = {}
_making = threading.Lock()


def the_scanner(make: Callable[[], Scanner]) -> Scanner:
    """The hub's one scanner, made at first use."""
    with _making:
        if "hub" not in _scanners:
            _scanners["hub"] = make()
        return _scanners["hub"]

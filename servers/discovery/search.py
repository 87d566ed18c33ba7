"""A whole scan: sweep what the plan says, recognise what accepts, tell as it happens.

Two passes that overlap: a thread connects, the loop asks the open ports for their
name. Writes nothing anywhere; knows neither terminal nor page.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from servers.addresses import Origin
from servers.discovery.limits import has_plenty
from servers.discovery.resolve import is_address, resolve
from servers.discovery.sweep import (
    DEFAULT_PACE,
    Done,
    Endpoint,
    Heartbeat,
    Hit,
    Pace,
    sweep,
)
from servers.discovery.targets import Plan, Target, Unprobed
from servers.identity import Identity

# Open ports asked for their name at once: each holds up to four sockets.
_AT_ONCE = 8
# Where descriptors are plenty, a silent listener holds its place only so long: it may
# use its whole budget without making the others wait for it.
_HOLD_SECONDS = 0.25
_LOOK_SECONDS = 0.05


Recognise = Callable[[Origin, float], Awaitable[Identity]]


@dataclass(frozen=True, slots=True)
class Sighting:
    """One open port and who answers there. `order` is its place in the plan."""

    order: int
    target: Target
    origin: Origin
    identity: Identity

    @property
    def is_server(self) -> bool:
        return self.identity.is_server


@dataclass(frozen=True, slots=True)
class Progress:
    """Where the sweep stands: endpoints decided, open ports so far."""

    done: int
    total: int
    open: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Ended:
    """The end. `aside` is what was not asked, or did not open, with the reason."""

    total: int
    open: int
    seconds: float
    aside: tuple[Unprobed, ...] = ()
    stopped: bool = False


Event = Sighting | Progress | Ended


@dataclass(slots=True)
class _Search:
    """The state of one search. `waiting` are second addresses of one machine."""

    recognise: Recognise
    budget_seconds: float
    events: asyncio.Queue[Event | None] = field(default_factory=asyncio.Queue)
    slots: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(_AT_ONCE)
    )
    by_endpoint: dict[Endpoint, Target] = field(default_factory=dict)
    order: dict[Endpoint, int] = field(default_factory=dict)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    second: set[Endpoint] = field(default_factory=set)
    waiting: list[Endpoint] = field(default_factory=list)
    opened: set[Endpoint] = field(default_factory=set)
    seen: dict[tuple[str, int], list[dict[str, Any]]] = field(default_factory=dict)
    aside: list[Unprobed] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began


async def search(
    plan: Plan,
    *,
    recognise: Recognise,
    pace: Pace = DEFAULT_PACE,
    budget_seconds: float = 1.0,
    stop: threading.Event | None = None,
) -> AsyncIterator[Event]:
    """Yield sightings and progress as they come, and Ended last.

    Setting `stop` ends it within a moment; so does closing the iterator.
    """
    stop = stop or threading.Event()
    state = _Search(recognise, budget_seconds)
    await _resolve(state, plan.targets)
    work = asyncio.create_task(_work(state, pace, stop))
    try:
        while (event := await state.events.get()) is not None:
            yield event
        await work
    finally:
        stop.set()
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


async def _resolve(state: _Search, targets: Iterable[Target]) -> None:
    """Names become addresses, all at once and within one bound."""
    names = dict.fromkeys(t.host for t in targets if not is_address(t.host))
    found = await resolve(list(names))
    for name, addresses in found.items():
        if not addresses:
            state.aside.append(Unprobed(name, _("does not resolve"), name))
    for target in targets:
        for number, address in enumerate(found.get(target.host, [target.host])):
            endpoint = Endpoint(address, target.port)
            state.by_endpoint.setdefault(endpoint, target)
            state.order.setdefault(endpoint, len(state.order))
            if number or address == "::1":
                state.second.add(endpoint)


async def _work(state: _Search, pace: Pace, stop: threading.Event) -> None:
    """The sweep in a thread; a task for each open port; a word about the end."""
    loop = asyncio.get_running_loop()
    hits: asyncio.Queue[Hit | Heartbeat | Done | None] = asyncio.Queue()
    endpoints = list(state.by_endpoint)

    def run() -> None:
        try:
            for event in sweep(endpoints, pace, stop=stop):
                loop.call_soon_threadsafe(hits.put_nowait, event)
        finally:
            loop.call_soon_threadsafe(hits.put_nowait, None)

    thread = loop.run_in_executor(None, run)
    try:
        async with asyncio.TaskGroup() as group:
            done = await _take(state, hits, group)
            for endpoint in state.waiting:
                state.tasks.append(group.create_task(_name(state, endpoint)))
            await _named_or_stopped(state, stop)
        await thread
        await state.events.put(_ended(state, done, stopped=stop.is_set()))
    finally:
        stop.set()
        await asyncio.shield(asyncio.gather(thread, return_exceptions=True))
        state.events.put_nowait(None)


async def _named_or_stopped(state: _Search, stop: threading.Event) -> None:
    """Until every open port was asked; `stop` ends that as soon as it is set."""
    left = set(state.tasks)
    while left and not stop.is_set():
        _done, left = await asyncio.wait(left, timeout=_LOOK_SECONDS)
    for task in left:
        task.cancel()


async def _take(
    state: _Search,
    hits: asyncio.Queue[Hit | Heartbeat | Done | None],
    group: asyncio.TaskGroup,
) -> Done:
    """What the sweep tells, until its end. None without Done: it failed."""
    done = Done(open=0, total=len(state.by_endpoint), seconds=0.0, stopped=True)
    while (event := await hits.get()) is not None:
        match event:
            case Hit(endpoint=endpoint):
                _opened(state, endpoint, group)
            case Heartbeat() as beat:
                await state.events.put(_progress(state, beat.done, beat.total))
            case Done():
                done = event
                await state.events.put(_progress(state, done.total, done.total))
    return done


def _opened(state: _Search, endpoint: Endpoint, group: asyncio.TaskGroup) -> None:
    """Ask who it is: now, or after the machine's first address was asked."""
    state.opened.add(endpoint)
    if endpoint in state.second:
        state.waiting.append(endpoint)
    else:
        state.tasks.append(group.create_task(_name(state, endpoint)))


def _progress(state: _Search, done: int, total: int) -> Progress:
    return Progress(done, total, len(state.opened), state.seconds)


async def _name(state: _Search, endpoint: Endpoint) -> None:
    target = state.by_endpoint[endpoint]
    origin, identity = await _in_turn(state, _who(state, endpoint))
    if _is_new(state, target, endpoint, identity):
        order = state.order[endpoint]
        await state.events.put(Sighting(order, target, origin, identity))


async def _in_turn(
    state: _Search, asking: Coroutine[Any, Any, tuple[Origin, Identity]]
) -> tuple[Origin, Identity]:
    """Ask when there is a place free, and give the place back in good time."""
    task = None
    try:
        async with state.slots:
            task = asyncio.ensure_future(asking)
            hold = _HOLD_SECONDS if has_plenty() else None
            await asyncio.wait({task}, timeout=hold)
        return await task
    finally:
        if task is None:
            asking.close()
        elif not task.done():
            task.cancel()


async def _who(state: _Search, endpoint: Endpoint) -> tuple[Origin, Identity]:
    """Who answers, and at which origin: the recogniser may have found TLS there."""
    asked = Origin("http", endpoint.host, endpoint.port)
    identity = await state.recognise(asked, state.budget_seconds)
    return identity.origin or asked, identity


def _is_new(
    state: _Search, target: Target, endpoint: Endpoint, identity: Identity
) -> bool:
    """One server on both addresses of a machine is one; two different ones are two."""
    name = target.host
    if name in ("127.0.0.1", "::1"):
        name = "localhost"
    elif is_address(name):
        return True
    facts = identity.as_json()
    for place in ("host", "port", "scheme"):
        facts.pop(place, None)
    before = state.seen.setdefault((name, endpoint.port), [])
    if facts in before:
        state.opened.discard(endpoint)
        return False
    before.append(facts)
    return True


def _ended(state: _Search, done: Done, *, stopped: bool) -> Ended:
    aside = list(state.aside)
    for host, count in Counter(one.host for one in done.not_asked).items():
        reason = _("not asked, this machine could not: %d of its ports") % count
        aside.append(Unprobed(host, reason, host))
    for endpoint, target in state.by_endpoint.items():
        if target.closed and endpoint not in state.opened and not stopped:
            words = {"port": endpoint.port, "closed": target.closed}
            reason = _("port %(port)s: %(closed)s") % words
            aside.append(Unprobed(target.note, reason, endpoint.host))
    return Ended(
        total=done.total,
        open=len(state.opened),
        seconds=state.seconds,
        aside=tuple(aside),
        stopped=stopped,
    )

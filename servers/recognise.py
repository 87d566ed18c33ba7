"""Recognise what answers at an origin: drives the wire by the ladder.

Owns the budget of one (host, port) and how many are asked at once. Decides nothing
about who answers: that is `ladder.py`'s.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from django.utils.translation import gettext as _

from servers.addresses import Origin
from servers.evidence import Evidence
from servers.hosting import Hosting, Placed, place
from servers.identity import Identity
from servers.ladder import FIRST, Ask, by_host, families, step
from servers.manners import HEALTH
from servers.patience import Patience
from servers.wire import Quiet, Reply, Silence, Wire

Found = TypeVar("Found")

BUDGET_SECONDS = 1.0
AT_ONCE = 6
# The share of the budget after which a round goes on without its stragglers.
_STRAGGLERS = 0.35
# Seconds one recognition holds its place in the queue: a silent listener may use its
# whole budget without making the others wait for it.
_HOLD_SECONDS = 0.5
# How often a round looks whether it waited enough.
_LOOK_SECONDS = 0.02
# Their /health is no state but work: a token, a call to every model.
COSTLY_HEALTH = frozenset({"sglang", "sglang_router", "litellm"})
# How Go and nginx answer plain HTTP on a TLS port.
_WANTS_TLS = (
    "client sent an http request to an https server",
    "the plain http request was sent to https port",
)


async def recognise(
    origin: Origin,
    *,
    budget_seconds: float = BUDGET_SECONDS,
    cgnat_is_lan: bool = False,
    placed: Placed | None = None,
) -> Identity:
    """Who answers at `origin`, within `budget_seconds`; never raises for an answer.

    A typed API root (`.../v1`) counts as its server's root. `placed` is the host as
    classified already; else it is resolved here, once. No key is ever sent.
    """
    placed = placed or await placed_within(origin.host, budget_seconds, cgnat_is_lan)
    identity, _evidence = await heard(origin, placed, budget_seconds)
    return identity


async def heard(
    origin: Origin, placed: Placed, budget_seconds: float
) -> tuple[Identity, Evidence]:
    """Who answers, and all that it said."""
    origin = without_api_root(origin)
    known = by_host(origin.host)
    if known:
        return replace(known, origin=origin, hosting=placed.hosting), Evidence()
    async with Patience(budget_seconds) as patience:
        identity, evidence = await _asked(origin, placed, patience)
        if origin.scheme == "http" and _speaks_tls(evidence):
            secure = replace(origin, scheme="https")
            identity, evidence = await _asked(secure, placed, patience)
    return identity, evidence


async def recognise_many(
    origins: Iterable[Origin],
    *,
    budget_seconds: float = BUDGET_SECONDS,
    cgnat_is_lan: bool = False,
    at_once: int = AT_ONCE,
) -> AsyncIterator[tuple[int, Identity]]:
    """(place in `origins`, Identity) as they come."""

    def one(origin: Origin) -> Awaitable[Identity]:
        return recognise(
            origin, budget_seconds=budget_seconds, cgnat_is_lan=cgnat_is_lan
        )

    async for index, identity in each(origins, one, at_once=at_once):
        yield index, identity


async def each(
    origins: Iterable[Origin],
    ask: Callable[[Origin], Awaitable[Found]],
    *,
    at_once: int = AT_ONCE,
) -> AsyncIterator[tuple[int, Found]]:
    """(place, what `ask` gave) as they come, a bounded number at once."""
    slots = asyncio.Semaphore(at_once)

    async def one(index: int, origin: Origin) -> tuple[int, Found]:
        async with _held(slots):
            return index, await ask(origin)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(*pair)) for pair in enumerate(origins)]
        try:
            for task in asyncio.as_completed(tasks):
                yield await task
        finally:
            for one_task in tasks:
                one_task.cancel()


@asynccontextmanager
async def _held(slots: asyncio.Semaphore) -> AsyncIterator[None]:
    """A slot, given back when done or after a moment, whichever is first."""
    await slots.acquire()
    back = asyncio.get_running_loop().call_later(_HOLD_SECONDS, slots.release)
    try:
        yield
    finally:
        if not back.cancelled() and back.when() > asyncio.get_running_loop().time():
            back.cancel()
            slots.release()


def without_api_root(origin: Origin) -> Origin:
    """The server's root of a typed API root, longest known root first."""
    roots = {family.api_root or "" for family in families()} | {"/v1"}
    for root in sorted(roots, key=len, reverse=True):
        if root and origin.prefix.endswith(root):
            return replace(origin, prefix=origin.prefix.removesuffix(root))
    return origin


async def placed_within(host: str, seconds: float, cgnat_is_lan: bool) -> Placed:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        pass
    else:
        return place(host, cgnat_is_lan=cgnat_is_lan)
    try:
        async with asyncio.timeout(seconds):
            return await asyncio.to_thread(place, host, cgnat_is_lan=cgnat_is_lan)
    except TimeoutError:
        return Placed(host, (), Hosting.GLOBAL)


async def _asked(
    origin: Origin, placed: Placed, patience: Patience
) -> tuple[Identity, Evidence]:
    wire = Wire(origin, placed.addresses, patience=patience)
    async with wire:
        identity, evidence = await _Interview(wire, origin.port, patience).run()
    found = replace(
        identity,
        origin=origin,
        hosting=placed.hosting,
        problem="" if evidence.answers else _problem(wire.ended, evidence),
        asked=wire.asked,
    )
    return found, evidence


def _speaks_tls(evidence: Evidence) -> bool:
    """Whether plain HTTP met a TLS port: its alert is no HTTP, or it says so."""
    if not evidence.answers:
        reasons = {silence.reason for silence in evidence.silences.values()}
        return Quiet.GARBLED in reasons
    return any(
        answer.status == 400 and any(s in answer.text.lower() for s in _WANTS_TLS)
        for answer in evidence.answers.values()
    )


@dataclass(slots=True)
class _Interview:
    """Rounds of questions to one wire, until the ladder concludes."""

    wire: Wire
    port: int
    patience: Patience

    async def run(self) -> tuple[Identity, Evidence]:
        evidence = Evidence()
        late: set[asyncio.Task[Reply | Silence]] = set()
        patience = self.patience.left * _STRAGGLERS
        try:
            while True:
                over = self._over(evidence)
                next_step = step(evidence, port=self.port, done=over)
                if isinstance(next_step, Ask):
                    late |= self._sent(next_step)
                    wait = patience
                elif next_step.family or over or not late:
                    return next_step, evidence
                else:
                    wait = self.patience.left
                evidence, late = await self._heard(evidence, late, wait)
        finally:
            for task in late:
                task.cancel()

    def _over(self, evidence: Evidence) -> bool:
        """Nobody can answer any more: refused, out of time, or no web server (not
        one of the first questions was answered in HTTP)."""
        reasons = [silence.reason for silence in evidence.silences.values()]
        garbled = not evidence.answers and reasons.count(Quiet.GARBLED) >= FIRST
        return garbled or bool(self.wire.ended) or self.patience.over

    def _sent(self, ask: Ask) -> set[asyncio.Task[Reply | Silence]]:
        leave = bool(ask.named) and ask.named not in COSTLY_HEALTH
        return {
            asyncio.create_task(
                self.wire.get(path, health=leave and path == HEALTH), name=path
            )
            for path in ask.paths
        }

    async def _heard(
        self,
        evidence: Evidence,
        waiting: set[asyncio.Task[Reply | Silence]],
        seconds: float,
    ) -> tuple[Evidence, set[asyncio.Task[Reply | Silence]]]:
        """What came within `seconds` (longer while nothing ever came); a path that
        is late counts as silent until it speaks."""
        until = self.patience.spent + seconds
        done, late = await asyncio.wait(waiting, timeout=_LOOK_SECONDS)
        while late and not self.patience.over:
            patient = self.patience.spent < until
            if not patient and (done or evidence.answers):
                break
            done, late = await asyncio.wait(waiting, timeout=_LOOK_SECONDS)
        silent = [Silence(task.get_name(), Quiet.TIMEOUT) for task in late]
        return evidence.with_reply(*silent, *(task.result() for task in done)), late


def _problem(ended: Quiet | None, evidence: Evidence) -> str:
    """One line for a person when nothing answered."""
    reasons = [silence.reason for silence in evidence.silences.values()]
    if Quiet.GARBLED in reasons:
        return _("Something answers there, but not as a web server.")
    if ended is Quiet.REFUSED:
        return _("Nothing listens there (the connection was refused).")
    if ended is Quiet.UNRESOLVED:
        return _("That host has no address that may be asked.")
    return _("Nothing answered in time.")

"""One question to a kept server: the road of `ask --server`.

The turn is a row like any other, in the conversations of the person who asks. A hub
that runs answers it in its queue and this command follows the rows; with no hub
running, the command owns the engine for as long as its turn takes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db.models import Q
from django.utils.translation import gettext as _

from chat import transcript
from chat.access import may_write
from chat.asked import Asked, Ready, Unusable, failed, refused_by_gate
from chat.asking_url import confirm
from chat.backends.base import Request
from chat.backends.clients import close_clients
from chat.destinations import placed
from chat.engine import rows
from chat.engine.base import Notice
from chat.engine.elsewhere import Elsewhere
from chat.engine.inprocess import InProcess
from chat.engine.lease import owner
from chat.errors import EngineTaken, Fault
from chat.events import (
    Body,
    Event,
    Heartbeat,
    RateLimited,
    Reasoning,
    Text,
    ToolActivity,
)
from chat.hub import rhythm
from chat.models import Turn
from chat.roads import roads, server_road
from chat.transcript import Asking
from chat.turn import Ending, Outcome, Sink, Stop, drain
from gpts.gate import Cleared, Destination, Refused, clear
from gpts.protected import names
from llmhub.roles import CURATORS
from servers.errors import NotKept
from servers.hosting import Placed
from servers.retained import Kept, find

# How often a stop is looked for, and whether the owner of the engine is still there.
_STOP_SECONDS = 0.1
_OWNER_SECONDS = 2.0
T = TypeVar("T")


def prepare(asked: Asked) -> Ready:
    """Find server and person, and clear the text. Raises Unusable."""
    person = person_named(asked.user)
    try:
        server = find(asked.target, person)
    except NotKept as error:
        raise Unusable(str(error)) from error
    if server.unreadable:
        return failed(_("%s is unreadable here.") % server, Fault.DESTINATION.value)
    destination, found = placed(server)
    if not found.addresses:
        return failed(
            _("%s: its address leads nowhere.") % server, Fault.UNREACHABLE.value
        )
    confirm(destination, asked.retyped)
    verdict = clear(
        asked.payload,
        destination,
        retyped=True,
        confirmed=asked.confirmed,
        names=names(),
        also=asked.also,
    )
    if isinstance(verdict, Refused):
        return refused_by_gate(verdict)
    if person is None:
        return _unkept(asked, server, found, verdict)
    return _ready(asked, person, server, destination)


def _unkept(asked: Asked, server: Kept, found: Placed, cleared: Cleared) -> Ready:
    """With no account there is no hub in use: no queue to join, nowhere to keep it."""

    async def run(sink: Sink, stop: Stop) -> Outcome:
        request = Request(cleared, asked.model or server.default_model, asked.params)
        try:
            return await drain(
                server_road(server, found),
                request,
                sink=sink,
                stop=stop,
                timeout_seconds=asked.timeout_seconds,
            )
        finally:
            await close_clients()

    where = _("%(server)s: this %(place)s. Kept nowhere: nobody has an account.")
    facts = {"server": server, "place": cleared.destination.hosting.words}
    return Ready(where % facts, run)


def person_named(name: str) -> User | None:
    """Whose conversation it will be; None while nobody has an account.

    Without a name the first curator who may ask, else the first person. Who may run
    commands here may read the database and its keys: asking as somebody is no more.
    Raises Unusable.
    """
    people = User.objects.filter(is_active=True).order_by("pk")
    if name:
        person = people.filter(username=name).first()
        if person is None:
            raise Unusable(_("Nobody here is called %s.") % name)
        if not may_write(person):
            raise Unusable(_("%s may not ask questions.") % person.username)
        return person
    curators = people.filter(Q(is_staff=True) | Q(groups__name=CURATORS)).distinct()
    asking = (person for person in (*curators, *people) if may_write(person))
    found = next(asking, None)
    if found is None and people.exists():
        raise Unusable(_("Nobody here may ask questions."))
    return found


def _ready(asked: Asked, person: User, server: Kept, destination: Destination) -> Ready:
    async def run(sink: Sink, stop: Stop) -> Outcome:
        turn = await _in_thread(_asked_turn, asked, person, server, destination)
        if isinstance(turn, Refused):
            return Outcome(Ending.REFUSED, error=turn.reason)
        return await _answered(turn, sink, stop, asked.timeout_seconds)

    where = _("%(server)s: this %(place)s. Kept in the conversations of %(person)s.")
    facts = {
        "server": server,
        "place": destination.hosting.words,
        "person": person.username,
    }
    return Ready(where % facts, run)


def _asked_turn(
    asked: Asked, person: User, server: Kept, destination: Destination
) -> Turn | Refused:
    model = asked.model or server.default_model
    asking = Asking(
        question=asked.question,
        system=asked.system,
        params=asked.params,
        gpt_stem=asked.gpt_stem,
        timeout_seconds=asked.timeout_seconds,
        retyped=frozenset([destination.key]),
        confirmed=asked.confirmed,
        also=asked.also,
        # The command says when the limit ends; going on is a person's button then.
        by_itself=False,
    )
    conversation = transcript.begin(
        person, server=server, model=model, gpt_stem=asked.gpt_stem
    )
    return transcript.ask(conversation, asking, destination)


async def _answered(turn: Turn, sink: Sink, stop: Stop, seconds: float) -> Outcome:
    """Follow it to its end, whoever runs it. The timeout bounds the queue as well."""
    watch = asyncio.create_task(_watch(turn.pk, stop))
    try:
        async with asyncio.timeout(seconds):
            await _followed(turn.pk, sink)
    except TimeoutError:
        await _in_thread(Elsewhere().cancel, turn.pk)
        outcome = await _in_thread(_outcome, turn.pk)
        said = _("No end of the answer within %(seconds)g s.") % {"seconds": seconds}
        return replace(outcome, ending=Ending.TIMEOUT, error=said)
    finally:
        watch.cancel()
    return await _in_thread(_outcome, turn.pk)


async def _followed(key: int, sink: Sink) -> None:
    heard = 0
    while not await _in_thread(_over, key):
        if await _in_thread(owner) is None:
            try:
                await _run_here(key, sink)
            except EngineTaken:
                continue
            return
        async with aclosing(_while_owned(key, heard)) as notices:
            async for notice in notices:
                heard = max(heard, notice.number or 0)
                _tell(notice, sink)


async def _run_here(key: int, sink: Sink) -> None:
    """Own the engine for this one turn; what others left is left to a hub."""
    engine = InProcess(roads(), rhythm())
    try:
        await engine.start(only=key)
        async with aclosing(engine.follow(key)) as batches:
            async for batch in batches:
                for notice in batch:
                    _tell(notice, sink)
    finally:
        await engine.stop()
        await close_clients()


async def _while_owned(key: int, after: int) -> AsyncGenerator[Notice, None]:
    """What the rows say, until the turn is over or nobody runs it any more."""
    looked = time.monotonic()
    async with aclosing(Elsewhere().follow(key, after)) as batches:
        async for batch in batches:
            for notice in batch:
                yield notice
            if time.monotonic() - looked > _OWNER_SECONDS:
                looked = time.monotonic()
                if await _in_thread(owner) is None:
                    return


async def _watch(key: int, stop: Stop) -> None:
    """Ctrl-C: whoever runs the turn looks at its row."""
    while not stop.asked:  # noqa: ASYNC110  a Stop has no event to wait for
        await asyncio.sleep(_STOP_SECONDS)
    await _in_thread(Elsewhere().cancel, key)


def _over(key: int) -> bool:
    turn = rows.turn_by_key(key)
    return turn is None or not turn.live


def _outcome(key: int) -> Outcome:
    turn = rows.turn_by_key(key)
    if turn is None:
        return Outcome(Ending.INTERRUPTED)
    return rows.outcome_of(turn)


_BODIES: dict[str, Callable[[dict[str, Any]], Body]] = {
    "text": lambda data: Text(data["text"]),
    "reasoning": lambda data: Reasoning(data["text"]),
    "tool": lambda data: ToolActivity(data["name"], data["arguments"]),
    "heartbeat": lambda data: Heartbeat(data["quiet_seconds"], data["reason"]),
    "rate_limited": lambda data: RateLimited(
        data["resets_at"] and datetime.fromisoformat(data["resets_at"]),
        data["message"],
    ),
}


def _tell(notice: Notice, sink: Sink) -> None:
    make = _BODIES.get(notice.kind)
    if make is not None:
        sink(Event(notice.number or 0, make(notice.data)))


async def _in_thread(call: Callable[..., T], *values: Any) -> T:
    return await sync_to_async(call, thread_sensitive=False)(*values)

"""Makers of chat rows and of an engine that runs them, with defaults."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.models import Group, User

from chat import transcript
from chat.destinations import announced
from chat.engine.base import Notice
from chat.engine.inprocess import InProcess
from chat.engine.rows import Roads
from chat.engine.writer import Rhythm
from chat.models import Conversation, Turn
from chat.transcript import Asking
from gpts.gate import Refused
from servers.addresses import parse_url
from servers.hosting import Hosting
from servers.retained import Kept, already_kept, get, keep

QUICK = Rhythm(turn_seconds=20, flush=0.02, look=0.02, linger=5)


def a_person(name: str = "ada", group: str = "members") -> User:
    person, new = User.objects.get_or_create(username=name)
    if new:
        person.groups.add(Group.objects.get(name=group))
    return person


def a_server(port: int = 9, slots: int | None = None, **more: Any) -> Kept:
    origin = parse_url(f"http://127.0.0.1:{port}")
    return already_kept(origin) or keep(
        origin, hosting=Hosting.LOOPBACK, slots=slots, **more
    )


def a_conversation(
    person: User | None = None, server: Kept | None = None, **more: Any
) -> Conversation:
    return transcript.begin(
        person or a_person(), server=server or a_server(), model="tiny", **more
    )


def a_turn(conversation: Conversation, question: str = "Why?", **asking: Any) -> Turn:
    """A queued turn; the engine has not heard of it."""
    server = get(conversation.server_id or 0)
    turn = transcript.ask(conversation, Asking(question, **asking), announced(server))
    if isinstance(turn, Refused):
        raise TypeError(turn.reason)
    return turn


@asynccontextmanager
async def an_engine(backend: Any, rhythm: Rhythm = QUICK) -> AsyncIterator[InProcess]:
    engine = InProcess(Roads(server=lambda kept, placed: backend), rhythm)
    await engine.start()
    try:
        yield engine
    finally:
        await engine.stop()


def run(play: Callable[[], Awaitable[Any]]) -> Any:
    """A play on a loop of its own, with a bound: it must not hang."""

    async def bounded() -> Any:
        async with asyncio.timeout(30):
            return await play()

    return asyncio.run(bounded())


in_thread = sync_to_async(thread_sensitive=False)


async def hear(engine: Any, key: int, after: int = 0) -> list[Notice]:
    """Everything a follower hears up to the end."""
    return [notice async for batch in engine.follow(key, after) for notice in batch]


def text_of(notices: list[Notice]) -> str:
    return "".join(n.data["text"] for n in notices if n.kind == "text")


async def until_in_rows(condition: Callable[[], Any]) -> None:
    """The same of what only rows say."""
    while not await in_thread(condition)():  # noqa: ASYNC110
        await asyncio.sleep(0.01)


async def until(condition: Callable[[], Any]) -> None:
    """Polls: the outer bound of `run` ends it."""
    while not condition():  # noqa: ASYNC110  what is watched has no event
        await asyncio.sleep(0.005)

"""Names to addresses, many at once, within one bound; a slow resolver holds nobody."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import threading
from collections.abc import Iterable

from servers.hosting import never_a_target, unmapped

RESOLVE_SECONDS = 5.0


async def resolve(
    names: Iterable[str], seconds: float = RESOLVE_SECONDS
) -> dict[str, list[str]]:
    """The addresses of each name that may be asked, IPv4 first; [] where none came."""
    loop = asyncio.get_running_loop()
    waiting = {name: loop.create_future() for name in names}
    for name, future in waiting.items():
        # Daemons: neither Ctrl-C nor the end of the process waits for a resolver.
        threading.Thread(
            target=_look_up, args=(loop, name, future), daemon=True
        ).start()
    if waiting:
        await asyncio.wait(waiting.values(), timeout=seconds)
    return {n: f.result() if f.done() else [] for n, f in waiting.items()}


def _look_up(
    loop: asyncio.AbstractEventLoop, name: str, future: asyncio.Future[list[str]]
) -> None:
    found = _addresses(name)
    with contextlib.suppress(RuntimeError):  # the loop ended while we waited
        loop.call_soon_threadsafe(_settle, future, found)


def _settle(future: asyncio.Future[list[str]], found: list[str]) -> None:
    if not future.done():
        future.set_result(found)


def _addresses(name: str) -> list[str]:
    try:
        rows = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except (OSError, ValueError):
        return []
    found: dict[str, None] = {}
    for row in rows:
        address = unmapped(ipaddress.ip_address(str(row[4][0])))
        if not never_a_target(address):
            found[str(address)] = None
    return sorted(found, key=lambda host: ":" in host)


def is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True

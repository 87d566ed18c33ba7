"""A small HTTP client of benchmarks: sends a turn as the page does, follows it.

Raw sockets, so that measuring costs little of the machine that is measured.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any

CSRF = "a" * 32


@dataclass
class Followed:
    """What a follower saw, in seconds of the machine's monotonic clock."""

    asked: float = 0.0
    answered: float = 0.0
    first: float = 0.0
    delays: list[tuple[float, float]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    state: str = ""


def _head(method: str, path: str, port: int, cookie: str, *lines: str) -> bytes:
    head = [
        f"{method} {path} HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Cookie: sessionid={cookie}; csrftoken={CSRF}",
        *lines,
    ]
    return ("\r\n".join(head) + "\r\n\r\n").encode()


async def request(
    port: int, method: str, path: str, cookie: str, body: str = ""
) -> tuple[int, bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = ["Connection: close", "Accept: application/json", f"X-CSRFToken: {CSRF}"]
    if method == "POST":
        lines.append("Content-Type: application/x-www-form-urlencoded")
        lines.append(f"Content-Length: {len(body)}")
    writer.write(_head(method, path, port, cookie, *lines) + body.encode())
    answer = await reader.read()
    writer.close()
    head, _, rest = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), rest


async def send(port: int, conversation: int, cookie: str) -> int:
    """Ask as the page does; the turn's key."""
    path = f"/c/{conversation}/send"
    status, body = await request(port, "POST", path, cookie, "question=Tell+me.")
    if status != 200:
        raise RuntimeError(f"{status}: {body[:300]!r}")
    return int(_json_in(body)["turn"])


def _json_in(body: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(body[body.index(b"{") : body.rindex(b"}") + 1])
    return found


async def open_stream(port: int, turn: int, cookie: str, query: str = "?html=1"):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(_head("GET", f"/turns/{turn}/events{query}", port, cookie))
    head = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n")[0]:
        raise RuntimeError(head.decode())
    return reader, writer


async def follow(port: int, turn: int, cookie: str, seen: Followed) -> Followed:
    reader, writer = await open_stream(port, turn, cookie)
    try:
        while not seen.state:
            line = await reader.readuntil(b"\n")
            if line.startswith(b"event: "):
                kind = line[7:-1]
            elif line.startswith(b"data: "):
                _take(kind, line[6:], seen)
    finally:
        writer.close()
    return seen


def _take(kind: bytes, data: bytes, seen: Followed) -> None:
    if kind == b"text":
        now = time.monotonic()
        document = json.loads(data)
        text = document["text"]
        seen.first = seen.first or now
        seen.texts.append(text)
        seen.numbers.append(document["number"])
        for word in text.split():
            seen.delays.append((now, now - float(word)))
    elif kind == b"end":
        seen.state = json.loads(data)["state"]


async def ask(port: int, conversation: int, cookie: str) -> Followed:
    seen = Followed(asked=time.monotonic())
    turn = await send(port, conversation, cookie)
    seen.answered = time.monotonic()
    return await follow(port, turn, cookie, seen)

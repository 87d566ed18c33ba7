"""A loopback upstream: an OpenAI-compatible server that streams at a fixed pace.

`python -m tests.bench.upstream PORT TOKENS PER_SECOND` runs one; it prints nothing.
Chunk k of an answer goes out k/PER_SECOND seconds after the request and carries the
time it was due, so that a reader of the same machine can measure the delay.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)


def _chunk(payload: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(payload), payload)


def _event(content: str, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish}
    document = {
        "id": "chatcmpl-bench",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "bench",
        "choices": [choice],
    }
    return b"data: %s\n\n" % json.dumps(document).encode()


class Upstream:
    def __init__(self, tokens: int, per_second: float) -> None:
        self.tokens, self.per_second = tokens, per_second
        self.requests = 0
        self.port = 0

    async def answer(self, reader, writer) -> None:
        try:
            while await self._request(reader):
                self.requests += 1
                await self._stream(writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _request(self, reader) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        for line in head.decode("latin1").lower().split("\r\n"):
            if line.startswith("content-length:"):
                await reader.readexactly(int(line.partition(":")[2]))
        return bool(head)

    async def _stream(self, writer) -> None:
        writer.write(HEAD)
        began = time.monotonic()
        for number in range(self.tokens):
            due = began + number / self.per_second
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            word = "\n\n" if number % 40 == 39 else f"{time.monotonic():.4f} "
            writer.write(_chunk(_event(word)))
            await writer.drain()
        writer.write(_chunk(_event("", "stop")) + _chunk(b"data: [DONE]\n\n"))
        writer.write(b"0\r\n\r\n")
        await writer.drain()


async def serve(port: int, tokens: int, per_second: float) -> None:
    upstream = Upstream(tokens, per_second)
    server = await asyncio.start_server(
        upstream.answer, "127.0.0.1", port, backlog=1024
    )
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))

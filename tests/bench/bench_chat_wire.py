"""What reading a stream costs: the chat's backend beside the `openai` client's own.

`python -m tests.bench chat_wire`. CPU seconds of this process per 1,000 chunks, one
stream and twenty at once, from one upstream process that sends 50 chunks a second
per stream. The same work in each row: text joined, counts kept.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import django

from tests.bench.bench_chat import upstream

TOKENS = 200
PER_SECOND = 50.0
# Seconds of CPU per 1,000 chunks: what the design was measured with.
TARGET = 0.15

Reader = Callable[[int], Awaitable[int]]


def cost(read: Reader, port: int, streams: int) -> float:
    """CPU seconds per 1,000 chunks. Raises where text was lost."""

    async def run() -> float:
        await read(port)  # connections, imports and the first parse are not the cost
        before = time.process_time()
        lengths = await asyncio.gather(*(read(port) for _ in range(streams)))
        spent = time.process_time() - before
        if len(set(lengths)) != 1 or lengths[0] < TOKENS:
            raise SystemExit("text was lost")
        return spent / (streams * TOKENS) * 1000

    return asyncio.run(run())


def readers() -> dict[str, Reader]:
    import openai  # loaded when the benchmark runs, like the backend does

    from chat.backends.base import Request
    from chat.backends.openai_http import OpenAIBackend
    from chat.turn import drain
    from tests.chat.backends.asking import at, cleared_for

    async def ours(port: int) -> int:
        target = at(port)
        request = Request(cleared_for(target), "bench")
        outcome = await drain(OpenAIBackend(target), request)
        return len(outcome.text)

    async def theirs(port: int) -> int:
        client = openai.AsyncOpenAI(
            base_url=f"http://127.0.0.1:{port}/v1", api_key="none", max_retries=0
        )
        async with client:
            stream = await client.chat.completions.create(
                model="bench",
                messages=[{"role": "user", "content": "hello"}],
                stream=True,
            )
            parts = [
                chunk.choices[0].delta.content or ""
                async for chunk in stream
                if chunk.choices
            ]
        return len("".join(parts))

    return {"backend and drain": ours, "openai's iterator": theirs}


def main() -> None:
    django.setup()
    with upstream(TOKENS, PER_SECOND) as port:
        for name, read in readers().items():
            for streams in (1, 20):
                spent = cost(read, port, streams)
                print(f"{name:20} {streams:3} streams  {spent:.3f} s / 1,000 chunks")
    print(f"target for the backend: {TARGET} s")

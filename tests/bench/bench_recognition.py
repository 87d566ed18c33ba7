"""Recognition over every capture: right, wrong, missed, what it asked and what it cost.

Servers replay in this process too, in a thread of their own: hub time is the CPU of
the asking thread, wall time is of both.
"""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import time
from collections import Counter

from servers.addresses import Origin
from servers.identity import Identity
from servers.reading import read_server
from servers.recognise import recognise, recognise_many
from tests.fakes import Replay, captures, expected
from tests.servers.test_families import firing

# Julius 1.4.11's published GET rules over the captures of this kind that exist.
JULIUS = "85 of 196 right, 6 wrong, 105 not at all"
EIGHT = (
    "source/ollama/0.33.0-ready.json",
    "source/vllm/0.20.1-ready.json",
    "source/llamacpp/b10573-ready.json",
    "source/lmstudio/0.4.25-ready.json",
    "source/koboldcpp/1.104-ready.json",
    "source/localai/4.9.0-ready.json",
    "source/litellm/1.110.2-ready.json",
    "source/openwebui/0.10.1-ready.json",
)


def main() -> None:
    right, wrong, missed, asked, costs = Counter[str](), [], [], [], []
    for name in captures():
        found, cost, requests = _timed(name)
        wanted = expected()[name]["family"]
        if found.family in wanted:
            right["named" if found.family else "rightly nobody"] += 1
        elif found.family:
            wrong.append(f"{name} as {found.family}")
        else:
            missed.append(name)
        asked.append(requests)
        if found.family:
            costs.append(cost)
    total = len(captures())
    print(
        f"right {right.total()} of {total} {dict(right)};"
        f" wrong {wrong}; missed {missed}"
    )
    print(f"  beside: Julius's rules, {JULIUS}")
    print(f"requests: median {statistics.median(asked):g} (8), most {max(asked)} (32)")
    print(
        f"hub time per named server: median {statistics.median(costs):.1f} ms,"
        f" most {max(costs):.1f} ms (30)"
    )
    foreign = [name for name in captures() if set(firing(name)) - set(_right(name))]
    print(f"captures on which a foreign mark fires: {len(foreign)} (0) {foreign[:3]}")
    print(f"eight servers together: {_together():.2f} s (0.5)")
    for slug, seconds, posts in _claims():
        print(
            f"claims of 500 models of {slug}: {seconds * 1000:.0f} ms (300),"
            f" {posts} POST"
        )


def _right(name: str) -> list[str]:
    return [slug for slug in expected()[name]["family"] if slug]


def _timed(name: str) -> tuple[Identity, float, int]:
    """The identity, milliseconds of this thread's CPU, and requests."""
    with Replay.of_capture(name) as server:
        before = time.thread_time()
        found = asyncio.run(recognise(server.origin, budget_seconds=5))
        cost = time.thread_time() - before
        return found, cost * 1000, len(server.seen)


def _together() -> float:
    async def run(origins: list[Origin]) -> None:
        async for _ in recognise_many(origins):
            pass

    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(Replay.of_capture(name)) for name in EIGHT]
        started = time.perf_counter()
        asyncio.run(run([server.origin for server in servers]))
        return time.perf_counter() - started


def _claims() -> list[tuple[str, float, int]]:
    """Seconds of reading alone (the recognition before it is not counted)."""
    found = []
    for slug, routes in (("ollama", _ollama()), ("litellm", _litellm())):
        with Replay(routes) as server:
            asyncio.run(read_server(server.origin, budget_seconds=5))
            started = time.perf_counter()
            _, claims = asyncio.run(read_server(server.origin, budget_seconds=5))
            seconds = time.perf_counter() - started
            posts = sum(seen.method == "POST" for seen in server.seen)
        if len(claims) != 500:
            raise SystemExit(f"{slug}: {len(claims)} models read, not 500")
        found.append((slug, seconds, posts))
    return found


def _ollama() -> dict[str, object]:
    models = [
        {
            "name": f"model-{number}:8b",
            "digest": f"{number:064x}",
            "details": {"parameter_size": "8.0B", "context_length": 131072},
            "capabilities": ["completion", "tools"],
        }
        for number in range(500)
    ]
    return {
        "/": {"body": "Ollama is running"},
        "/api/version": {"json": {"version": "0.33.0"}},
        "/api/tags": {"json": {"models": models}},
        "/api/ps": {"json": {"models": []}},
    }


def _litellm() -> dict[str, object]:
    models = [
        {"id": f"m-{number}", "owned_by": "openai", "max_input_tokens": 8192}
        for number in range(500)
    ]
    info = {"title": "LiteLLM API", "version": "1.110.2"}
    return {
        "/openapi.json": {"json": {"info": info, "paths": {}}},
        "/v1/models": {"json": {"object": "list", "data": models}},
    }

"""The chat against a loopback upstream of 50 tokens a second; the targets beside.

`python -m tests.bench chat`. Everything runs on one machine: the upstream, the hub,
the clients and, for comparison, the bare `openai` client.
"""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bench.client import Followed, ask, open_stream, request, send
from tests.hub import ROOT, HubProcess

TOKENS = 200
PER_SECOND = 50.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def upstream(tokens: int = TOKENS, per_second: float = PER_SECOND) -> Iterator[int]:
    port = free_port()
    argv = [sys.executable, "-m", "tests.bench.upstream"]
    process = subprocess.Popen(
        [*argv, str(port), str(tokens), str(per_second)], cwd=ROOT
    )
    try:
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.02)
        yield port
    finally:
        process.terminate()
        process.wait(10)


@contextmanager
def hub(port: int, slots: int, people: int, conversations: int) -> Iterator[HubProcess]:
    process = HubProcess()
    try:
        process.prepare(port, slots, people, conversations)
        process.start()
        yield process
    finally:
        process.remove()


# --- what a process uses -------------------------------------------------------------


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def status(pid: int) -> dict[str, float]:
    found = {}
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name in {"VmRSS", "VmHWM", "Threads"}:
            found[name] = float(value.split()[0])
    found["files"] = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return found


def quantile(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)]


# --- first token and streams ---------------------------------------------------------


async def bare(port: int, count: int) -> list[float]:
    """Seconds to the first token of the bare client, so many at once."""
    import openai

    client = openai.AsyncOpenAI(
        base_url=f"http://127.0.0.1:{port}/v1", api_key="x", max_retries=0
    )

    async def one() -> float:
        began = time.monotonic()
        said: list[Any] = [{"role": "user", "content": "Tell me."}]
        stream = await client.chat.completions.create(
            model="bench", messages=said, stream=True
        )
        first = 0.0
        async for chunk in stream:
            if not first and chunk.choices and chunk.choices[0].delta.content:
                first = time.monotonic() - began
        return first

    found = await asyncio.gather(*(one() for _ in range(count)))
    await client.close()
    return list(found)


async def through(process: HubProcess, count: int, start: int = 0) -> list[Followed]:
    people, conversations = process.known["people"], process.known["conversations"]

    def one(number: int) -> Any:
        conversation, person = conversations[number]
        return ask(process.port, conversation, people[person]["cookie"])

    seen = await asyncio.gather(*(one(start + number) for number in range(count)))
    return list(seen)


def first_tokens(process: HubProcess, port: int) -> None:
    asyncio.run(bare(port, 1))
    asyncio.run(through(process, 1))
    alone, ours = [], []
    for _ in range(8):
        alone += asyncio.run(bare(port, 1))
        ours += [seen.first - seen.asked for seen in asyncio.run(through(process, 1))]
    added = [one - statistics.median(alone) for one in ours]
    print(
        f"   first token, alone: {statistics.median(added) * 1000:6.1f} ms added, "
        f"p95 {quantile(added, 0.95) * 1000:6.1f}    (aim 15, p95 25)"
    )


def together(process: HubProcess, port: int, count: int, aims: tuple[str, str]) -> None:
    without = statistics.median(asyncio.run(bare(port, count)))
    before = cpu_seconds(process.pid)
    seen = asyncio.run(through(process, count))
    used = cpu_seconds(process.pid) - before
    added = statistics.median([one.first - one.asked for one in seen]) - without
    tokens = sum(len(one.texts) for one in seen)
    gone = max(0, count * TOKENS - tokens)
    starts = max(one.first for one in seen)
    delays = [d for one in seen for at, d in one.delays if at > starts + 0.5]
    print(
        f"   {count:3} at once: first token {added * 1000:6.0f} ms added "
        f"(aim {aims[0]}), CPU {used / tokens * 1000:.3f} s per 1,000 tokens "
        f"(aim {aims[1]}), delay p50 {quantile(delays, 0.5) * 1000:.0f} p95 "
        f"{quantile(delays, 0.95) * 1000:.0f} ms (aim 100), {gone} lost, "
        f"{status(process.pid)['VmRSS'] / 1024:.0f} MB (aim 160)"
    )


# --- idle followers ------------------------------------------------------------------


async def idle(process: HubProcess, count: int) -> None:
    conversation, person = process.known["conversations"][0]
    cookie = process.known["people"][person]["cookie"]
    turn = await send(process.port, conversation, cookie)
    streams = [await open_stream(process.port, turn, cookie, "")]
    await asyncio.sleep(4)
    before = status(process.pid)
    for begin in range(0, count, 50):
        opening = (
            open_stream(process.port, turn, cookie, "")
            for _ in range(begin, min(begin + 50, count))
        )
        streams += await asyncio.gather(*opening)
    await asyncio.sleep(4)
    after = status(process.pid)
    times = []
    for _ in range(40):
        began = time.monotonic()
        await request(process.port, "GET", "/c/404404404/sent", cookie)
        times.append(time.monotonic() - began)
        await asyncio.sleep(0.05)
    used = cpu_seconds(process.pid)
    await asyncio.sleep(6)
    used = (cpu_seconds(process.pid) - used) / 6
    for _reader, writer in streams:
        writer.close()
    each = (after["VmRSS"] - before["VmRSS"]) / count
    print(
        f"   {count} idle followers: {each:.0f} KB each (aim 40), "
        f"{after['Threads']:.0f} threads (30), {after['files']:.0f} files (1,024), "
        f"pages p50 {statistics.median(times) * 1000:.0f} ms "
        f"p95 {quantile(times, 0.95) * 1000:.0f} (20), {used * 100:.1f} % of a core"
    )


# --- ends ----------------------------------------------------------------------------


async def interrupted(process: HubProcess, number: int) -> tuple[int, int, float]:
    """Characters received and kept when the hub gets a signal in mid-answer."""
    conversation, person = process.known["conversations"][0]
    cookie = process.known["people"][person]["cookie"]
    seen = Followed()
    turn = await send(process.port, conversation, cookie)
    reader, writer = await open_stream(process.port, turn, cookie, "")
    until = time.monotonic() + 2.6
    with_texts: list[str] = []
    while time.monotonic() < until:
        line = await reader.readuntil(b"\n")
        if line.startswith(b"data: ") and b'"kind": "text"' in line:
            with_texts.append(line.decode().rpartition('"text": "')[2][:-3])
    took = await asyncio.to_thread(process.end, number)
    writer.close()
    seen.texts = with_texts
    process.start()
    kept = _kept(process, turn)
    return len(with_texts), kept, took


def _kept(process: HubProcess, turn: int) -> int:
    """How many tokens the row holds, read by a command of its own."""
    code = (
        "import django; django.setup()\n"
        "from chat.models import Turn\n"
        f"turn = Turn.objects.get(pk={turn})\n"
        "print(turn.state, len(turn.answer.split()))"
    )
    state, words = process._run([sys.executable, "-c", code]).split()
    if state != "interrupted":
        raise RuntimeError(f"the turn is {state}")
    return int(words)


def endings(process: HubProcess) -> None:
    for number, aim in ((signal.SIGKILL, "20 = 0.4 s"), (signal.SIGTERM, "0")):
        had, kept, took = asyncio.run(interrupted(process, number))
        print(
            f"   {signal.Signals(number).name}: {had} tokens seen, {kept} kept, "
            f"{max(0, had - kept)} lost (aim {aim}), gone after {took:.2f} s"
        )


def machine() -> None:
    """Shared machines slow down by several times; the aims are for a quiet one."""
    began, number = time.thread_time(), 0
    for value in range(3_000_000):
        number += value * value
    took = time.thread_time() - began
    print(f"   this machine now: {took / 0.2:.1f} times the CPU time of a quiet one")


def main() -> None:
    machine()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    with upstream() as port, hub(port, 128, 20, 100) as process:
        first_tokens(process, port)
        together(process, port, 20, ("200", "0.35"))
        together(process, port, 100, ("900", "0.20"))
    with upstream(100_000, 0.05) as port, hub(port, 1, 1, 1) as process:
        asyncio.run(idle(process, 500))
    with upstream(1_000) as port, hub(port, 4, 1, 1) as process:
        endings(process)


if __name__ == "__main__":
    main()

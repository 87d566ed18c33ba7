"""The hub as a process: how it starts, what it refuses, what its end loses."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.bench.client import open_stream, request, send
from tests.bench.upstream import Upstream
from tests.hub import ROOT, HubProcess, environment


@contextlib.contextmanager
def upstream(tokens: int, per_second: float) -> Iterator[Upstream]:
    """A slow OpenAI-compatible server in a thread; `port` is where."""
    found = Upstream(tokens, per_second)
    loop = asyncio.new_event_loop()
    ready = threading.Event()

    async def serve() -> None:
        server = await asyncio.start_server(found.answer, "127.0.0.1", 0)
        found.port = server.sockets[0].getsockname()[1]
        ready.set()
        with contextlib.suppress(asyncio.CancelledError):
            async with server:
                await server.serve_forever()

    task = loop.create_task(serve())
    thread = threading.Thread(target=loop.run_until_complete, args=(task,))
    thread.start()
    ready.wait(10)
    try:
        yield found
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join(10)
        loop.close()


@pytest.fixture(scope="module")
def slow():
    with upstream(2_000, 50) as found:
        yield found


@pytest.fixture(scope="module")
def prepared(slow):
    """A hub with three people and a server; each test starts and ends it."""
    hub = HubProcess()
    hub.prepare(slow.port, 2, 3, 6)
    yield hub
    hub.remove()


@pytest.fixture
def hub(prepared):
    prepared.start()
    yield prepared
    prepared.end(signal.SIGKILL)


def cookie(hub: HubProcess, person: int = 0) -> str:
    return str(hub.known["people"][person]["cookie"])


def command(hub: HubProcess, *argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *argv],
        cwd=ROOT,
        env=environment(hub.folder),
        capture_output=True,
        text=True,
        timeout=60,
    )


async def in_mid_answer(
    hub: HubProcess, conversation: int, words: int
) -> tuple[int, str]:
    """Ask, and read the stream until so many words came."""
    pk, person = hub.known["conversations"][conversation]
    turn = await send(hub.port, pk, cookie(hub, person))
    reader, writer = await open_stream(hub.port, turn, cookie(hub, person), "")
    seen = ""
    while len(seen.split()) < words:
        line = await reader.readuntil(b"\n")
        if line.startswith(b"data: ") and b'"kind": "text"' in line:
            seen += json.loads(line[6:])["text"]
    writer.close()
    return turn, seen


def row(hub: HubProcess, turn: int) -> dict[str, Any]:
    code = (
        "import django, json; django.setup()\n"
        "from chat.models import Piece, Turn\n"
        f"turn = Turn.objects.get(pk={turn})\n"
        "print(json.dumps({'state': turn.state, 'answer': turn.answer,"
        " 'error': turn.error, 'pieces': turn.pieces.count(),"
        " 'flushed': ''.join(piece.texts[0] for piece in turn.pieces.all())}))"
    )
    found: dict[str, Any] = json.loads(hub._run([sys.executable, "-c", code]))
    return found


class EndTests:
    def test_it_loses_at_most_a_moment_when_it_is_killed(self, hub):
        turn, seen = asyncio.run(in_mid_answer(hub, 0, 60))
        flushed = row(hub, turn)["flushed"]
        hub.end(signal.SIGKILL)
        hub.start()
        kept = row(hub, turn)
        assert kept["state"] == "interrupted"
        # Every flush made is kept, and one was made long before: the seconds lost are
        # the benchmark's to measure, on a machine that is not busy with other tests.
        assert flushed
        assert kept["answer"].startswith(flushed)
        # 0.4 s at 50 tokens a second.
        assert len(kept["answer"].split()) >= len(seen.split()) - 20
        assert kept["pieces"] == 0

    def test_it_loses_nothing_when_it_is_told_to_stop(self, hub):
        turn, seen = asyncio.run(in_mid_answer(hub, 1, 40))
        hub.end(signal.SIGTERM)
        kept = row(hub, turn)
        assert kept["state"] == "interrupted"
        assert kept["answer"].startswith(seen)

    def test_it_stops_although_a_page_is_open(self, hub):
        async def play():
            pk, person = hub.known["conversations"][2]
            turn = await send(hub.port, pk, cookie(hub, person))
            _reader, writer = await open_stream(hub.port, turn, cookie(hub, person))
            took = await asyncio.to_thread(hub.end, signal.SIGTERM)
            writer.close()
            return took

        assert asyncio.run(play()) < 10

    def test_it_shows_the_interrupted_turn_after_the_restart(self, hub):
        turn, _seen = asyncio.run(in_mid_answer(hub, 3, 30))
        hub.end(signal.SIGKILL)
        hub.start()
        path = f"/turns/{turn}/fragment"
        person = hub.known["conversations"][3][1]
        status, body = asyncio.run(request(hub.port, "GET", path, cookie(hub, person)))
        assert status == 200
        assert b'data-state="interrupted"' in body


class StartTests:
    def test_it_says_when_another_hub_runs_the_database(self, hub):
        done = command(hub, "serve", "--address", "127.0.0.1:0")
        assert done.returncode == 1
        assert f"process {hub.pid} " in done.stderr
        assert "Traceback" not in done.stderr

    def test_it_says_when_the_port_is_taken(self, hub):
        done = command(hub, "serve", "--address", f"127.0.0.1:{hub.port}")
        assert done.returncode == 1
        assert "is taken" in done.stderr
        assert "Traceback" not in done.stderr

    def test_it_serves_under_the_name_of_runserver_too(self, hub):
        done = command(hub, "runserver", f"127.0.0.1:{hub.port}")
        assert "is taken" in done.stderr

    def test_it_refuses_an_address_it_cannot_read(self, prepared):
        done = command(prepared, "serve", "--address", "::1:8710")
        assert done.returncode == 1
        assert "no address to listen on" in done.stderr

    def test_it_refuses_a_database_that_is_not_prepared(self, tmp_path):
        empty = HubProcess(folder=tmp_path)
        done = command(empty, "serve", "--address", "127.0.0.1:0")
        assert done.returncode == 1
        assert "make setup" in done.stderr

    def test_it_serves_static_files(self, hub):
        status, body = asyncio.run(
            request(hub.port, "GET", "/static/admin/css/base.css", "")
        )
        assert status == 200
        assert b"body" in body

    def test_it_takes_no_websockets(self, hub):
        with socket.create_connection(("127.0.0.1", hub.port), 10) as connection:
            connection.sendall(
                b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
                b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
            )
            assert b" 101 " not in connection.recv(100)


class CommandTests:
    """`ask --server`, beside a hub that owns the engine and without one."""

    def test_it_answers_through_the_hub_that_runs(self, prepared):
        with upstream(10, 100) as quick:
            other = HubProcess()
            other.prepare(quick.port, 1, 1, 1)
            other.start()
            try:
                argv = ("ask", "--server", "server-1", "--json", "Why?")
                done = command(other, *argv)
            finally:
                other.end()
                other.remove()
        document = json.loads(done.stdout)
        assert (done.returncode, document["outcome"]) == (0, "completed")
        assert len(document["text"].split()) == 10

    def test_it_owns_the_engine_where_no_hub_runs(self, prepared):
        done = command(
            prepared, "ask", "--server", "server-1", "--json", "--timeout", "6", "Why?"
        )
        document = json.loads(done.stdout)
        assert (done.returncode, document["outcome"]) == (1, "timeout")
        assert document["text"].split()

    def test_it_keeps_what_came_before_ctrl_c(self, prepared):
        process = subprocess.Popen(
            [sys.executable, "manage.py", "ask", "--server", "server-1", "Why?"],
            cwd=ROOT,
            env=environment(prepared.folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        first = process.stdout.read(8)
        process.send_signal(signal.SIGINT)
        rest, notes = process.communicate(timeout=30)
        assert process.returncode == 1
        assert "interrupted" in notes
        assert first

    @pytest.mark.parametrize(
        ("argv", "said"),
        [
            (("--server", "server-9", "Why?"), "No kept server"),
            (("--server", "server-1", "--user", "nobody", "Why?"), "nobody"),
            (("--server", "server-1", " "), "question"),
        ],
    )
    def test_it_refuses_what_it_cannot_use(self, prepared, argv, said):
        done = command(prepared, "ask", *argv)
        assert done.returncode == 2
        assert said in done.stderr
        assert "Traceback" not in done.stderr

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from typing import Any

import pytest

from servers.addresses import Origin
from servers.discovery.report import Report
from servers.discovery.search import Ended, Progress, Recognise, Sighting, search
from servers.discovery.sweep import Pace
from servers.discovery.targets import Found, Here, Plan, Target, make_plan
from servers.family import Kind, State
from servers.identity import Identity
from servers.recognise import recognise
from tests.fakes import Replay
from tests.servers.discovery.test_sweep import closed_port, listener, silent

OLLAMA = "source/ollama/0.33.0-ready.json"


async def real(origin: Origin, seconds: float) -> Identity:
    return await recognise(origin, budget_seconds=seconds)


def plan(*targets: Target) -> Plan:
    return make_plan([(target.source, Found((target,))) for target in targets], Here())


def run(made: Plan, recognise=real, **more: Any) -> tuple[Report, list[Any]]:
    async def follow() -> list[Any]:
        return [event async for event in search(made, recognise=recognise, **more)]

    events = asyncio.run(follow())
    report = Report(made)
    for event in events:
        report.take(event)
    return report, events


def named(version: str = "1") -> Recognise:
    async def name(origin: Origin, seconds: float) -> Identity:
        return Identity(Kind.LLM, "x", "X", version, State.READY, origin=origin)

    return name


class SearchTests:
    def test_it_names_a_recorded_server_and_ends(self, ollama):
        made = plan(Target("127.0.0.1", ollama.port, "host"))
        report, events = run(made)
        (one,) = report.servers
        assert one.identity.family == "ollama"
        assert isinstance(events[-1], Ended)
        assert (report.open, report.unrecognised) == (1, [])

    def test_it_tells_an_open_port_that_is_no_server(self):
        with Replay({"*": {"body": "<html>hello</html>"}}) as page:
            report, _ = run(plan(Target("127.0.0.1", page.port, "host")))
        assert report.servers == []
        (other,) = report.as_json()["unrecognised"]
        assert other["port"] == page.port
        assert other["kind"] == "http"

    def test_a_refused_port_is_nothing(self):
        closed = closed_port()
        report, _ = run(plan(Target(closed.host, closed.port, "host")))
        assert (report.open, report.sightings) == (0, [])

    def test_the_same_server_on_both_families_is_one(self):
        with dual() as port:
            made = plan(
                Target("127.0.0.1", port, "loopback"), Target("::1", port, "loopback")
            )
            report, _ = run(made, named())
        (one,) = report.servers
        assert one.origin.host == "127.0.0.1"
        assert report.open == 1

    def test_two_servers_on_the_two_families_are_two(self):
        async def by_family(origin: Origin, seconds: float) -> Identity:
            return await named(origin.host)(origin, seconds)

        with dual() as port:
            made = plan(
                Target("127.0.0.1", port, "loopback"), Target("::1", port, "loopback")
            )
            report, _ = run(made, by_family)
        assert [one.origin.host for one in report.servers] == ["127.0.0.1", "::1"]

    def test_a_server_on_the_second_family_alone_is_found(self):
        with listener("::1") as one:
            made = plan(
                Target("127.0.0.1", one.port, "loopback"),
                Target("::1", one.port, "loopback"),
            )
            report, _ = run(made, named())
        assert [s.origin.host for s in report.servers] == ["::1"]

    def test_it_resolves_names_and_says_which_do_not(self):
        with listener() as one:
            report, _ = run(
                plan(
                    Target("localhost", one.port, "host"),
                    Target("nothing.invalid", one.port, "host"),
                ),
                named(),
            )
        (found,) = report.servers
        assert found.origin.host == "127.0.0.1"
        assert [one.reason for one in report.aside] == ["does not resolve"]

    def test_it_lists_declared_tunnels_that_are_not_open(self):
        closed = closed_port()
        made = plan(
            Target(
                closed.host, closed.port, "ssh-tunnels", "work", "declared, not open"
            )
        )
        report, _ = run(made)
        (one,) = report.aside
        assert one.note == "work"
        assert one.reason.endswith("declared, not open")

    def test_it_says_how_much_of_a_host_was_not_asked(self):
        nowhere = "fe80::1%nonesuch"
        made = plan(Target(nowhere, 80, "host"), Target(nowhere, 81, "host"))
        report, _ = run(made)
        (one,) = report.aside
        assert one.reason == "not asked, this machine could not: 2 of its ports"

    def test_it_keeps_the_order_of_the_plan(self):
        with listener() as one, listener() as two:
            waiting = asyncio.Event

            async def first_is_slow(origin: Origin, seconds: float) -> Identity:
                if origin.port == one.port:
                    await second_done.wait()
                second_done.set()
                return await named()(origin, seconds)

            second_done = waiting()
            made = plan(
                Target(one.host, one.port, "host"), Target(two.host, two.port, "host")
            )
            report, events = run(made, first_is_slow)
        came = [e.origin.port for e in events if isinstance(e, Sighting)]
        assert came == [two.port, one.port]
        assert [s.origin.port for s in report.servers] == [one.port, two.port]

    def test_it_tells_how_far_it_is(self):
        with silent() as quiet:
            pace = Pace(timeout_seconds=0.1, heartbeat_seconds=0.01)
            _, events = run(plan(Target(quiet.host, quiet.port, "host")), pace=pace)
        assert any(isinstance(e, Progress) and e.done == 0 for e in events)

    def test_silent_listeners_do_not_make_the_others_wait(self):
        async def silent_until_named(origin: Origin, seconds: float) -> Identity:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds if origin.port != last.port else 0):
                    await named_last.wait()
            named_last.set()
            return await named()(origin, seconds)

        named_last = asyncio.Event()
        with contextlib.ExitStack() as stack:
            many = [stack.enter_context(listener()) for _ in range(20)]
            last = many[-1]
            made = plan(*(Target(one.host, one.port, "host") for one in many))
            report, _ = run(made, silent_until_named)
        assert len(report.servers) == 20

    def test_it_stops_when_told_and_keeps_what_it_found(self):
        stop = threading.Event()

        async def then_stop(origin: Origin, seconds: float) -> Identity:
            stop.set()
            return await named()(origin, seconds)

        with listener() as one, silent() as quiet:
            made = plan(
                Target(one.host, one.port, "host"),
                Target(quiet.host, quiet.port, "host"),
            )
            pace = Pace(timeout_seconds=60)
            report, _ = run(made, then_stop, pace=pace, stop=stop)
        assert report.ended is not None
        assert report.ended.stopped
        assert len(report.servers) == 1

    def test_a_reader_that_walks_away_ends_it(self):
        async def one_event() -> None:
            pace = Pace(timeout_seconds=60, heartbeat_seconds=0.01)
            async for _ in search(made, recognise=real, pace=pace):
                break

        with silent() as quiet:
            made = plan(Target(quiet.host, quiet.port, "host"))
            asyncio.run(one_event())
        names = {thread.name for thread in threading.enumerate()}
        assert not any(name.startswith("asyncio") for name in names)

    def test_it_breaks_when_the_recogniser_does(self):
        async def broken(origin: Origin, seconds: float) -> Identity:
            raise RuntimeError("a promise was broken")

        with listener() as one, pytest.raises(ExceptionGroup):
            run(plan(Target(one.host, one.port, "host")), broken)

    def test_it_sends_no_secret_and_asks_by_get_only(self, ollama):
        run(plan(Target("127.0.0.1", ollama.port, "host")))
        assert {seen.method for seen in ollama.seen} == {"GET"}
        assert not any("authorization" in seen.headers for seen in ollama.seen)

    def test_proxy_settings_of_the_machine_do_not_matter(self, ollama, monkeypatch):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        monkeypatch.setenv("NO_PROXY", "localhost,192.168.0.0/16,::1")
        report, _ = run(plan(Target("127.0.0.1", ollama.port, "host")))
        assert report.servers


@pytest.fixture
def ollama():
    with Replay.of_capture(OLLAMA) as server:
        yield server


class dual:  # noqa: N801 - reads as a function where it is used
    """Two listeners with one port, one on each loopback address."""

    def __enter__(self) -> int:
        self.one = socket.create_server(("127.0.0.1", 0))
        port: int = self.one.getsockname()[1]
        self.two = socket.create_server(("::1", port), family=socket.AF_INET6)
        return port

    def __exit__(self, *exc: object) -> None:
        self.one.close()
        self.two.close()

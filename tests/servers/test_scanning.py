from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from servers.addresses import Origin
from servers.discovery.targets import Found, Here, Plan, Target, make_plan
from servers.family import Kind, State
from servers.identity import Identity
from servers.scanning import Numbers, Scanner, Snapshot, Stage
from tests.servers.discovery.test_sweep import listener, silent

QUICK = Numbers(connect_seconds=0.1, probe_seconds=1.0)


async def name(origin: Origin, seconds: float) -> Identity:
    return Identity(Kind.LLM, "x", "X", "1", State.READY, origin=origin)


async def never(origin: Origin, seconds: float) -> Identity:
    await asyncio.Event().wait()
    return await name(origin, seconds)


async def broken(origin: Origin, seconds: float) -> Identity:
    raise RuntimeError("a promise was broken")


def plan(*targets: Target) -> Plan:
    return make_plan([("host", Found(targets))], Here())


def until(scanner: Scanner, wanted: Callable[[Snapshot | None], Any]) -> Any:
    """The first snapshot that is `wanted`; the test's timeout ends it otherwise."""
    while not wanted(seen := scanner.follow()):
        threading.Event().wait(0.01)
    return seen


def ended(seen: Snapshot | None) -> bool:
    return seen is not None and not seen.running


class ScannerTests:
    def test_it_scans_and_remembers_what_it_found(self):
        scanner = Scanner(name)
        with listener() as one:
            scanner.start(plan(Target(one.host, one.port, "host")), "ada", QUICK)
            seen = until(scanner, ended)
        assert (seen.stage, seen.by, seen.open) == (Stage.DONE, "ada", 1)
        assert [s.identity.family for s in seen.servers] == ["x"]

    def test_there_is_none_before_the_first(self):
        assert Scanner(name).follow() is None

    def test_one_runs_at_a_time_and_a_second_person_sees_it(self):
        scanner = Scanner(never)
        with listener() as one:
            made = plan(Target(one.host, one.port, "host"))
            assert scanner.start(made, "ada", QUICK) is not None
            assert scanner.start(made, "cy", QUICK) is None
            seen = scanner.follow()
            assert seen is not None
            assert (seen.by, seen.stage) == ("ada", Stage.RUNNING)
            scanner.stop()
            until(scanner, ended)

    def test_another_may_begin_after_the_end(self):
        scanner = Scanner(name)
        with listener() as one:
            made = plan(Target(one.host, one.port, "host"))
            scanner.start(made, "ada", QUICK)
            first = until(scanner, ended)
            scanner.start(made, "cy", QUICK)
            second = until(scanner, ended)
        assert second.number == first.number + 1

    def test_it_stops_in_the_middle_of_recognising(self):
        scanner = Scanner(never)
        with listener() as one:
            made = plan(Target(one.host, one.port, "host"))
            scanner.start(made, "ada", Numbers(0.1, 60))
            until(scanner, lambda seen: seen and seen.open)
            scanner.stop()
            seen = until(scanner, ended)
        assert seen.stage is Stage.STOPPED

    def test_it_stops_in_the_middle_of_sweeping(self):
        scanner = Scanner(name)
        with silent() as quiet:
            made = plan(Target(quiet.host, quiet.port, "host"))
            scanner.start(made, "ada", Numbers(connect_seconds=60))
            scanner.stop()
            assert until(scanner, ended).stage is Stage.STOPPED

    def test_a_broken_recogniser_is_a_failed_scan_and_not_an_end_of_the_hub(
        self, caplog
    ):
        scanner = Scanner(broken)
        with listener() as one:
            made = plan(Target(one.host, one.port, "host"))
            scanner.start(made, "ada", QUICK)
            assert until(scanner, ended).stage is Stage.FAILED
        assert "The scan ended early" in caplog.text

    def test_it_gives_what_was_chosen_of_this_scan_only(self):
        scanner = Scanner(name)
        with listener() as one:
            made = plan(Target(one.host, one.port, "host"))
            scanner.start(made, "ada", QUICK)
            seen = until(scanner, ended)
        assert len(scanner.chosen(seen.number, [0, 5, -1])) == 1
        assert scanner.chosen(seen.number + 1, [0]) == []

    def test_it_forgets_once_the_last_page_has_left(self):
        scanner = Scanner(name)
        numbers = Numbers(0.1, 1.0, forget_seconds=600, grace_seconds=0.05)
        with listener() as one:
            made = plan(Target(one.host, one.port, "host"))
            scanner.start(made, "ada", numbers)
            until(scanner, ended)
            scanner.leave()
        assert is_forgotten(scanner)

    def test_a_page_that_comes_back_in_time_still_sees_it(self):
        scanner = Scanner(name)
        with listener() as one:
            made = plan(Target(one.host, one.port, "host"))
            scanner.start(made, "ada", QUICK)
            until(scanner, ended)
            scanner.leave()
        assert scanner.follow() is not None

    def test_a_scan_nobody_follows_stops_by_itself(self):
        scanner = Scanner(name)
        numbers = Numbers(60, 1.0, forget_seconds=0.2, grace_seconds=0.05)
        with silent() as quiet:
            made = plan(Target(quiet.host, quiet.port, "host"))
            scanner.start(made, "ada", numbers)
            assert is_forgotten(scanner)


def is_forgotten(scanner: Scanner) -> bool:
    """Looked at from inside: following would keep it alive."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if scanner._run is None:
            return True
        threading.Event().wait(0.01)
    return False


@pytest.fixture(autouse=True)
def _quiet_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("ERROR", logger="servers.scanning")

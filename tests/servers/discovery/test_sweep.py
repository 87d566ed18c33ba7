from __future__ import annotations

import errno
import itertools
import json
import selectors
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from servers.discovery.limits import descriptors_to_spare, neighbour_overflows
from servers.discovery.sweep import (
    TABLE_PAUSE_SECONDS,
    Done,
    Endpoint,
    Heartbeat,
    Hit,
    Pace,
    Progress,
    sweep,
)
from tests.bench.bench_sweep import one_sweep
from tests.bench.lab import ROOT, can_make_namespaces, lab, listening


@contextmanager
def listener(host: str = "127.0.0.1") -> Iterator[Endpoint]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as sock:
        yield Endpoint(host, sock.getsockname()[1])


def closed_port() -> Endpoint:
    with listener() as endpoint:
        return endpoint


@contextmanager
def silent() -> Iterator[Endpoint]:
    """A listener whose queue is full: connections stay unanswered."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen(0)
        place = sock.getsockname()
        held = [socket.socket() for _ in range(4)]
        for one in held:
            one.setblocking(False)
            one.connect_ex(place)
        try:
            yield Endpoint(place[0], place[1])
        finally:
            for one in held:
                one.close()


def told(events: Iterable[Progress]) -> list[Any]:
    """Everything a sweep tells, to its end."""
    return list(events)


def hits(events: list[Any]) -> list[Endpoint]:
    return [event.endpoint for event in events if isinstance(event, Hit)]


class ExhaustedSocket(socket.socket):
    """A socket whose connect runs out of something until `left` is used up."""

    code = errno.EADDRNOTAVAIL
    left = 0

    def connect_ex(self, address: Any, /) -> int:
        if type(self).left > 0:
            type(self).left -= 1
            return type(self).code
        return super().connect_ex(address)


def exhausted(code: int, times: int) -> Any:
    kind = type("Exhausted", (ExhaustedSocket,), {"code": code, "left": times})

    def make(family: int) -> socket.socket:
        sock: socket.socket = kind(family, socket.SOCK_STREAM)
        sock.setblocking(False)
        return sock

    return make


class SweepTests:
    def test_it_finds_what_accepts_and_not_what_refuses(self):
        with listener() as one, listener("::1") as two:
            events = told(sweep([one, closed_port(), two]))
        assert set(hits(events)) == {one, two}
        done = events[-1]
        assert isinstance(done, Done)
        assert (done.open, done.total, done.not_asked) == (2, 3, ())

    def test_it_ends_with_nothing_to_do(self):
        (done,) = sweep([])
        assert isinstance(done, Done)
        assert done.total == 0

    def test_it_lets_go_of_the_silent_after_their_own_timeout(self):
        with silent() as quiet, listener() as one:
            events = told(sweep([quiet, one], Pace(timeout_seconds=0.1)))
        assert hits(events) == [one]
        assert events[-1].not_asked == ()

    def test_it_asks_all_though_few_may_be_in_flight(self):
        with listener() as one:
            endpoints = [*(closed_port() for _ in range(40)), one]
            events = told(sweep(endpoints, Pace(in_flight=3)))
        assert hits(events) == [one]
        assert events[-1].total == 41

    def test_it_reports_a_zone_that_is_no_interface_as_nobody(self):
        events = told(sweep([Endpoint("fe80::1%nonesuch", 80)]))
        assert hits(events) == []

    def test_a_connection_to_itself_is_nobody(self):
        nobody = closed_port()

        def same_port(family: int) -> socket.socket:
            sock = plain(family)
            sock.bind((nobody.host, nobody.port))
            return sock

        events = told(sweep([nobody], open_socket=same_port))
        assert hits(events) == []
        assert events[-1].not_asked == ()

    def test_it_beats_between_hits_and_counts(self):
        pace = Pace(timeout_seconds=0.2, heartbeat_seconds=0.02)
        with silent() as quiet:
            events = told(sweep([quiet], pace))
        beats = [event for event in events if isinstance(event, Heartbeat)]
        assert beats
        assert beats[0].total == 1
        assert beats[0].done == 0

    def test_it_is_quiet_for_two_seconds_by_default(self):
        with silent() as quiet:
            events = told(sweep([quiet], Pace(timeout_seconds=0.1)))
        assert [type(event) for event in events] == [Done]

    def test_it_stops_when_told_and_says_so(self):
        stop = threading.Event()
        stop.set()
        (done,) = sweep([closed_port()], stop=stop)
        assert isinstance(done, Done)
        assert done.stopped

    def test_it_stops_in_the_middle(self):
        stop = threading.Event()
        with silent() as quiet:
            pace = Pace(timeout_seconds=30, heartbeat_seconds=0.02)
            events = sweep([quiet], pace, stop=stop)
            assert isinstance(next(events), Heartbeat)
            stop.set()
            rest = list(events)
        assert isinstance(rest[-1], Done)
        assert rest[-1].stopped

    def test_it_closes_its_sockets_when_the_caller_walks_away(self):
        before = descriptors_in_use()
        with silent() as quiet:
            pace = Pace(timeout_seconds=30, heartbeat_seconds=0.01)
            events = sweep([quiet] * 5, pace)
            next(events)
            events.close()
        assert descriptors_in_use() == before


def descriptors_in_use() -> int:
    with selectors.DefaultSelector():
        return len(list(Path("/proc/self/fd").iterdir()))


class ExhaustionTests:
    @pytest.mark.parametrize(
        "code", [errno.EADDRNOTAVAIL, errno.ENOBUFS, errno.ENOMEM, errno.EMFILE]
    )
    def test_it_asks_again_what_the_machine_could_not_start(self, code):
        with listener() as one:
            events = told(sweep([one], open_socket=exhausted(code, 2)))
        assert hits(events) == [one]
        assert events[-1].not_asked == ()

    def test_it_lists_what_could_never_be_asked_and_still_asks_the_rest(self):
        with listener() as one:
            make = exhausted(errno.EADDRNOTAVAIL, 10**6)

            def choosy(family: int) -> socket.socket:
                return make(family) if family == socket.AF_INET6 else plain(family)

            events = told(sweep([Endpoint("::1", 9), one], open_socket=choosy))
        assert hits(events) == [one]
        assert events[-1].not_asked == (Endpoint("::1", 9),)

    def test_it_survives_running_out_of_descriptors(self):
        left = iter([OSError(errno.EMFILE, "too many")])

        def short(family: int) -> socket.socket:
            for error in left:
                raise error
            return plain(family)

        with listener() as one:
            events = told(sweep([one], open_socket=short))
        assert hits(events) == [one]

    def test_it_lists_what_this_machines_firewall_forbids(self):
        here = Endpoint("127.0.0.1", 9)
        events = told(sweep([here], open_socket=exhausted(errno.EPERM, 9)))
        assert events[-1].not_asked == (here,)

    def test_it_looks_again_when_the_neighbour_table_was_full(self):
        fulls = itertools.chain([0, 3], itertools.repeat(3))
        with silent() as quiet, listener() as one:
            pace = Pace(timeout_seconds=0.05)
            events = told(sweep([quiet, one], pace, overflows=lambda: next(fulls)))
        assert hits(events) == [one]
        assert events[-1].seconds > TABLE_PAUSE_SECONDS
        assert events[-1].not_asked == ()

    def test_it_never_calls_closed_what_a_full_table_swallowed_to_the_end(
        self, monkeypatch
    ):
        monkeypatch.setattr("servers.discovery.sweep.TABLE_PAUSE_SECONDS", 0.01)
        fulls = itertools.count()
        with silent() as quiet:
            pace = Pace(timeout_seconds=0.05)
            events = told(sweep([quiet], pace, overflows=lambda: next(fulls)))
        assert events[-1].not_asked == (quiet,)


def plain(family: int) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setblocking(False)
    return sock


class LagTests:
    def test_it_looks_again_only_at_what_was_under_way_when_the_loop_lagged(self):
        def slow_once(family: int) -> socket.socket:
            if pauses:
                time.sleep(pauses.pop())  # the machine is busy: this is the lag
            return plain(family)

        pauses = [0.12]
        with silent() as quiet:
            pace = Pace(timeout_seconds=0.1)
            events = told(sweep([quiet], pace, open_socket=slow_once))
        assert events[-1].looked_twice == 1


class LimitTests:
    def test_it_stays_within_the_descriptors_of_the_process(self):
        code = (
            "import json, resource\n"
            "resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))\n"
            "from servers.discovery.limits import descriptors_to_spare\n"
            "print(json.dumps(descriptors_to_spare(4096)))\n"
        )
        out = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=True
        )
        assert 150 < json.loads(out.stdout) < 256

    def test_it_takes_no_more_than_it_needs(self):
        assert descriptors_to_spare(20) == 20

    def test_it_reads_how_often_the_neighbour_table_was_full(self, tmp_path):
        table = (
            "entries  allocs table_fulls\n00000002 00000001 0000000a\n0 1 00000001\n"
        )
        (tmp_path / "arp_cache").write_text(table)
        (tmp_path / "ndisc_cache").write_text("garbage\nxx\n")
        assert neighbour_overflows((tmp_path, tmp_path / "none")) == 11

    def test_it_reads_nothing_where_the_kernel_says_nothing(self, tmp_path):
        assert neighbour_overflows((tmp_path,)) == 0


@pytest.mark.netns
@pytest.mark.skipif(not can_make_namespaces(), reason="needs root for namespaces")
class NamespaceTests:
    def test_it_finds_all_eight_in_a_network_of_its_own(self):
        with lab("all") as made, listening(made):
            report = one_sweep(made)
        assert report["recall"] == "8 of 8"
        assert report["not_asked"] == 0

    def test_it_finds_all_eight_with_256_descriptors(self):
        with lab("few") as made, listening(made):
            report = one_sweep(made, descriptors=256)
        assert report["recall"] == "8 of 8"

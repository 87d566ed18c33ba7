from __future__ import annotations

import io
from typing import Any

from django.core.management.base import OutputWrapper

from servers.addresses import Origin
from servers.discovery.report import Report
from servers.discovery.search import Ended, Progress, Sighting
from servers.discovery.targets import Found, Here, Target, Unprobed, make_plan
from servers.family import Kind, State
from servers.identity import Identity, Why
from servers.scan_output import (
    ScanOutput,
    models_line,
    progress_line,
    unwrapped,
    where,
)

TARGET = Target("10.0.0.5", 8080, "network", "read as 10.0.0.0/30")
PLAN = make_plan([("network", Found((TARGET,), (Unprobed("far", "a hop"),)))], Here())
ORIGIN = Origin("http", "10.0.0.5", 8080)
IDENTITY = Identity(
    Kind.LLM,
    "x",
    "Product",
    "1.2",
    State.READY,
    ("one", "two\x1b[2J", "three", "four"),
    why=(Why("/props", "a fact"),),
    origin=ORIGIN,
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, *, quiet: bool = False, width: int = 0) -> str:
    """A whole scan as it is told on `stream`."""
    wrapped: Any = OutputWrapper(stream)
    output = ScanOutput(unwrapped(OutputWrapper(wrapped)), quiet=quiet)
    if width:
        output.console.width = width
    report = Report(PLAN)
    output.plan(PLAN)
    with output.following():
        for event in (
            Progress(1, 9, 0, 2.0),
            Sighting(0, TARGET, ORIGIN, IDENTITY),
            Ended(1, 1, 0.5),
        ):
            report.take(event)
            output.take(event)
    if not quiet:
        output.table(report, ["server-1"])
    return stream.getvalue()


class OutputTests:
    def test_it_tells_everything_in_plain_text_without_a_terminal(self):
        text = shown(io.StringIO())
        assert "network: 1 target, read as 10.0.0.0/30" in text
        assert "not probed: far (a hop)" in text
        assert "1 of 9 targets, 0 open, 2.0 s" in text
        assert "Product 1.2 at 10.0.0.5:8080" in text
        for word in ("server-1", "ready", "a fact", "one, two [2J, three and 1 more"):
            assert word in text
        assert "1 server found" in text

    def test_it_prints_no_control_character_it_was_told(self):
        assert "\x1b" not in shown(io.StringIO())

    def test_it_says_nothing_at_all_when_it_is_quiet(self):
        assert shown(io.StringIO(), quiet=True) == ""
        assert shown(Terminal(), quiet=True) == ""

    def test_a_narrow_terminal_gets_lines_instead_of_ribbons(self):
        text = shown(io.StringIO(), width=80)
        assert " 1  server-1  Product 1.2  10.0.0.5:8080  ready, " in text
        assert "    /props a fact" in text

    def test_progress_is_drawn_only_where_somebody_watches(self):
        assert "\x1b" in shown(Terminal())

    def test_ipv6_stands_in_brackets(self):
        assert where("fd00::5", 80) == "[fd00::5]:80"
        assert where("box", 80) == "box:80"

    def test_it_counts_the_models_it_does_not_name(self):
        assert models_line(["a", "b", "c"]) == "a, b, c"
        assert models_line(["a", "b", "c", "d"]) == "a, b, c and 1 more"
        assert models_line([]) == ""

    def test_numbers_are_readable(self):
        line = progress_line(Progress(3264, 5103, 9, 0.41))
        assert line == "3,264 of 5,103 targets, 9 open, 0.4 s"

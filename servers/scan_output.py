"""A scan on a terminal: a line per sighting as it comes, progress, a table at the end.

Progress only where somebody watches; everything else is plain text. What a server
announces is text here too: never markup, never a terminal command.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from typing import Any, TextIO, cast

from django.core.management.base import OutputWrapper
from rich.console import Console
from rich.live import Live
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from servers.discovery.report import Report
from servers.discovery.search import Event, Progress, Sighting
from servers.discovery.targets import Plan

_MODELS_SHOWN = 3
_WIDTH_WITHOUT_TERMINAL = 160
# Nine columns need as many; below that they would fold into ribbons.
_TABLE_COLUMNS = 150


def unwrapped(stream: Any) -> TextIO:
    """The stream itself: Django's wrapper, or a command's that calls another, ends
    every write with a newline, and rich ends its own lines."""
    while isinstance(stream, OutputWrapper):
        stream = stream._out
    return cast(TextIO, stream)


class ScanOutput:
    """Writes to one stream. `quiet` for `--json`: nothing but the document."""

    def __init__(self, stream: TextIO, *, quiet: bool) -> None:
        self.quiet = quiet
        watched = bool(getattr(stream, "isatty", lambda: False)())
        self.watched = watched and not quiet
        width = None if watched else _WIDTH_WITHOUT_TERMINAL
        self.console = Console(file=stream, width=width, highlight=False, markup=False)
        self._live: Live | None = None

    def say(self, line: str) -> None:
        if not self.quiet:
            self.console.print(Text(clean(line)), soft_wrap=True)

    def plan(self, plan: Plan) -> None:
        """What is about to be asked, and what each source left out."""
        for name, found in plan.sources.items():
            networks = {t.note for t in found.targets if t.source == "network"}
            extra = f", {', '.join(sorted(networks))}" if networks else ""
            count = len(found.targets)
            words = f"{count:,} target" + ("" if count == 1 else "s")
            self.say(f"{name}: {words}{extra}")
            if found.problem:
                self.say(f"  {found.problem}")
            for one in found.unprobed:
                self.say(f"  not probed: {one.note or one.host} ({one.reason})")

    def targets(self, plan: Plan) -> None:
        """`--list-targets`: one line each."""
        self.plan(plan)
        for target in plan.targets:
            note = f"  {target.note}" if target.note else ""
            self.say(f"  {where(target.host, target.port)}  {target.source}{note}")

    @contextlib.contextmanager
    def following(self) -> Iterator[None]:
        """While the scan runs: a progress line, where somebody watches."""
        if not self.watched:
            yield
            return
        with Live(console=self.console, refresh_per_second=10, transient=True) as live:
            self._live = live
            yield
        self._live = None

    def take(self, event: Event) -> None:
        match event:
            case Sighting() if event.is_server:
                self.say(found_line(event))
            case Progress() if self._live is not None:
                self._live.update(Text(progress_line(event)))
            case Progress() if not self.quiet and event.done < event.total:
                self.say(progress_line(event))

    def table(self, report: Report, handles: list[str]) -> None:
        """The servers, numbered as `--keep` takes them, then the rest in words."""
        rows = rows_of(report, handles)
        if rows and self.console.width >= _TABLE_COLUMNS:
            self.console.print(_table(rows))
        else:
            for block in _blocks(rows):
                self.console.print(block)
        for line in closing_lines(report):
            self.say(line)


def where(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def found_line(one: Sighting) -> str:
    facts = one.identity.as_json()
    version = f" {facts['version']}" if facts.get("version") else ""
    at = where(one.origin.host, one.origin.port)
    note = f" ({one.target.note})" if one.target.note else ""
    return f"{name_of(facts)}{version} at {at}{note}"


def name_of(facts: dict[str, Any]) -> str:
    """What to call it: the product, or what is known without one."""
    words = {"openai-compatible": "OpenAI-compatible", "wants-key": "wants a key"}
    kind = str(facts.get("kind"))
    return str(facts.get("name") or facts.get("family") or words.get(kind, kind))


def progress_line(event: Progress) -> str:
    return (
        f"{event.done:,} of {event.total:,} targets, {event.open} open, "
        f"{event.seconds:.1f} s"
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One server as the table tells it, every cell one clean line."""

    number: str
    handle: str
    family: str
    version: str
    state: str
    hosting: str
    where: str
    models: str
    reason: str


def rows_of(report: Report, handles: list[str]) -> list[Row]:
    pairs = zip(report.servers, handles, strict=True)
    return [_row(number, *pair) for number, pair in enumerate(pairs, 1)]


def _row(number: int, one: Sighting, handle: str) -> Row:
    facts = one.identity.as_json()
    cells = (
        str(number),
        handle,
        name_of(facts),
        str(facts.get("version") or ""),
        str(facts.get("state") or ""),
        str(facts.get("hosting") or ""),
        where(one.origin.host, one.origin.port),
        models_line(facts.get("models") or []),
        reason_line(facts.get("why") or []),
    )
    return Row(*(clean(cell) for cell in cells))


def _table(rows: list[Row]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in Row.__slots__:
        title = "" if name == "number" else name
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in astuple(row)))
    return table


def _blocks(rows: list[Row]) -> Iterator[Padding]:
    """For a narrow terminal: a line for who and where, then models and reason."""
    width = max((len(row.handle) for row in rows), default=0)
    for row in rows:
        name = f"{row.family} {row.version}".strip()
        facts = ", ".join(filter(None, (row.state, row.hosting)))
        head = f"{row.number:>2}  {row.handle:<{width}}  {name}  {row.where}  {facts}"
        yield Padding(Text(head, style="bold"), 0)
        for text in (row.models, row.reason):
            if text:
                yield Padding(Text(text), (0, 0, 0, 4))


def models_line(models: list[Any]) -> str:
    shown = ", ".join(str(model) for model in models[:_MODELS_SHOWN])
    more = len(models) - _MODELS_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def reason_line(why: list[Any]) -> str:
    parts = [f"{one.get('path', '')} {one.get('fact', '')}".strip() for one in why]
    return "; ".join(parts)


def closing_lines(report: Report) -> Iterator[str]:
    others = len(report.unrecognised)
    if others:
        ports = "port is" if others == 1 else "ports are"
        yield f"{others} open {ports} no LLM server."
    for one in report.aside:
        yield f"not probed: {one.note or one.host} ({one.reason})"
    servers = len(report.servers)
    found = f"{servers or 'No'} server" + ("s" if servers > 1 else "")
    stopped = "" if report.ended and not report.ended.stopped else ", stopped early"
    yield (
        f"{found} found: {report.open} open of "
        f"{len(report.plan.targets):,} targets, {report.seconds:.1f} s{stopped}."
    )


def clean(text: str) -> str:
    """One line without what a terminal would obey."""
    return "".join(c if c.isprintable() else " " for c in text)

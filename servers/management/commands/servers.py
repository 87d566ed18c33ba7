"""`servers [list|add URL|forget HANDLE|first HANDLE]`: the retained servers."""

from __future__ import annotations

import json
import sys
from argparse import SUPPRESS, ArgumentParser
from pathlib import Path
from typing import IO, Any, cast

from django.contrib.auth.models import Group
from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from servers import adding, retained
from servers.addresses import parse_url
from servers.errors import ServersError
from servers.retained import Kept


class Command(BaseCommand):
    help = "List the kept servers, keep one by its URL, forget one, or put one first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON document")
        parser.add_argument(
            "--addresses", action="store_true", help="show addresses and labels too"
        )
        actions = parser.add_subparsers(dest="action", metavar="ACTION")
        listing = actions.add_parser("list", help="the kept servers (the default)")
        _both_places(listing)
        add = actions.add_parser("add", help="recognise the server at URL and keep it")
        _both_places(add)
        add.add_argument("url", metavar="URL")
        add.add_argument("--label", default="", help="the name people see")
        add.add_argument(
            "--key-file", metavar="FILE|-", help="its API key; - reads standard input"
        )
        add.add_argument("--model", default="", help="the model to start with")
        add.add_argument("--slots", type=int, help="turns it answers at once")
        add.add_argument(
            "--group", action="append", default=[], help="who may see it (repeatable)"
        )
        add.add_argument(
            "--down", action="store_true", help="keep it even if it does not answer"
        )
        for name, text in (
            ("forget", "remove a server and its key"),
            ("first", "make it server-1, the one conversations start with"),
        ):
            action = actions.add_parser(name, help=text)
            _both_places(action)
            action.add_argument("server", metavar="HANDLE")

    def handle(self, *args: Any, **options: Any) -> None:
        action = options["action"] or "list"
        try:
            if action == "add":
                kept = adding.add(request_of(options))
                self.say(options, [kept], f"Kept as {kept}.")
            elif action == "list":
                self.show(options, retained.kept_servers())
            else:
                self.change(action, options)
        except ServersError as error:
            raise CommandError(str(error)) from None

    def change(self, action: str, options: dict[str, Any]) -> None:
        kept = retained.find(options["server"])
        if action == "forget":
            retained.forget(kept.pk)
            self.say(options, [], f"Forgotten: {kept}. Handles behind it move up.")
        else:
            retained.reorder([kept.pk])
            self.say(options, [retained.get(kept.pk)], f"{kept} is now server-1.")

    def show(self, options: dict[str, Any], servers: list[Kept]) -> None:
        if options["json"] or not servers:
            self.say(options, servers, "No server is kept yet: try `manage.py scan`.")
        else:
            console = Console(file=cast(IO[str], self.stdout), highlight=False)
            console.print(table_of(servers, addresses=options["addresses"]))
        if not servers:
            raise SystemExit(1)

    def say(self, options: dict[str, Any], servers: list[Kept], text: str) -> None:
        if options["json"]:
            rows = [as_json(s, addresses=options["addresses"]) for s in servers]
            self.stdout.write(json.dumps(rows))
        else:
            self.stdout.write(text)


def _both_places(parser: ArgumentParser) -> None:
    """`--json` and `--addresses` may stand before or behind the action."""
    for flag in ("--json", "--addresses"):
        parser.add_argument(flag, action="store_true", default=SUPPRESS)


def request_of(options: dict[str, Any]) -> adding.Wish:
    """The options as a wish. Raises CommandError for an unknown group or bad key."""
    groups = tuple(Group.objects.filter(name__in=options["group"]))
    missing = set(options["group"]) - {group.name for group in groups}
    if missing:
        raise CommandError(f"No group is called {sorted(missing)[0]}.")
    slots = options["slots"]
    if slots is not None and not 1 <= slots <= 1024:
        raise CommandError("--slots is a number from 1 to 1024.")
    return adding.Wish(
        origin=parse_url(options["url"]),
        label=options["label"],
        api_key=read_key(options["key_file"]),
        default_model=options["model"],
        slots=slots,
        groups=groups,
        even_if_down=options["down"],
    )


def read_key(source: str | None) -> str:
    """A key from a file or standard input: never from argv, where `ps` shows it."""
    if not source:
        return ""
    try:
        text = (
            sys.stdin.read(4097) if source == "-" else Path(source).read_text()[:4097]
        )
    except (OSError, UnicodeError):
        raise CommandError("The key file cannot be read.") from None
    key = text.strip()
    if not key or len(key) > 4096 or not key.isascii() or any(c.isspace() for c in key):
        raise CommandError("The key file holds no key: one line of plain characters.")
    return key


def as_json(server: Kept, *, addresses: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "handle": server.handle,
        "family": server.family or None,
        "model": server.default_model or None,
        "hosting": server.hosting.value,
        "slots": server.slots,
        "key": bool(server.api_key),
        "unreadable": server.unreadable,
    }
    if addresses:
        found |= {"label": server.label, "url": server.origin.url()}
    return found


def table_of(servers: list[Kept], *, addresses: bool) -> Table:
    table = Table(box=None, pad_edge=False)
    columns = ["handle", "family", "model", "hosting", "slots", "key"]
    for name in [*columns, *(["label", "address"] if addresses else [])]:
        table.add_column(name, overflow="fold")
    for server in servers:
        cells = [
            server.handle,
            "unreadable" if server.unreadable else server.family or "?",
            server.default_model or "-",
            server.hosting.value,
            str(server.slots or "-"),
            "set" if server.api_key else "-",
        ]
        if addresses:
            where = "-" if server.unreadable else server.origin.url()
            cells += [server.label or "-", where]
        table.add_row(*cells)
    return table

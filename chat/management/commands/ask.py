"""`ask`: one question to a server, by handle or URL, or to a Claude session."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from chat import asking_claude, asking_server, asking_url
from chat.asked import Asked, Ready, Unusable
from chat.asked_gpt import with_gpt
from chat.events import Event
from chat.terminal import Terminal, as_json
from chat.turn import Ending, Outcome
from chat.typed import interruptible, question, seconds

# Option -> the function that makes an Asked ready.
ROADS = {
    "server": asking_server.prepare,
    "url": asking_url.prepare,
    "claude": asking_claude.prepare,
}


class Command(BaseCommand):
    help = (
        "Ask one question and stream the answer. Exit code 0 when it was answered, "
        "1 when not (failed, refused, rate limited, interrupted, timed out), 2 when "
        "the arguments cannot be used."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        road = parser.add_mutually_exclusive_group(required=True)
        road.add_argument(
            "--server", metavar="HANDLE", help="A kept server, by handle or label."
        )
        road.add_argument("--url", help="A server's address, its /v1 or not.")
        road.add_argument(
            "--claude", metavar="SESSION", help="One of those in claude_sessions."
        )
        parser.add_argument(
            "--user",
            metavar="NAME",
            default="",
            help="Whose conversation it is, with --server; else the first curator's.",
        )
        parser.add_argument("--model", default="", help="Else the first one listed.")
        parser.add_argument(
            "--gpt", metavar="STEM", default="", help="A gpt of the catalogue."
        )
        parser.add_argument(
            "--input",
            metavar="NAME=VALUE",
            action="append",
            default=[],
            help="A value of the gpt's inputs; the path, where it is a file.",
        )
        parser.add_argument("--timeout", help="Seconds for everything together.")
        parser.add_argument(
            "--yes", action="store_true", help="Send although something was found."
        )
        parser.add_argument(
            "--confirm-destination",
            metavar="HOST",
            default="",
            help="The host, typed again, where the text leaves your network.",
        )
        parser.add_argument("--json", action="store_true", help="One JSON document.")
        parser.add_argument("question", nargs="?", help="The question; - reads stdin.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            ready = self._ready(options)
        except Unusable as error:
            raise CommandError(str(error), returncode=2) from error
        outcome = self._run(ready, quiet=options["json"])
        if options["json"]:
            document = json.dumps(as_json(outcome), ensure_ascii=False, indent=2)
            self.stdout.write(document)
        if outcome.ending is not Ending.COMPLETED:
            sys.exit(1)

    def _ready(self, options: dict[str, Any]) -> Ready:
        road = next(name for name in ROADS if options[name] is not None)
        gpt = options["gpt"]
        if options["input"] and not gpt:
            raise Unusable(_("--input belongs to a gpt: name it with --gpt."))
        asked = Asked(
            target=options[road],
            question=question(options["question"], required=not gpt),
            timeout_seconds=seconds(options["timeout"]),
            model=options["model"],
            confirmed=options["yes"],
            retyped=options["confirm_destination"],
            user=options["user"],
        )
        if gpt:
            asked = with_gpt(asked, road, gpt, options["input"])
        if asked.doubt:
            self.stderr.write(self.style.WARNING(f"{capfirst(asked.doubt)}."))
        return ROADS[road](asked)

    def _run(self, ready: Ready, *, quiet: bool) -> Outcome:
        if quiet:
            return asyncio.run(interruptible(ready, _nothing))
        watched = bool(getattr(self.stdout, "isatty", lambda: False)())
        # Django's wrapper ends every piece with a newline, and paints stderr red.
        self.stdout.ending = ""
        self.stderr.style_func = None
        terminal = Terminal(self.stdout, self.stderr, watched=watched)  # type: ignore[arg-type]
        if ready.where:
            terminal.say(ready.where)
        outcome = asyncio.run(interruptible(ready, terminal.show))
        terminal.end(outcome)
        return outcome


def _nothing(event: Event) -> None:
    """With --json only the outcome is told."""

"""`propose`: one message about a board, and what a model would change on it.

Reads the board from a file and changes nothing: proposals are printed.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from chat import asking_claude, asking_server, asking_url
from chat.asked import Asked, Unusable
from chat.cards.asking import RoundResult, ask_round
from chat.cards.board import Board, BoardError
from chat.cards.files import read_board_file
from chat.cards.offered import family_at, family_of, params_of
from chat.cards.prompt import Code
from chat.cards.proposals import Proposal
from chat.events import Event
from chat.terminal import plain
from chat.turn import Outcome
from chat.typed import interruptible, question, seconds
from gpts.gate import Payload

ROADS = {
    "server": asking_server.prepare,
    "url": asking_url.prepare,
    "claude": asking_claude.prepare,
}


class Command(BaseCommand):
    help = (
        "Send one message about a board and print what the answer would change. Exit "
        "code 0 with a readable answer, 1 without, 2 when the arguments cannot be used."
    )
    requires_system_checks: list[str] = []
    _said = ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--board",
            required=True,
            metavar="FILE",
            help="A board as JSON, or a folder with one Markdown file for each card.",
        )
        road = parser.add_mutually_exclusive_group(required=True)
        road.add_argument("--server", metavar="HANDLE", help="A kept server.")
        road.add_argument("--url", help="A server's address, its /v1 or not.")
        road.add_argument("--claude", metavar="SESSION", help="A Claude session.")
        parser.add_argument("--user", metavar="NAME", default="", help="With --server.")
        parser.add_argument("--model", default="", help="Else the first one listed.")
        parser.add_argument("--timeout", help="Seconds for each call.")
        parser.add_argument("--yes", action="store_true", help="Send what was found.")
        parser.add_argument(
            "--confirm-destination",
            metavar="HOST",
            default="",
            help="The host, typed again, where the text leaves your network.",
        )
        parser.add_argument("--json", action="store_true", help="One JSON document.")
        parser.add_argument("message", nargs="?", help="The message; - reads stdin.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            board = read_board_file(Path(options["board"]))
            result = self._round(board, options)
        except (Unusable, BoardError) as error:
            raise CommandError(str(error), returncode=2) from error
        if options["json"]:
            document = json.dumps(_as_json(result), ensure_ascii=False, indent=2)
            self.stdout.write(document)
        else:
            self._print(result)
        if result.done is None:
            self.stderr.write(plain(_why(result)))
            sys.exit(1)
        if result.done.ignored:
            ignored = _("fields ignored: %s") % ", ".join(result.done.ignored)
            self.stderr.write(plain(ignored))

    def _round(self, board: Board, options: dict[str, Any]) -> RoundResult:
        message = question(options["message"])
        road = next(name for name in ROADS if options[name] is not None)
        family = _family(road, options[road])
        within = seconds(options["timeout"])

        def call(payload: Payload) -> Outcome:
            system, user = (message.content for message in payload.messages)
            ready = ROADS[road](
                Asked(
                    target=options[road],
                    question=user,
                    timeout_seconds=within,
                    model=options["model"],
                    system=system,
                    params=params_of(family),
                    confirmed=options["yes"],
                    retyped=options["confirm_destination"],
                    user=options["user"],
                )
            )
            self._say_where(ready.where, quiet=options["json"])
            return asyncio.run(interruptible(ready, _nothing))

        code = Code(by_tools=True) if road == "claude" else None
        return ask_round(board, message, call, code=code)

    def _say_where(self, where: str, *, quiet: bool) -> None:
        """Where the text goes, before it goes; once, however many calls there are."""
        if where and not quiet and where != self._said:
            self.stderr.write(plain(where))
            self._said = where

    def _print(self, result: RoundResult) -> None:
        if result.done is None:
            return
        if result.done.text:
            self.stdout.write(plain(result.done.text) + "\n")
        for proposal in result.done.proposals:
            self.stdout.write(plain(_in_words(proposal)))
        count = len(result.done.proposals)
        words = ngettext("%d proposal", "%d proposals", count) % count
        self.stderr.write(words if count else _("no changes proposed"))


def _family(road: str, target: str) -> str | None:
    """Which software answers there, as far as it decides the form of a request."""
    if road == "url":
        return family_at(target, seconds=settings.LLMHUB_PROBE_SECONDS)
    return family_of(target) if road == "server" else None


def _nothing(event: Event) -> None:
    """Half an answer is no proposal: nothing is shown before its end."""


def _as_json(result: RoundResult) -> dict[str, Any]:
    """The command's document; `error` and `reply` only where there is no answer."""
    done = result.done
    found: dict[str, Any] = {
        "answer": done.text if done else None,
        "proposals": [p.as_json() for p in done.proposals] if done else [],
        "attempts": result.calls,
    }
    if done is None:
        found["error"] = _why(result)
    if result.given_up is not None:
        found["reply"] = result.given_up.reply
    if result.failed is not None:
        found["outcome"] = result.failed.ending.value
    return found


def _why(result: RoundResult) -> str:
    if result.given_up is not None:
        text = _("After %(calls)d calls no answer could be read: %(reason)s")
        return text % {"calls": result.calls, "reason": result.given_up.reason}
    if result.failed is not None:
        return result.failed.error or result.failed.ending.value
    return ""


def _in_words(proposal: Proposal) -> str:
    """A proposal as a few lines: what it is about, what goes and what comes."""
    row = proposal.as_json()
    where = " / ".join(part for part in (row["card"], row["function"]) if part)
    lines = [f"{where}: {row['field']} ({proposal.change.value})"]
    for sign, value in (("-", row["original"]), ("+", row["proposed"])):
        lines += [f"  {sign} {line}" for line in _lines(value)]
    if row["reason"]:
        lines.append(f"  ({row['reason']})")
    return "\n".join(lines)


def _lines(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, list):
        return [str(item) for item in value]
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, indent=1).split("\n")
    return str(value).split("\n")

"""A turn on a terminal: the answer as it comes, and what is worth knowing of it.

Answers go to one stream, everything else to another, so that an answer can be piped.
What a model says is text here: never a terminal command.
"""

from __future__ import annotations

import re
from typing import Any, TextIO

from django.utils import timezone
from django.utils.translation import gettext as _

from chat.events import (
    Event,
    Heartbeat,
    RateLimited,
    Reasoning,
    Text,
    ToolActivity,
)
from chat.turn import Ending, Outcome

# Control characters but tab and newline, C1 included: some terminals obey them.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"


class Terminal:
    """The sink of `ask`. `watched`: somebody looks, reasoning is shown (dimmed)."""

    def __init__(self, out: TextIO, notes: TextIO, *, watched: bool) -> None:
        self._out, self._notes, self._watched = out, notes, watched
        self._thinking = False
        self._column_zero = True
        self._tools: set[str] = set()

    def show(self, event: Event) -> None:
        body = event.body
        if isinstance(body, Text):
            self._end_thinking()
            self._write(body.text)
        elif isinstance(body, Reasoning):
            self._think(body.text)
        elif isinstance(body, ToolActivity):
            self._tool(body.name)
        elif isinstance(body, Heartbeat):
            self._beat(body)
        elif isinstance(body, RateLimited):
            self.say(body.message)

    def say(self, text: str) -> None:
        """A line that is no part of the answer."""
        self._end_thinking()
        if not self._column_zero and self._watched:
            self._write("\n")
        self._notes.write(plain(text) + "\n")
        self._notes.flush()

    def end(self, outcome: Outcome) -> None:
        """What came of it, after the answer."""
        self._end_thinking()
        if not self._column_zero:
            self._write("\n")
        said = outcome.error if outcome.ending is not Ending.RATE_LIMITED else ""
        if outcome.ending is not Ending.COMPLETED:
            self.say(f"{outcome.ending.value}: {said}" if said else outcome.ending)
        if outcome.resets_at:
            moment = timezone.localtime(outcome.resets_at)
            self.say(_("Available again at %s.") % f"{moment:%Y-%m-%d %H:%M:%S %Z}")
        for note in outcome.notes:
            self.say(note)
        if outcome.ending is not Ending.REFUSED and (facts := _facts(outcome)):
            self.say(facts)

    def _write(self, text: str) -> None:
        text = plain(text)
        if text:
            self._out.write(text)
            self._out.flush()
            self._column_zero = text.endswith("\n")

    def _think(self, text: str) -> None:
        if not self._watched:
            return
        if not self._thinking:
            self._out.write(_DIM)
            self._thinking = True
        self._write(text)

    def _end_thinking(self) -> None:
        if self._thinking:
            self._thinking = False
            self._out.write(_PLAIN)
            if not self._column_zero:
                self._write("\n")

    def _tool(self, name: str) -> None:
        if name not in self._tools:
            self._tools.add(name)
            self.say(_("The model asks for the tool %s.") % (name or "?"))

    def _beat(self, beat: Heartbeat) -> None:
        if beat.reason == "loading":
            self.say(_("The model is being loaded (%g s).") % beat.quiet_seconds)
        elif self._watched:
            self.say(_("Nothing for %g s.") % beat.quiet_seconds)


def plain(text: str) -> str:
    """The text without what a terminal would obey."""
    return _CONTROL.sub("", text)


def _facts(outcome: Outcome) -> str:
    """E.g. `tiny, 12 tokens, first token after 0.1 s, 90.5 tokens/s, stop`."""
    timings = outcome.timings
    parts = [outcome.model]
    if outcome.usage.completion_tokens is not None:
        parts.append(_("%d tokens") % outcome.usage.completion_tokens)
    if timings.first_token_s is not None:
        parts.append(_("first token after %g s") % timings.first_token_s)
    if timings.tokens_per_s is not None:
        parts.append(_("%g tokens/s") % timings.tokens_per_s)
    parts.append(outcome.finish_reason or "")
    return ", ".join(part for part in parts if part)


def as_json(outcome: Outcome) -> dict[str, Any]:
    """The JSON document of `ask`; its keys are stable."""
    timings = outcome.timings
    resets_at = outcome.resets_at
    return {
        "outcome": outcome.ending.value,
        "text": outcome.text,
        "reasoning": outcome.reasoning,
        "error": outcome.error or None,
        "resets_at": resets_at.isoformat(timespec="seconds") if resets_at else None,
        "finish_reason": outcome.finish_reason,
        "model": outcome.model or None,
        "usage": {
            "prompt_tokens": outcome.usage.prompt_tokens,
            "completion_tokens": outcome.usage.completion_tokens,
        },
        "tools": [
            {"name": tool.name, "arguments": tool.arguments} for tool in outcome.tools
        ],
        "timings": {
            "first_token_s": timings.first_token_s,
            "total_s": timings.total_s,
            "tokens_per_s": timings.tokens_per_s,
        },
    }

"""What commands of the chat read from their arguments, and how Ctrl-C stops a turn."""

from __future__ import annotations

import asyncio
import math
import signal
import sys
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from chat.asked import Ready, Unusable
from chat.turn import Outcome, Stop

QUESTION_LIMIT_BYTES = 8 * 1024 * 1024


async def interruptible(ready: Ready, sink: Any) -> Outcome:
    """Ctrl-C stops the turn and keeps its text; a second one is Python's own."""
    stop = Stop()
    loop = asyncio.get_running_loop()

    def ask_to_stop() -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
        stop.ask()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ask_to_stop)
    return await ready.run(sink, stop)


def question(typed: str | None, *, required: bool = True) -> str:
    """What was typed, or standard input for `-`. Raises Unusable."""
    text = _standard_input() if typed == "-" else typed or ""
    if required and not text.strip():
        raise Unusable(_("A question is missing: type one, or - to read it."))
    return text


def _standard_input() -> str:
    raw = sys.stdin.buffer.read(QUESTION_LIMIT_BYTES + 1)
    if len(raw) > QUESTION_LIMIT_BYTES:
        raise Unusable(_("The question is longer than 8 MB."))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unusable(_("The question is not UTF-8 text.")) from error


def seconds(typed: str | None) -> float:
    if typed is None:
        return float(settings.LLMHUB_TURN_SECONDS)
    try:
        seconds = float(typed)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= 86_400:
        raise Unusable(_("--timeout is a number of seconds, up to a day."))
    return seconds

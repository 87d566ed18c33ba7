"""A conversation as Markdown to keep: questions, answers, and where they broke off.

Pure but for translation. No system prompt, address, label or reasoning goes out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from chat.models import State, Turn
from chat.standing import standing_of

_UNSAFE = re.compile(r"[^\w.-]+")


def as_markdown(
    title: str, turns: Iterable[Turn], *, gpt: str = "", saved: datetime | None = None
) -> str:
    """The whole document."""
    head = [f"# {' '.join(title.split())}", ""]
    if gpt:
        head += [_("gpt: %(name)s") % {"name": gpt}, ""]
    if saved:
        moment = date_format(localtime(saved), "DATETIME_FORMAT")
        head += [_("Saved %(moment)s") % {"moment": moment}, ""]
    parts = ["\n".join(head)]
    parts += [_turn(turn) for turn in turns]
    return "\n".join(parts).rstrip() + "\n"


def _turn(turn: Turn) -> str:
    asked = f"## {turn.number}. " + _("Question")
    who = " · ".join(
        word
        for word in (turn.server_name, turn.model_answered or turn.model_asked)
        if word
    )
    answered = "### " + (who or _("Answer"))
    lines = [asked, "", _quoted(str(turn.question or "")), "", answered, ""]
    if turn.answer:
        lines += [str(turn.answer).rstrip(), ""]
    if mark := _mark(turn):
        lines += [f"*[{mark}]*", ""]
    return "\n".join(lines)


def _mark(turn: Turn) -> str:
    """What a reader must know of an answer that is not whole."""
    if turn.state == State.COMPLETED and turn.finish_reason != "length":
        return ""
    if turn.finish_reason == "length":
        return _("cut at the model's limit")
    if turn.live:
        return _("still being answered when this was saved")
    standing = standing_of(turn)
    return standing.what if standing else str(State(turn.state).label)


def _quoted(text: str) -> str:
    """As a quotation, so that a question's own headings make no chapters."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines() or [""])


def file_name(title: str, saved: datetime) -> str:
    """An ASCII-safe name without a path in it."""
    words = _UNSAFE.sub("-", title.lower()).strip("-.")[:50].strip("-.")
    plain = words.encode("ascii", "ignore").decode().strip("-.")
    return f"{plain or 'conversation'}-{localtime(saved):%Y-%m-%d}.md"

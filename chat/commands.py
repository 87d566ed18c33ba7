"""Slash commands of the composer: what a typed message asks for. Pure.

The shape is one slash and one to twelve letters, or `?`, on a line of its own; a
second slash right behind, a digit or more lines make it text. Text is never changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from django.utils.translation import gettext_lazy as _

_SHAPE = re.compile(r"/([^\W\d_]{1,12}|\?)(?:[ \t]+(\S.*))?")
_LINE_END = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


class Name(StrEnum):
    NEW = "new"
    SERVER = "srv"
    MODEL = "model"
    GPT = "gpt"
    CONTEXT = "ctx"
    SAVE = "save"
    LINES = "m"
    LIST = "q"
    HELP = "?"


WORDS = {
    Name.NEW: _("a new conversation with the same server and gpt"),
    Name.SERVER: _("another server: /srv workshop"),
    Name.MODEL: _("another model: /model qwen"),
    Name.GPT: _("choose a gpt; what was said is kept"),
    Name.CONTEXT: _("what was sent last"),
    Name.SAVE: _("save this conversation as Markdown"),
    Name.LINES: _("write several lines: Enter breaks the line"),
    Name.LIST: _("back to the list"),
    Name.HELP: _("these commands and all keys"),
}


@dataclass(frozen=True, slots=True)
class Nothing:
    """No message at all."""


@dataclass(frozen=True, slots=True)
class Text:
    """A message to send, as it was typed."""

    text: str


@dataclass(frozen=True, slots=True)
class Command:
    name: Name
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Looks like a command and is none: named to the person, never sent."""

    name: str


def read(message: str) -> Nothing | Text | Command | Unknown:
    """What the person wants with this message."""
    line = message.strip()
    if not line:
        return Nothing()
    found = None if _LINE_END.search(line) else _SHAPE.fullmatch(line)
    if found is None:
        return Text(message)
    word = found[1].lower()
    if word not in set(Name):
        return Unknown(found[1])
    return Command(Name(word), (found[2] or "").strip())

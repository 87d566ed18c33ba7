"""A gpt with its inputs filled in: the system prompt and the question to send.

Pure. Substitution only, once, of declared inputs; everything else stays literal,
braces in a value included. There is no template engine here and never will be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from django.utils.translation import gettext as _

from gpts.document import Document, Input, InputKind
from gpts.fields import Json, is_number
from gpts.gate import Message

_PLACEHOLDER = re.compile(r"\{([A-Za-z][A-Za-z0-9_]{0,39})\}")


class Piece(Protocol):
    """A piece of declared context: where it is from, and its text as it may be sent."""

    @property
    def label(self) -> str: ...

    @property
    def text(self) -> str: ...


class Absent(Protocol):
    """A declared source that is not sent, and why."""

    @property
    def label(self) -> str: ...

    @property
    def reason(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Values:
    """A value for every declared input; `problems` in words, by input name."""

    by_name: Mapping[str, str]
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rendered:
    """What a turn says for a gpt. With `problems` it must not be sent."""

    system: str
    question: str
    params: Mapping[str, Json] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)

    @property
    def messages(self) -> tuple[Message, ...]:
        """System first, if there is one; then the question."""
        system = (Message("system", self.system),) if self.system else ()
        return (*system, Message("user", self.question))


def read_values(document: Document, given: Mapping[str, str]) -> Values:
    """What a person filled in, completed by defaults and checked by kind.

    A value of kind file is the file's text, of repo_path the path as typed.
    """
    problems = {
        name: _("There is no input %(name)s.") % {"name": name}
        for name in given
        if document.input(name) is None
    }
    values: dict[str, str] = {}
    for item in document.inputs:
        typed = given.get(item.name, "").replace("\r\n", "\n")
        values[item.name] = typed if typed.strip() else item.default or ""
        problem = _problem(item, values[item.name])
        if problem:
            problems[item.name] = problem
    return Values(values, problems)


def _problem(item: Input, value: str) -> str:
    if not value.strip():
        return _("Please fill this in.") if item.required else ""
    if item.kind is InputKind.CHOICE and value not in item.choices:
        return _("Please choose one of: %(choices)s.") % {
            "choices": ", ".join(item.choices)
        }
    if item.kind is InputKind.NUMBER and not is_number(value.strip()):
        return _("Please type a number.")
    return ""


def fill(template: str, values: Mapping[str, str]) -> str:
    """`{name}` of a known name replaced, in one pass; others stay as they are."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found.group()), template)


def placeholders(template: str, document: Document) -> tuple[str, ...]:
    """The declared inputs that a text names, each once."""
    named = dict.fromkeys(_PLACEHOLDER.findall(template))
    return tuple(name for name in named if document.input(name) is not None)


def render(
    document: Document,
    inputs: Mapping[str, str],
    *,
    private_addition: str = "",
    context_pieces: Iterable[Piece] = (),
    context_left: Iterable[Absent] = (),
) -> Rendered:
    """The messages of `document` for these inputs.

    The private addition ends the system prompt and is literal. The pieces of context
    end the question, each in a fence that nothing inside can close; what was left out
    is named behind them, for the person and the model alike.
    """
    values = read_values(document, inputs)
    system = [fill(document.system, values.by_name), private_addition.strip()]
    question = [fill(document.question, values.by_name)]
    question += [_fenced(piece.label, piece.text) for piece in context_pieces]
    question.append(_left_out(context_left))
    return Rendered(
        system="\n\n".join(part for part in system if part.strip()),
        question="\n\n".join(part for part in question if part.strip()),
        params=document.params,
        problems=values.problems,
    )


def _left_out(absent: Iterable[Absent]) -> str:
    lines = [f"- {one.label}: {one.reason}" for one in absent]
    return "\n".join([_("Not included:"), *lines]) if lines else ""


def _fenced(label: str, text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    heading = " ".join(label.split())
    end = "" if text.endswith("\n") else "\n"
    return f"{heading}:\n{fence}\n{text}{end}{fence}"

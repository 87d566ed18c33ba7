"""What a gpt's own page shows: requirements, reading, trust and the fields of a form.

Pure, but for the language in force.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from gpts.document import Document, Input, InputKind
from gpts.entries import Entry
from gpts.fitting import Place
from gpts.matching import Fit, Match, billions, tokens
from gpts.requirements import Requirements
from gpts.tiles import language
from servers.hosting import Hosting

# What the composer calls a field of an input.
FIELD_PREFIX = "input_"


@dataclass(frozen=True, slots=True)
class Field:
    """One input in a form."""

    name: str
    label: str
    help: str
    kind: str
    required: bool
    value: str
    choices: tuple[str, ...]

    @property
    def field_name(self) -> str:
        return FIELD_PREFIX + self.name

    @property
    def is_long(self) -> bool:
        return self.kind in (InputKind.TEXT, InputKind.FILE)


@dataclass(frozen=True, slots=True)
class Sheet:
    """`asks` and `reads` are finished sentences; `too_far` forbids sending."""

    stem: str
    name: str
    description: str
    asks: tuple[str, ...]
    reads: tuple[str, ...]
    trust: str
    reviewed: bool
    overrides: str
    warnings: tuple[str, ...]
    fields: tuple[Field, ...]
    system: str
    question: str
    match: Match

    @property
    def reason(self) -> str:
        return capfirst(self.match.reason)

    @property
    def is_ok(self) -> bool:
        return self.match.verdict is Fit.OK

    @property
    def is_no(self) -> bool:
        return self.match.verdict is Fit.NO

    @property
    def too_far(self) -> bool:
        return self.is_no and self.match.requirement == "hosting"


def sheet_of(
    entry: Entry,
    place: Place,
    typed: Mapping[str, Any],
    defaults: Mapping[str, str],
) -> Sheet:
    """`typed` holds what a link filled in already, `defaults` this hub's own."""
    document, spoken = entry.document, language()
    if document is None:
        raise ValueError("Only a usable gpt has a sheet.")
    return Sheet(
        stem=entry.stem,
        name=document.name_in(spoken),
        description=document.description_in(spoken),
        asks=tuple(_asks(entry.requires)),
        reads=tuple(_reads(document)),
        trust=entry.trust,
        reviewed=entry.reviewed,
        overrides=entry.overrides.words if entry.overrides else "",
        warnings=tuple(problem.message for problem in entry.problems),
        fields=tuple(_field(item, spoken, typed, defaults) for item in document.inputs),
        system=document.system,
        question=document.question,
        match=place.match(entry),
    )


def _asks(requires: Requirements) -> Iterator[str]:
    yield {
        Hosting.LOOPBACK: _("A server on the hub's own machine"),
        Hosting.LAN: _("A server on this machine or your network"),
        Hosting.GLOBAL: _("Any server, also one outside your network"),
    }[requires.hosting]
    if requires.context_window is not None:
        yield _("%(tokens)s of context") % {"tokens": tokens(requires.context_window)}
    if requires.parameters is not None:
        yield _("%(count)s parameters") % {"count": billions(requires.parameters)}
    if requires.tool_calling:
        yield _("Tool calling")
    if requires.vision:
        yield _("Vision")
    if requires.json_output:
        yield _("JSON output")
    for key in requires.unknown_keys:
        yield _('"%(key)s", which this hub does not understand') % {"key": key}


def _reads(document: Document) -> Iterator[str]:
    for path in document.context.files:
        yield _("the file %(path)s") % {"path": path}
    for command in document.context.commands:
        yield _("the output of %(label)s (%(argv)s)") % {
            "label": command.label,
            "argv": " ".join(command.argv),
        }


def _field(
    item: Input, spoken: str, typed: Mapping[str, Any], defaults: Mapping[str, str]
) -> Field:
    given = typed.get(FIELD_PREFIX + item.name, defaults.get(item.name))
    return Field(
        name=item.name,
        label=item.label_in(spoken),
        help=item.help_in(spoken),
        kind=item.kind.value,
        required=item.required,
        value=str(item.default or "") if given is None else str(given),
        choices=item.choices,
    )

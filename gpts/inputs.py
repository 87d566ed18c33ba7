"""The inputs that a header declares: read as a mapping by name, or as a list.

Pure.
"""

from __future__ import annotations

import re
from typing import Any

from django.utils.translation import gettext_noop as _

from gpts import fields
from gpts.document import Input, InputKind
from gpts.frontmatter import Mapping, Node, Scalar, Sequence
from gpts.problems import Problems

MOST_INPUTS = 50
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")
_TRANSLATED = re.compile(r"(?:label|help)_[a-z]{2,3}(?:_[a-z]{2,4})?")
_KEYS = ("name", "type", "required", "default", "choices", "label", "help")


def read_inputs(node: Node | None, problems: Problems) -> tuple[Input, ...]:
    if node is None or fields.is_absent(node):
        return ()
    declared = list(_declared(node, problems))
    if len(declared) > MOST_INPUTS:
        problems.fatal(
            node.line, _("A gpt has at most %(most)s inputs."), most=MOST_INPUTS
        )
        return ()
    found = [_input(name, spec, problems) for name, spec in declared]
    return tuple(item for item in found if item is not None)


def _declared(node: Node, problems: Problems) -> list[tuple[Scalar, Mapping]]:
    """Name and specification of each, whichever of the two forms was written."""
    if isinstance(node, Mapping):
        return [
            (name, spec)
            for name, value in node.pairs
            if (spec := _spec(name, value, problems)) is not None
        ]
    if not isinstance(node, Sequence):
        fields.mapping(node, "inputs", problems)
        return []
    listed = [_named(item, problems) for item in node.items]
    return _without_twins([pair for pair in listed if pair is not None], problems)


def _spec(name: Scalar, node: Node, problems: Problems) -> Mapping | None:
    """`topic:` with nothing behind it is a plain text input."""
    if fields.is_absent(node):
        return Mapping((), node.line)
    return fields.mapping(node, f"inputs.{name.text}", problems)


def _named(node: Node, problems: Problems) -> tuple[Scalar, Mapping] | None:
    spec = fields.mapping(node, "inputs", problems)
    if spec is None:
        return None
    name = next((value for key, value in spec.pairs if key.text == "name"), None)
    if not isinstance(name, Scalar):
        problems.fatal(node.line, _("An input has no name."))
        return None
    return name, spec


def _without_twins(
    pairs: list[tuple[Scalar, Mapping]], problems: Problems
) -> list[tuple[Scalar, Mapping]]:
    seen: dict[str, int] = {}
    for name in (name for name, _node in pairs):
        if name.text in seen:
            problems.fatal(
                name.line,
                _("Input %(name)s stands twice; first in line %(first)s."),
                name=name.text,
                first=seen[name.text],
            )
        seen.setdefault(name.text, name.line)
    return pairs


def _input(name: Scalar, spec: Mapping, problems: Problems) -> Input | None:
    where = f"inputs.{name.text}"
    if not NAME.fullmatch(name.text):
        problems.fatal(
            name.line,
            _("Input name %(name)s: use letters, digits and _, a letter first."),
            name=name.text,
        )
        return None
    values: dict[str, Any] = {}
    translations: dict[str, str] = {}
    for key, value in spec.pairs:
        if key.text in _READERS:
            if not fields.is_absent(value):
                values[key.text] = _READERS[key.text](
                    value, f"{where}.{key.text}", problems
                )
        elif _TRANSLATED.fullmatch(key.text):
            translations[key.text] = fields.line(value, where, problems) or ""
        elif key.text not in _KEYS:
            problems.warn(
                key.line,
                _('Unknown key "%(key)s" in input %(name)s.'),
                key=key.text,
                name=name.text,
            )
    found = _make(name.text, values, translations)
    _check(found, name.line, problems)
    return found


def _make(name: str, values: dict[str, Any], translations: dict[str, str]) -> Input:
    """The value; an input with choices and no type is a choice."""
    choices = values.get("choices") or ()
    kind = values.get("type") or (InputKind.CHOICE if choices else InputKind.TEXT)
    return Input(
        name=name,
        kind=kind,
        required=values.get("required") or False,
        default=values.get("default"),
        choices=choices,
        label=values.get("label") or "",
        help=values.get("help") or "",
        translations=translations,
    )


def _check(item: Input, line: int, problems: Problems) -> None:
    """That type, choices and default agree."""
    if item.kind is InputKind.CHOICE and not item.choices:
        problems.fatal(line, _("Input %(name)s has no choices."), name=item.name)
    if item.choices and item.kind is not InputKind.CHOICE:
        problems.warn(
            line, _("Input %(name)s has choices but another type."), name=item.name
        )
    if item.default is None:
        return
    if item.kind is InputKind.FILE:
        problems.fatal(
            line, _("Input %(name)s: a file has no default."), name=item.name
        )
    if item.kind is InputKind.CHOICE and item.default not in item.choices:
        problems.fatal(
            line,
            _("Input %(name)s: default %(default)s is none of its choices."),
            name=item.name,
            default=item.default,
        )
    if item.kind is InputKind.NUMBER and not fields.is_number(item.default):
        problems.fatal(
            line,
            _("Input %(name)s: default %(default)s is no number."),
            name=item.name,
            default=item.default,
        )


def _kind(node: Node, where: str, problems: Problems) -> InputKind | None:
    word = fields.text(node, where, problems)
    if word is None:
        return None
    try:
        return InputKind(word)
    except ValueError:
        problems.fatal(
            node.line,
            _("%(where)s must be one of %(kinds)s, not %(word)s."),
            where=where,
            kinds=", ".join(InputKind),
            word=word,
        )
        return None


def _choices(node: Node, where: str, problems: Problems) -> tuple[str, ...]:
    """The words as written, without repetitions and without empty ones."""
    found = fields.texts(node, where, problems) or ()
    if len(set(found)) < len(found):
        problems.warn(node.line, _("%(where)s: a choice stands twice."), where=where)
    if "" in found:
        problems.fatal(node.line, _("%(where)s: a choice is empty."), where=where)
    return tuple(dict.fromkeys(found))


_READERS: dict[str, Any] = {
    "type": _kind,
    "required": fields.boolean,
    "default": fields.text,
    "choices": _choices,
    "label": fields.line,
    "help": fields.line,
}

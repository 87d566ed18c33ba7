"""What a gpt requires of a server: the value, and how it is read from the header.

Pure. An unknown key makes every match unknown: a typo must not remove a requirement.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext_noop as _

from gpts import fields
from gpts.frontmatter import Mapping, Node, Scalar
from gpts.problems import Problems
from servers.hosting import Hosting

_BOOLEAN_KEYS = ("tool_calling", "vision", "json_output")


@dataclass(frozen=True, slots=True)
class Requirements:
    """None or False is no requirement. `parameters` in billions.

    `hosting` is the farthest rung the text may travel to. `unknown_keys` are keys
    that nobody understood.
    """

    hosting: Hosting = Hosting.LAN
    context_window: int | None = None
    parameters: float | None = None
    tool_calling: bool = False
    vision: bool = False
    json_output: bool = False
    unknown_keys: tuple[str, ...] = ()

    def on_this_machine(self) -> Requirements:
        """The same, but for a server on the hub's own machine alone."""
        return replace(self, hosting=Hosting.LOOPBACK)


def read_requirements(node: Node | None, problems: Problems) -> Requirements:
    if node is None or fields.is_absent(node):
        return Requirements()
    found = fields.mapping(node, "requires", problems)
    values: dict[str, Any] = {}
    unknown: list[str] = []
    for key, value in found.pairs if isinstance(found, Mapping) else ():
        if key.text not in _READERS:
            unknown.append(key.text)
            problems.warn(
                key.line,
                _('Unknown requirement "%(key)s": no server can be matched for sure.'),
                key=key.text,
            )
        elif not _is_none(value):
            values[key.text] = _READERS[key.text](
                value, f"requires.{key.text}", problems
            )
    kept = {key: value for key, value in values.items() if value is not None}
    return Requirements(**kept, unknown_keys=tuple(unknown))


def _is_none(node: Node) -> bool:
    """`false` is no requirement, for numbers as well."""
    if fields.is_absent(node):
        return True
    return isinstance(node, Scalar) and node.plain and node.text.lower() == "false"


def _hosting(node: Node, where: str, problems: Problems) -> Hosting | None:
    rung = fields.text(node, where, problems)
    if rung is None:
        return None
    if rung == "any":
        return Hosting.GLOBAL
    try:
        return Hosting(rung)
    except ValueError:
        problems.fatal(
            node.line,
            _("requires.hosting must be loopback, lan, global or any, not %(rung)s."),
            rung=rung,
        )
        return None


def _window(node: Node, where: str, problems: Problems) -> int | None:
    """In tokens."""
    return fields.integer(node, where, problems, least=1)


def _billions(node: Node, where: str, problems: Problems) -> float | None:
    return fields.number(node, where, problems, least=0, most=100_000)


_READERS: dict[str, Any] = {
    "hosting": _hosting,
    "context_window": _window,
    "parameters": _billions,
    **dict.fromkeys(_BOOLEAN_KEYS, fields.boolean),
}

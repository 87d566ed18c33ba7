"""Typed readings of header nodes: each gives a value, or None with a problem noted.

Pure. The schema says what type a field has; the spelling in the file never does.
`where` names the field in messages, e.g. `params.seed`.
"""

from __future__ import annotations

import math
import re

from django.utils.translation import gettext_noop as _

from gpts.frontmatter import Mapping, Node, Scalar, Sequence
from gpts.problems import Problems

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

# Beyond it databases and other programs overflow.
INTEGER_LIMIT = 2**63 - 1
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(
    r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
)
# Spellings that YAML 1.1, YAML 1.2 and people read differently.
_AMBIGUOUS = re.compile(
    r"[-+]?0[0-9_]+|[-+]?0[xXoObB][0-9a-fA-F_]+|[-+]?[0-9][0-9_]*_[0-9_.]*"
    r"|[-+]?[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?"
    r"|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF"
)
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"false", "no", "off"})


def words_for(node: Node) -> str:
    """What was found instead, for messages."""
    if isinstance(node, Mapping):
        return _("a mapping")
    if isinstance(node, Sequence):
        return _("a list")
    if node.is_null:
        return _("nothing")
    if node.plain and is_number(node.text):
        return _("a number")
    return _("text")


def is_number(text: str) -> bool:
    """A decimal number that everybody reads alike."""
    return bool(_NUMBER.fullmatch(text))


def is_absent(node: Node | None) -> bool:
    """Not there, or a key with nothing behind it."""
    return node is None or (isinstance(node, Scalar) and node.is_null)


def text(
    node: Node, where: str, problems: Problems, *, most: int = 10_000
) -> str | None:
    """Text as written, whatever YAML would make of it: NO, 22:22, 04109."""
    if not isinstance(node, Scalar) or node.is_null:
        _wrong(node, where, _("text"), problems)
        return None
    if len(node.text) > most:
        problems.fatal(
            node.line,
            _("%(where)s is longer than %(most)s characters."),
            where=where,
            most=most,
        )
        return None
    return node.text


def line(node: Node, where: str, problems: Problems, *, most: int = 200) -> str | None:
    """Text with something in it, folded onto one line."""
    found = text(node, where, problems, most=most)
    if found is None:
        return None
    folded = " ".join(found.split())
    if not folded:
        problems.fatal(node.line, _("%(where)s is empty."), where=where)
    return folded or None


def boolean(node: Node, where: str, problems: Problems) -> bool | None:
    if isinstance(node, Scalar) and node.plain:
        word = node.text.lower()
        if word in _TRUE | _FALSE:
            return word in _TRUE
    _wrong(node, where, _("true or false"), problems)
    return None


def integer(
    node: Node,
    where: str,
    problems: Problems,
    *,
    least: int = -INTEGER_LIMIT,
    most: int = INTEGER_LIMIT,
) -> int | None:
    if not isinstance(node, Scalar) or not node.plain:
        _wrong(node, where, _("a whole number without quotes"), problems)
        return None
    if not _INTEGER.fullmatch(node.text):
        _report_not_a_number(node, where, _("a whole number"), problems)
        return None
    # Compared by length first: Python refuses to read thousands of digits.
    if len(node.text) > 20 or abs(int(node.text)) > INTEGER_LIMIT:
        _too_large(node, where, problems)
        return None
    value = int(node.text)
    return value if _is_between(value, least, most, node, where, problems) else None


def number(
    node: Node,
    where: str,
    problems: Problems,
    *,
    least: float = -math.inf,
    most: float = math.inf,
) -> int | float | None:
    """A finite number; whole ones stay whole."""
    if not isinstance(node, Scalar) or not node.plain:
        _wrong(node, where, _("a number without quotes"), problems)
        return None
    if not is_number(node.text):
        _report_not_a_number(node, where, _("a number"), problems)
        return None
    value = _number(node.text)
    if value is None:
        _too_large(node, where, problems)
        return None
    return value if _is_between(value, least, most, node, where, problems) else None


def _number(spelt: str) -> int | float | None:
    """None when it is too large to be kept exactly or at all."""
    if _INTEGER.fullmatch(spelt):
        if len(spelt) > 20 or abs(int(spelt)) > INTEGER_LIMIT:
            return None
        return int(spelt)
    value = float(spelt)
    return value if math.isfinite(value) else None


def json_value(node: Node, where: str, problems: Problems) -> Json:
    """Any JSON value, for what is passed on to a server as it stands."""
    if isinstance(node, Sequence):
        return [json_value(item, where, problems) for item in node.items]
    if isinstance(node, Mapping):
        return {
            key.text: json_value(value, f"{where}.{key.text}", problems)
            for key, value in node.pairs
        }
    if not node.plain:
        return node.text
    return _plain_json(node, where, problems)


def _plain_json(node: Scalar, where: str, problems: Problems) -> Json:
    if node.is_null:
        return None
    if node.text.lower() in ("true", "false"):
        return node.text.lower() == "true"
    if _AMBIGUOUS.fullmatch(node.text) or _NOT_FINITE.fullmatch(node.text):
        _report_not_a_number(node, where, _("a finite number"), problems)
        return None
    if is_number(node.text):
        return number(node, where, problems)
    return node.text


def texts(
    node: Node, where: str, problems: Problems, *, most: int = 200
) -> tuple[str, ...] | None:
    """A list of texts; one text alone is no list."""
    if not isinstance(node, Sequence):
        _wrong(node, where, _("a list"), problems)
        return None
    if len(node.items) > most:
        problems.fatal(
            node.line,
            _("%(where)s has more than %(most)s entries."),
            where=where,
            most=most,
        )
        return None
    found = [text(item, where, problems) for item in node.items]
    return tuple(item for item in found if item is not None)


def mapping(node: Node, where: str, problems: Problems) -> Mapping | None:
    if isinstance(node, Mapping):
        return node
    _wrong(node, where, _("a mapping of `key: value`"), problems)
    return None


def _wrong(node: Node, where: str, wanted: str, problems: Problems) -> None:
    if isinstance(node, Mapping) and _is_placeholder(node):
        problems.fatal(
            node.line,
            _('%(where)s: put the placeholder in quotes, "{%(name)s}".'),
            where=where,
            name=node.pairs[0][0].text,
        )
        return
    problems.fatal(
        node.line,
        _("%(where)s must be %(wanted)s, found %(found)s."),
        where=where,
        wanted=wanted,
        found=words_for(node),
    )


def _is_placeholder(node: Mapping) -> bool:
    """`{path}` without quotes is a mapping with one key and nothing behind it."""
    return len(node.pairs) == 1 and is_absent(node.pairs[0][1])


def _report_not_a_number(
    node: Scalar, where: str, wanted: str, problems: Problems
) -> None:
    if _AMBIGUOUS.fullmatch(node.text):
        problems.fatal(
            node.line,
            _("%(where)s: %(text)s reads in two ways; write it out, or quote it."),
            where=where,
            text=node.text,
        )
        return
    problems.fatal(
        node.line,
        _("%(where)s must be %(wanted)s, not %(text)s."),
        where=where,
        wanted=wanted,
        text=node.text,
    )


def _too_large(node: Scalar, where: str, problems: Problems) -> None:
    problems.fatal(
        node.line,
        _("%(where)s is too large: at most %(most)s."),
        where=where,
        most=str(INTEGER_LIMIT),
    )


def _is_between(
    value: float,
    least: float,
    most: float,
    node: Scalar,
    where: str,
    problems: Problems,
) -> bool:
    if least <= value <= most:
        return True
    sentence = _("%(where)s must be at least %(least)s.")
    if value > most:
        sentence = _("%(where)s must be at most %(most)s.")
    problems.fatal(
        node.line, sentence, where=where, least=f"{least:g}", most=f"{most:g}"
    )
    return False

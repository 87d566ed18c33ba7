"""The sampling parameters that a header passes on: known ones typed, others as JSON.

Pure. What decides where a request goes, or what it says, is no parameter.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from django.utils.translation import gettext_noop as _

from gpts import fields
from gpts.fields import Json
from gpts.frontmatter import Node, Sequence
from gpts.problems import Problems

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_FORBIDDEN = frozenset(
    {
        "model",
        "messages",
        "prompt",
        "stream",
        "streamoptions",
        "headers",
        "extraheaders",
        "extraquery",
        "extrabody",
        "timeout",
        "baseurl",
        "apikey",
        "organization",
    }
)


def _texts(node: Node, where: str, problems: Problems) -> Json:
    """One text, or a list of texts."""
    if isinstance(node, Sequence):
        found = fields.texts(node, where, problems, most=16)
        return list(found) if found is not None else None
    return fields.text(node, where, problems)


_count = partial(fields.integer, least=0)
_penalty = partial(fields.number, least=-2, most=2)
_share = partial(fields.number, least=0, most=1)

_KNOWN: dict[str, Callable[[Node, str, Problems], Json]] = {
    "temperature": partial(fields.number, least=0, most=10),
    "top_p": _share,
    "min_p": _share,
    "top_k": partial(fields.integer, least=-1),
    "max_tokens": partial(fields.integer, least=1),
    "max_completion_tokens": partial(fields.integer, least=1),
    "seed": fields.integer,
    "presence_penalty": _penalty,
    "frequency_penalty": _penalty,
    "repeat_penalty": partial(fields.number, least=0, most=10),
    "num_ctx": _count,
    "stop": _texts,
}


def read_params(node: Node | None, problems: Problems) -> dict[str, Json]:
    """By name, in the order of the file; a parameter without a value is left out."""
    if node is None or fields.is_absent(node):
        return {}
    found = fields.mapping(node, "params", problems)
    values: dict[str, Json] = {}
    for key, value in found.pairs if found else ():
        if key.text.lower().replace("_", "").replace("-", "") in _FORBIDDEN:
            problems.fatal(key.line, _("params may not carry %(key)s."), key=key.text)
        elif not _NAME.fullmatch(key.text):
            # `{temperature: 0,5}` reads as 0, and a key 5.
            problems.fatal(
                key.line, _("%(key)s is no name of a parameter."), key=key.text
            )
        elif not fields.is_absent(value):
            read = _KNOWN.get(key.text, fields.json_value)
            values[key.text] = read(value, f"params.{key.text}", problems)
    return values

"""Reads the source of a gpt: bytes or text in, a document or its problems out.

Pure. Decides about any megabyte in under half a second and never raises.
"""

from __future__ import annotations

import re
from typing import Any

from django.utils.translation import gettext_noop as _

from gpts import fields
from gpts.declared import read_context
from gpts.document import SCHEMA, Document, Parsed
from gpts.frontmatter import Mapping, Node, Scalar, read_tree
from gpts.inputs import read_inputs
from gpts.markers import Sections, cut_sections
from gpts.parameters import read_params
from gpts.problems import Problems
from gpts.requirements import read_requirements
from gpts.source import Cut, cut, decode, line_of

_KEYS = ("gpt", "name", "description", "requires", "params", "inputs", "context")
_TRANSLATED = re.compile(r"(?:name|description)_[a-z]{2,3}(?:_[a-z]{2,4})?")
_PLACEHOLDER = re.compile(r"\{([A-Za-z][A-Za-z0-9_]{0,39})\}")
_MOST_DESCRIPTION = 1_000
# Examples in braces are common; more warnings than that help nobody.
_MOST_STRANGE = 10


def read_document(source: bytes | str) -> Parsed:
    """What the source says; all problems that could be found are in it."""
    problems = Problems()
    raw = source if isinstance(source, bytes) else _encoded(source)
    document = _read(raw, problems)
    return Parsed(None if problems.any_fatal else document, problems.in_order())


def _encoded(source: str) -> bytes:
    """Half a surrogate pair is kept, so that decoding refuses it with its place."""
    return source.encode("utf-8", "surrogatepass")


def _read(raw: bytes, problems: Problems) -> Document | None:
    text = decode(raw, problems)
    parts = cut(text, problems) if text is not None else None
    if parts is None:
        return None
    tree = read_tree(parts.header, parts.header_line, problems)
    if tree is None and not problems.any_fatal:
        problems.fatal(1, _("The header is empty: it needs gpt, name, description."))
    header = _header(tree, problems) if tree is not None else None
    sections = cut_sections(parts.body, parts.body_line, problems)
    if header is None or sections is None:
        return None
    return _document(header, parts, sections, problems)


def _header(tree: Node, problems: Problems) -> dict[str, Node] | None:
    """The header by key, `gpt` checked first: a later schema may mean other keys."""
    if not isinstance(tree, Mapping):
        problems.fatal(
            tree.line,
            _("The header must be a mapping of `key: value`, found %(found)s."),
            found=fields.words_for(tree),
        )
        return None
    header = {key.text: value for key, value in tree.pairs}
    if not _schema_is_known(header.get("gpt"), problems):
        return None
    for key, _value in tree.pairs:
        if key.text not in _KEYS and not _TRANSLATED.fullmatch(key.text):
            problems.warn(key.line, _('Unknown key "%(key)s".'), key=key.text)
    return header


def _schema_is_known(node: Node | None, problems: Problems) -> bool:
    if node is None:
        problems.fatal(1, _("gpt is missing: write `gpt: 1`, the schema of this file."))
        return False
    if isinstance(node, Scalar) and node.plain and node.text == str(SCHEMA):
        return True
    found = node.text if isinstance(node, Scalar) else ""
    sentence = _("gpt must be 1, the schema of this file, not %(found)s.")
    if re.fullmatch(r"[1-9][0-9]*", found) and found != str(SCHEMA):
        sentence = _("Schema %(found)s is too new: this hub reads `gpt: 1`.")
    problems.fatal(node.line, sentence, found=found or fields.words_for(node))
    return False


def _document(
    header: dict[str, Node], parts: Cut, sections: Sections, problems: Problems
) -> Document:
    inputs = read_inputs(header.get("inputs"), problems)
    document = Document(
        name=_required(header, "name", problems, most=120),
        description=_required(header, "description", problems, most=_MOST_DESCRIPTION),
        system=sections.system,
        question=sections.question,
        requires=read_requirements(header.get("requires"), problems),
        params=read_params(header.get("params"), problems),
        inputs=inputs,
        context=read_context(header.get("context"), problems),
        translations=_translations(header, problems),
    )
    _check_placeholders(document, parts, problems)
    return document


def _required(
    header: dict[str, Node], key: str, problems: Problems, *, most: int
) -> str:
    node = header.get(key)
    if node is None:
        problems.fatal(1, _("%(key)s is missing in the header."), key=key)
        return ""
    return fields.line(node, key, problems, most=most) or ""


def _translations(header: dict[str, Node], problems: Problems) -> dict[str, str]:
    found: dict[str, Any] = {
        key: fields.line(node, key, problems, most=_MOST_DESCRIPTION)
        for key, node in header.items()
        if _TRANSLATED.fullmatch(key)
    }
    return {key: value for key, value in found.items() if value}


def _check_placeholders(document: Document, parts: Cut, problems: Problems) -> None:
    """A placeholder that no input declares stays text, and is warned of once."""
    declared = {item.name for item in document.inputs}
    strange: set[str] = set()
    for found in _PLACEHOLDER.finditer(parts.body):
        if len(strange) == _MOST_STRANGE:
            break
        if found[1] not in declared and found[1] not in strange:
            strange.add(found[1])
            problems.warn(
                line_of(parts.body, found.start(), parts.body_line),
                _("{%(name)s} is no declared input: it is sent as it stands."),
                name=found[1],
            )
    _check_used(document, set(_PLACEHOLDER.findall(parts.body)), problems)


def _check_used(document: Document, used: set[str], problems: Problems) -> None:
    context = document.context
    elsewhere = " ".join(
        [
            *context.files,
            *(part for command in context.commands for part in command.argv),
        ]
    )
    used = used | set(_PLACEHOLDER.findall(elsewhere))
    for item in document.inputs:
        if item.name not in used:
            problems.warn(None, _("Input %(name)s is used nowhere."), name=item.name)

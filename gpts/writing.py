"""Writes a document as the source of a gpt: what `reading` reads back the same.

Pure. The source a person typed is the truth and is never rewritten; this makes new
ones, for a gpt that is copied to be changed.
"""

from __future__ import annotations

import json
import re
from typing import Any

from gpts.document import SCHEMA, Context, Document, Input
from gpts.requirements import Requirements
from servers.hosting import Hosting

# JSON's double-quoted text is YAML's, but for what YAML reads as a line break or
# not at all.
_ESCAPED = {code: f"\\u{code:04x}" for code in (0x7F, 0x85, 0x2028, 0x2029, 0xFEFF)}

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_NOT_PLAIN = frozenset({"on", "off", "yes", "no", "true", "false", "null"})


def write_document(document: Document) -> str:
    """The source; text always quoted, parts in the order of the schema."""
    header: dict[str, Any] = {
        "gpt": SCHEMA,
        "name": document.name,
        "description": document.description,
        **document.translations,
        "requires": written_requirements(document.requires),
        "params": dict(document.params),
        "inputs": [_input(item) for item in document.inputs],
        "context": _context(document.context),
    }
    lines = [line for key, value in header.items() for line in _lines(key, value)]
    system = f"<!-- [system] -->\n{document.system}\n" if document.system else ""
    head = "\n".join(lines)
    return f"---\n{head}\n---\n{system}<!-- [question] -->\n{document.question}\n"


def _lines(key: str, value: Any) -> list[str]:
    """Mappings and lists of the schema as blocks, what is in them on a line each."""
    if not value:
        return []
    if isinstance(value, dict):
        return [f"{key}:", *(f"  {_pair(*pair)}" for pair in value.items())]
    if not isinstance(value, list):
        return [_pair(key, value)]
    found = [f"{key}:"]
    for item in value:
        first, *more = (_pair(*pair) for pair in item.items())
        found += [f"  - {first}", *(f"    {pair}" for pair in more)]
    return found


def _pair(key: str, value: Any) -> str:
    plain = _PLAIN_KEY.fullmatch(key) and key.lower() not in _NOT_PLAIN
    return f"{key if plain else _flow(key)}: {_flow(value)}"


def _flow(value: Any) -> str:
    """One line of JSON, which is YAML as well."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_ESCAPED)


def written_requirements(requires: Requirements) -> dict[str, Any]:
    """The header's mapping: what is required, and nothing else."""
    found: dict[str, Any] = {
        "context_window": requires.context_window,
        "parameters": requires.parameters,
        "tool_calling": requires.tool_calling,
        "vision": requires.vision,
        "json_output": requires.json_output,
        **dict.fromkeys(requires.unknown_keys, True),
    }
    kept = {
        key: value
        for key, value in found.items()
        if value is not None and value is not False
    }
    if requires.hosting is not Hosting.LAN:
        kept["hosting"] = requires.hosting.value
    return kept


def _input(item: Input) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": item.name,
        "type": item.kind.value,
        "required": item.required,
        "default": item.default,
        "choices": list(item.choices),
        "label": item.label,
        "help": item.help,
        **item.translations,
    }
    return {
        key: value for key, value in found.items() if value not in (None, "", [], False)
    } | ({"default": ""} if item.default == "" else {})


def _context(context: Context) -> dict[str, Any]:
    commands = [
        {"label": command.label, "argv": list(command.argv)}
        for command in context.commands
    ]
    found: dict[str, Any] = {"files": list(context.files), "commands": commands}
    return {key: value for key, value in found.items() if value}

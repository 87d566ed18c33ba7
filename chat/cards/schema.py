"""The form of an answer as a JSON schema, for servers that hold a model to one."""

from __future__ import annotations

from typing import Any

from servers.claims import Claims

# Their documentation names `response_format` with a schema on the chat route, though
# no GET announces it. A server that refuses the parameter is asked once without it.
FAMILIES = frozenset({"llamacpp", "vllm", "sglang", "lmstudio", "ollama"})

_TEXT = {"type": "string"}
_LINES = {"type": "array", "items": _TEXT}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_FUNCTION = _object({"title": _TEXT, "goal": _TEXT, "rules": _LINES, "tests": _LINES})
_CARD = _object(
    {
        "id": _TEXT,
        "title": _TEXT,
        "kind": {"type": "string", "enum": ["core", "optional"]},
        "goal": _TEXT,
        "rules": _LINES,
        "functions": {"type": "array", "items": _FUNCTION},
    }
)
BOARD_ANSWER = _object({"answer": _TEXT, "cards": {"type": "array", "items": _CARD}})


def params_for(schema: dict[str, Any]) -> dict[str, Any]:
    """The request parameter that asks for exactly this form."""
    named = {"name": "answer", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def takes_schema(family: str | None, claims: Claims | None) -> bool:
    """Whether the server is asked for a form: it says so, or its family is known to."""
    announced = claims.json_output.value if claims else None
    return announced is True or (announced is None and family in FAMILIES)

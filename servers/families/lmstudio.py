"""LM Studio: a desktop program that answers every path with 200.

A path it has not is 200 with `Unexpected endpoint or method`, which is its own
sentence. The greeting is the vendor's own probe.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from servers.announced import Entry, over, slots, tokens
from servers.claims import UNKNOWN, Claim, Claims
from servers.entries import entry_claims, list_claims
from servers.evidence import Evidence
from servers.family import Family, Kind, Listing, name_of
from servers.marks import has, mark, says, starts, typed

_V0 = "/api/v0/models"
_V1 = "/api/v1/models"

_NO_ROUTE = says("/", "@json.error", "Unexpected endpoint or method. (GET /)")


_NEW = Listing(_V1, "models", ("key",))
_OLD = Listing(_V0)


def _claims(evidence: Evidence) -> tuple[Claims, ...]:
    """The newest list that answers: 0.4's, 0.3.6's, or OpenAI's."""
    entries = _NEW.entries(evidence)
    if entries:
        named = ((name_of(entry, _NEW.names), entry) for entry in entries)
        return tuple(
            _new(name, Entry(entry, f"GET {_V1}")) for name, entry in named if name
        )
    listed = {name_of(entry): entry for entry in _OLD.entries(evidence) or []}
    if listed:
        found = list_claims(evidence, _OLD)
        return tuple(
            _old(claims, Entry(listed[claims.model], f"GET {_V0}")) for claims in found
        )
    return list_claims(evidence)


def _new(name: str, entry: Entry) -> Claims:
    """What a loaded instance was given is in force; the rest is the model's."""
    running = entry.at("loaded_instances")
    config = _config(running)
    source = f"{entry.request} loaded_instances"
    loaded = Claim(bool(running), source) if isinstance(running, list) else UNKNOWN
    thinks = isinstance(entry.at("capabilities.reasoning"), dict)
    base = replace(
        entry_claims(name, entry),
        context_tokens=tokens(config.get("context_length"), f"{source} context_length"),
        context_trained=entry.tokens("max_context_length"),
    )
    return over(
        base,
        slots=slots(config.get("parallel"), f"{source} parallel"),
        reasoning=_is(thinks, f"{entry.request} capabilities.reasoning"),
        loaded=loaded,
    )


def _is(fact: bool, source: str) -> Claim:
    return Claim(True, source) if fact else UNKNOWN


def _config(running: Any) -> dict[str, Any]:
    """The settings of the first loaded instance."""
    one = running[0] if isinstance(running, list) and running else None
    config = one.get("config") if isinstance(one, dict) else None
    return config if isinstance(config, dict) else {}


def _old(claims: Claims, entry: Entry) -> Claims:
    """A model that is not loaded has no window in force. The capabilities list
    (0.3.16+) says whether the model was trained for tools."""
    base = replace(
        claims,
        context_tokens=entry.tokens("loaded_context_length"),
        context_trained=entry.tokens("max_context_length"),
    )
    return over(base, tools=entry.among("capabilities", "tool_use", whole=True))


FAMILY = Family(
    slug="lmstudio",
    name="LM Studio",
    kind=Kind.LLM,
    ports=(1234,),
    api_root="/v1",
    marks=(
        mark(says("/lmstudio-greeting", "lmstudio", True)),
        mark(_NO_ROUTE, says("/lmstudio-greeting", "lmstudio", True)),
        mark(
            has(_V0, "compatibility_type", "max_context_length", "state", at="data.*")
        ),
        mark(has(_V1, "loaded_instances", "max_context_length", "key", at="models.*")),
        mark(
            starts("/version", "@json.error", "Unexpected endpoint or method. (GET "),
            says("/lmstudio-greeting", "lmstudio", True),
        ),
        mark(_NO_ROUTE, typed("/v1/models", "data", "list")),
        mark(
            says("/v1/models", "error.code", "invalid_api_key", 401),
            starts(
                "/v1/models", "error.message", "An LM Studio API token is required", 401
            ),
        ),
    ),
    source="lmstudio-ai/docs c6854fba, lmstudio-js 6ec11db1 (2026-04 to 08)",
    look_alikes=("lemonade", "mistralrs"),
    claim_paths=(_V1, _V0),
    read_claims=_claims,
)

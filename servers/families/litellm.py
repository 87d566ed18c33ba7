"""LiteLLM: a gateway to other people's models; where a text goes is not known here.

Its `/health` calls every model, so it is never asked. Every list says owned_by
openai with one constant date.
"""

from __future__ import annotations

from servers.announced import Entry, first, merged, over
from servers.claims import UNKNOWN, Claim, Claims
from servers.entries import list_claims
from servers.evidence import Evidence
from servers.family import Family, Kind, Listing, Read, name_of
from servers.marks import has, mark, page, says, starts, titled

_HUB = "/public/model_hub/info"
_ALIVE = says("/health/liveliness", ".", "I'm alive!")


_INFO = "/model/info"
# What /model/info may say better than the list.
_SAID = (
    "context_tokens",
    "tools",
    "vision",
    "audio",
    "json_output",
    "reasoning",
    "embeddings",
    "chat",
)


def _claims(evidence: Evidence) -> tuple[Claims, ...]:
    """`/model/info` (with a key) says more than the list. Of two deployments under one
    name only what both say is known."""
    entries = Listing(_INFO).entries(evidence) or []
    named = [
        (name_of(entry, ("model_name",)), Entry(entry, f"GET {_INFO}"))
        for entry in entries
    ]
    said = {
        claims.model: claims
        for claims in merged(_deployed(name, entry) for name, entry in named if name)
    }
    return tuple(
        _both(claims, said.get(claims.model)) for claims in list_claims(evidence)
    )


def _deployed(name: str, entry: Entry) -> Claims:
    where = "model_info"
    mode = entry.at(f"{where}.mode")
    source = f"{entry.request} {where}.mode"
    known = isinstance(mode, str) and bool(mode)
    return Claims(
        name,
        context_tokens=entry.tokens(f"{where}.max_input_tokens"),
        tools=entry.truth(f"{where}.supports_function_calling"),
        vision=entry.truth(f"{where}.supports_vision"),
        audio=entry.truth(f"{where}.supports_audio_input"),
        json_output=entry.truth(f"{where}.supports_response_schema"),
        reasoning=entry.truth(f"{where}.supports_reasoning"),
        embeddings=Claim(True, source) if mode == "embedding" else UNKNOWN,
        chat=Claim(mode in {"chat", "completion", "responses"}, source)
        if known
        else UNKNOWN,
    )


def _both(listed: Claims, said: Claims | None) -> Claims:
    if said is None:
        return listed
    better = {name: first(getattr(said, name), getattr(listed, name)) for name in _SAID}
    return over(listed, **better)


FAMILY = Family(
    slug="litellm",
    name="LiteLLM",
    kind=Kind.GATEWAY,
    ports=(4000,),
    api_root="/v1",
    marks=(
        mark(titled("LiteLLM API")),
        mark(has(_HUB, "docs_title", "litellm_version")),
        mark(_ALIVE, has("/health/readiness", "status", "db")),
        mark(
            says("/v1/models", "error.type", "auth_error", 401),
            starts("/v1/models", "error.message", "Authentication Error, ", 401),
            # As a text: its own way of writing it.
            says("/v1/models", "error.code", "401", 401),
        ),
        mark(page("/", "LiteLLM API - Swagger UI"), _ALIVE),
        mark(says("/v1/models", "data.*.created", 1677610602), _ALIVE),
        mark(
            page("/", "LiteLLM API - Swagger UI"),
            says("/v1/models", "data.*.created", 1677610602),
        ),
    ),
    source="litellm 1.110.2; 1.108.7 as installed",
    look_alikes=("openai",),
    version=(
        Read(_HUB, "litellm_version"),
        Read("/openapi.json", "info.version"),
        Read("/health/readiness", "litellm_version"),
    ),
    claim_paths=(_INFO,),
    read_claims=_claims,
)

"""LocalAI: many backends behind OpenAI's, Ollama's and Anthropic's routes.

Its own document exists since v4.1.1; before, `/version` as `vX.Y.Z (commit)`, the
bare entries of its list and its sentences must agree with `/readyz`.
"""

from __future__ import annotations

from servers.announced import Entry, over
from servers.claims import UNKNOWN, Claim, Claims
from servers.entries import list_claims
from servers.evidence import Evidence
from servers.family import OPENAI_LIST, Family, Kind, Listing, Read
from servers.marks import either, exactly, has, mark, matches, page, says, typed
from servers.shown import TAGS, model_claims, to_show

_WELL_KNOWN = "/.well-known/localai.json"
_VERSION = r"v\d+\.\d+\.\d+\S* \([0-9a-f]{7,40}\)"
# Zero bytes since v3.8.0, `OK` before. BentoML sends a newline: another body.
_READY = either("/readyz", "@text", "", "OK")

# Its list, with what each model can do (newest builds).
_ABLE = Listing("/v1/models/capabilities")
_WORDS = {
    "tools": "tools",
    "vision": "vision",
    "reasoning": "thinking",
    "embeddings": "embeddings",
    "chat": "chat",
}


def _claims(evidence: Evidence) -> tuple[Claims, ...]:
    """Its own list says everything; the window stands in POST /api/show only."""
    shown = {
        claims.model.removesuffix(":latest"): claims
        for claims in model_claims(evidence)
    }
    able = {
        entry.get("id"): Entry(entry, f"GET {_ABLE.path}")
        for entry in _ABLE.entries(evidence) or []
        if isinstance(entry, dict)
    }
    return tuple(
        over(
            claims,
            **_said(able.get(claims.model)),
            context_tokens=_configured(shown.get(claims.model)),
            loaded=_loaded(evidence, claims.model),
        )
        for claims in list_claims(evidence, OPENAI_LIST)
    )


def _said(entry: Entry | None) -> dict[str, Claim]:
    if entry is None:
        return {}
    return {
        claim: entry.among("capabilities", word, whole=True)
        for claim, word in _WORDS.items()
    }


def _configured(shown: Claims | None) -> Claim:
    """general.context_length is what was configured, so it is in force."""
    return shown.context_trained if shown else UNKNOWN


def _loaded(evidence: Evidence, model: str) -> Claim:
    running = Listing("/system", "loaded_models").models(evidence)
    if running is None:
        return UNKNOWN
    return Claim(model in running, "GET /system loaded_models")


FAMILY = Family(
    slug="localai",
    name="LocalAI",
    kind=Kind.LLM,
    ports=(8080,),
    api_root="/v1",
    marks=(
        mark(page("/", "LocalAI"), typed(_WELL_KNOWN, "endpoints", "object")),
        mark(typed(_WELL_KNOWN, "endpoints", "object"), has(_WELL_KNOWN, "version")),
        mark(
            matches("/version", "version", _VERSION),
            typed(_WELL_KNOWN, "endpoints", "object"),
        ),
        mark(
            exactly("/version", "version"),
            matches("/version", "version", _VERSION),
            says("/readyz", "status", "starting", 503),
        ),
        mark(
            exactly("/version", "version"),
            matches("/version", "version", _VERSION),
            _READY,
        ),
        mark(
            exactly("/v1/models", "id", "object", at="data.*"),
            says("/props", "error.message", "Resource not found", 404),
            _READY,
        ),
        mark(
            says(
                "/v1/models", "error.message", "An authentication key is required", 401
            ),
            says("/v1/models", "error.code", 401, 401),
            _READY,
        ),
    ),
    source="mudler/LocalAI v4.9.0 (82c191af, 2026-08-22)",
    look_alikes=("ollama", "vllm", "bentoml", "any program with a /readyz"),
    version=(Read(_WELL_KNOWN, "version"), Read("/version", "version")),
    loading=(either("/readyz", "status", "starting", status=503),),
    claim_paths=(_ABLE.path, TAGS.path, "/system"),
    read_claims=_claims,
    shows=to_show,
)

"""LocalAI: many backends behind OpenAI's, Ollama's and Anthropic's routes.

Its own document exists since v4.1.1; before, `/version` as `vX.Y.Z (commit)`, the
bare entries of its list and its sentences must agree with `/readyz`.
"""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import either, exactly, has, mark, matches, page, says, typed

_WELL_KNOWN = "/.well-known/localai.json"
_VERSION = r"v\d+\.\d+\.\d+\S* \([0-9a-f]{7,40}\)"
# Zero bytes since v3.8.0, `OK` before. BentoML sends a newline: another body.
_READY = either("/readyz", "@text", "", "OK")

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
)

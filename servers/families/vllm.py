"""vLLM: one model served on GPUs (or CPUs), `/version` open even with a key.

`/version` alone is everybody's. The routers in front of it copy `owned_by` but not
`max_model_len`; Aphrodite, its fork, keeps the 401 and the `/version`.
"""

from __future__ import annotations

from servers.entries import adapted_claims
from servers.family import Family, Kind, Read
from servers.marks import Fact, exactly, has, mark, owned, routes, says, starts, typed

_ROUTERS = (
    has("/engines", "engine_id", "serving_models", at="?"),
    has("/readiness", "total_workers", status=(200, 503)),
    has("/v1/metadata", "version"),
)
_FORKS = (
    has("/api/extra/version", "result"),
    starts("/api/v1/model", "result", "aphrodite/"),
    has("/.well-known/serviceinfo", "software"),
)
_KEYED = (
    exactly("/version", "version"),
    typed("/version", "version", "text"),
    exactly("/v1/models", "error", status=401),
    says("/v1/models", "error", "Unauthorized", 401),
)


FAMILY = Family(
    slug="vllm",
    name="vLLM",
    kind=Kind.LLM,
    ports=(8000,),
    api_root="/v1",
    marks=(
        mark(
            owned("vllm"),
            typed("/v1/models", "data.?.max_model_len", "number"),
            unless=_ROUTERS,
        ),
        mark(
            owned("vllm"),
            starts("/v1/models", "data.?.permission.0.id", "modelperm-"),
            unless=_ROUTERS,
        ),
        mark(
            *_KEYED,
            typed("/load", "server_load", "number"),
            unless=_FORKS + _ROUTERS[:2],
        ),
        mark(*_KEYED, routes("/load", "/version"), unless=_FORKS + _ROUTERS[:2]),
        mark(*_KEYED, routes("/tokenize", "/detokenize"), unless=_FORKS + _ROUTERS[:2]),
    ),
    source="vllm main 017e9f44 (2026-08-17); 0.32.0 as installed",
    look_alikes=("aphrodite", "vllm_router", "nim", "tensorrt_llm", "sglang"),
    version=(Read("/version", "version"),),
    # The engine died behind a listener that still answers.
    loading=(Fact("/health", "@status", "is", 503, None),),
    surface=(exactly("/version", "version"),),
    read_claims=adapted_claims,
)

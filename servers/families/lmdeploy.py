"""LMDeploy: one model; with a key all but `/health` and the docs are one flat 401."""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import either, exactly, mark, owned, page, routes, says

_FLAT = ("message", "type", "code", "param", "object")

FAMILY = Family(
    slug="lmdeploy",
    name="LMDeploy",
    kind=Kind.LLM,
    ports=(23333, 8000),
    api_root="/v1",
    marks=(
        mark(owned("lmdeploy")),
        mark(routes("/distserve/engine_info")),
        mark(
            exactly("/v1/models", *_FLAT, status=401),
            says("/v1/models", "message", "Unauthorized.", 401),
            says("/v1/models", "type", "authentication_error", 401),
            exactly("/version", *_FLAT, status=401),
            page("/docs", "FastAPI - Swagger UI"),
        ),
    ),
    source="InternLM/lmdeploy 1263d5cd (0.16.0)",
    look_alikes=("tabbyapi", "fastchat"),
    loading=(either("/health", "status", "initializing", status=(200, 503)),),
)

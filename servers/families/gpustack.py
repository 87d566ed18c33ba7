"""GPUStack: a cluster manager with OpenAI's routes; always keyed."""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import exactly, has, mark, owned, says, titled

FAMILY = Family(
    slug="gpustack",
    name="GPUStack",
    kind=Kind.LLM,
    ports=(80, 443, 30080),
    api_root="/v1",
    marks=(
        mark(titled("GPUStack")),
        mark(
            exactly("/version", "version", "git_commit"),
            says("/v1/models", "code", 401, 401),
            has("/v1/models", "reason", "message", status=401),
        ),
        mark(
            exactly("/version", "version", "git_commit"),
            says("/readyz", ".", "ok"),
            owned("gpustack"),
        ),
    ),
    source="gpustack/gpustack 47277d79 (v2.2.2+112)",
    look_alikes=("vllm", "localai"),
    version=(Read("/version", "version"), Read("/openapi.json", "info.version")),
)

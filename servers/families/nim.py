"""NVIDIA NIM: other engines in NVIDIA's containers (2.x fronts vLLM)."""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import Fact, has, mark, says, typed

_META = "/v1/metadata"

FAMILY = Family(
    slug="nim",
    name="NVIDIA NIM",
    kind=Kind.LLM,
    ports=(8000,),
    api_root="/v1",
    marks=(
        mark(typed(_META, "modelInfo", "list"), has(_META, "version")),
        mark(has(_META, "assetInfo", "licenseInfo")),
        mark(
            has(_META, "version"),
            says("/v1/health/ready", "object", "health.response", (200, 503)),
        ),
        # 2.x, which shows its engine's list.
        mark(typed(_META, "version", "text"), typed("/v1/models", "data", "entries")),
        mark(typed(_META, "version", "text"), has("/v1/version", "release", "api")),
    ),
    source="NVIDIA's documentation of 1.x and 2.1.6; no source is public",
    look_alikes=("vllm",),
    version=(Read(_META, "version"), Read("/v1/version", "release")),
    loading=(Fact("/v1/health/ready", "@status", "is", 503, None),),
)

"""cortex.cpp, and the versions of Jan (0.5.11 to 0.6.4) that forward to it."""

from __future__ import annotations

from servers.family import Family, Kind, Listing
from servers.marks import has, mark, text, titled

FAMILY = Family(
    slug="cortexcpp",
    name="cortex.cpp",
    kind=Kind.LLM,
    ports=(39281,),
    api_root="/v1",
    marks=(
        mark(titled("Cortex API")),
        mark(text("/healthz", "cortex-cpp is alive!!!")),
        mark(
            has("/v1/models", "engine", "status", at="data.*"),
            text("/healthz", "cortex-cpp is alive!!!"),
        ),
    ),
    source="janhq/cortex.cpp ee9e0ad5 (2025-07-04); the project ended",
    look_alikes=("jan",),
    models=(Listing(names=("id", "model", "name")),),
)

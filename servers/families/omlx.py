"""oMLX: models on a Mac."""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import mark, owned, titled

FAMILY = Family(
    slug="omlx",
    name="oMLX",
    kind=Kind.LLM,
    ports=(8000,),
    api_root="/v1",
    marks=(
        mark(titled("oMLX API")),
        mark(owned("omlx")),
    ),
    source="index copy 01496518",
    look_alikes=("vllm_mlx",),
    version=(Read("/openapi.json", "info.version"), Read("/api/status", "version")),
)

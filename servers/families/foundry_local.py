"""Foundry Local. Paths below `/models/load/` load a model and are never asked."""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import mark, typed

FAMILY = Family(
    slug="foundry_local",
    name="Foundry Local",
    kind=Kind.LLM,
    ports=(5273,),
    api_root="/v1",
    marks=(
        mark(
            typed("/status", "modelCachePath", "text"),
            typed("/status", "endpoints", "list"),
        ),
    ),
    source="microsoft/Foundry-Local 6fb4d06e (sdk_v2)",
    look_alikes=("tensorzero", "xinference"),
)

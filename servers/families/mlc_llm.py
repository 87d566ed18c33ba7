"""MLC-LLM's server."""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import mark, owned, routes

FAMILY = Family(
    slug="mlc_llm",
    name="MLC-LLM",
    kind=Kind.LLM,
    ports=(8000,),
    api_root="/v1",
    marks=(
        mark(owned("MLC-LLM")),
        mark(routes("/microserving/prep_recv")),
    ),
    source="mlc-ai/mlc-llm 79d603f0",
    look_alikes=("nobody",),
)

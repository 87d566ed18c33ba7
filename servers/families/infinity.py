"""Infinity: embeddings and reranking; its list is `/models`, not `/v1/models`."""

from __future__ import annotations

from servers.family import OPENAI_LIST, Family, Kind, Listing, Read
from servers.marks import mark, matches, owned

FAMILY = Family(
    slug="infinity",
    name="Infinity",
    kind=Kind.LLM,
    ports=(7997,),
    api_root="",
    marks=(
        mark(
            matches(
                "/openapi.json",
                "info.title",
                r".*Infinity - Embedding Inference Server",
            )
        ),
        mark(owned("infinity", "/models")),
        mark(owned("infinity"), root="/v1"),
    ),
    source="michaelfeil/infinity fcb951c (0.0.77); 0.0.78 as installed",
    look_alikes=("tei",),
    version=(Read("/openapi.json", "info.version"),),
    models=(Listing("/models"), OPENAI_LIST),
)

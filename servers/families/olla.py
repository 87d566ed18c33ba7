"""Olla: a proxy over Ollama, LM Studio, vLLM and others."""

from __future__ import annotations

from servers.family import Family, Kind, Listing, Read
from servers.marks import has, mark, says

FAMILY = Family(
    slug="olla",
    name="Olla",
    kind=Kind.GATEWAY,
    ports=(40114,),
    api_root="/olla/openai/v1",
    marks=(mark(says("/version", "name", "Olla"), has("/version", "version")),),
    source="thushan/olla 0.0.28",
    look_alikes=("vllm",),
    version=(Read("/version", "version"),),
    models=(Listing("/olla/models"),),
)

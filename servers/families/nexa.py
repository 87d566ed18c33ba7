"""Nexa SDK's server."""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import mark, says, text

FAMILY = Family(
    slug="nexa",
    name="Nexa SDK",
    kind=Kind.LLM,
    ports=(18181,),
    api_root="/v1",
    marks=(
        mark(text("/", "Nexa SDK is running")),
        mark(says("/", ".", "Nexa SDK is running")),
    ),
    source="NexaAI/nexa-sdk 9b0e5e6d",
    look_alikes=("ollama",),
)

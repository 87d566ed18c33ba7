"""OpenAI's own service: named by the host typed, never asked by a scan."""

from __future__ import annotations

from servers.family import Family, Kind

FAMILY = Family(
    slug="openai",
    name="OpenAI",
    kind=Kind.LLM,
    ports=(443,),
    api_root="/v1",
    marks=(),
    source="api.openai.com",
    look_alikes=("every gateway whose list says owned_by openai",),
)

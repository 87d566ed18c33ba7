"""Jan: a desktop program that proxies to its own llama.cpp children.

Its API document is open with a key and under a foreign Host. Versions 0.5.11 to
0.6.4 answer as cortex.cpp; older ones cannot be told.
"""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import mark, titled

FAMILY = Family(
    slug="jan",
    name="Jan",
    kind=Kind.LLM,
    ports=(1337,),
    api_root="/v1",
    marks=(mark(titled("Jan API Server Endpoints")),),
    source="janhq/jan proxy.rs and openapi.json (2025-07 to 2026)",
    look_alikes=("textgen_webui", "cortexcpp"),
)

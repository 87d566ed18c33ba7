"""text-generation-webui (oobabooga): one loaded model, an API when asked for one.

`/openapi.json` stays open with a key. Until 2025-06 the model list was a fixed pair
of OpenAI's names: the real one stands in `/v1/internal/model/info`.
"""

from __future__ import annotations

from servers.family import Family, Kind, Listing
from servers.marks import has, mark, routes, typed

_INFO = "/v1/internal/model/info"

FAMILY = Family(
    slug="textgen_webui",
    name="text-generation-webui",
    kind=Kind.LLM,
    ports=(5000, 7860),
    api_root="/v1",
    marks=(
        mark(typed(_INFO, "model_name", "text"), has(_INFO, "lora_names")),
        mark(routes(_INFO)),
    ),
    source="oobabooga/text-generation-webui 1dcde41d (v4.7.3, 2026-05-03)",
    look_alikes=("jan",),
    models=(Listing(_INFO, "model_name", none=("None",)),),
)

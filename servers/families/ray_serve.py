"""Ray Serve LLM: engines behind Ray's proxy.

Its direct mode shows vLLM's own routes and is named as vLLM.
"""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import has, mark

_META = "data.*.metadata"

FAMILY = Family(
    slug="ray_serve",
    name="Ray Serve LLM",
    kind=Kind.LLM,
    ports=(8000,),
    api_root="/v1",
    marks=(
        mark(has("/v1/models", "model_id", "input_modality", at=_META)),
        mark(
            has("/v1/models", "model_id", "max_request_context_length", at=_META),
        ),
    ),
    source="ray-project/ray, index copy 01624ad4",
    look_alikes=("vllm", "lmstudio (organization_owner)"),
)

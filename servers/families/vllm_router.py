"""The production-stack router of vLLM: passes on to engines it finds."""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import exactly, has, mark, owned

_ENGINES = has("/engines", "engine_id", "serving_models", at="*")

FAMILY = Family(
    slug="vllm_router",
    name="vLLM production-stack router",
    kind=Kind.GATEWAY,
    ports=(8001,),
    api_root="/v1",
    marks=(
        mark(_ENGINES, owned("vllm")),
        mark(_ENGINES, exactly("/version", "version")),
        mark(_ENGINES),
    ),
    source="vllm-project/production-stack a6c01db0 (0.1.12+14)",
    look_alikes=("vllm",),
    version=(Read("/version", "version"),),
)

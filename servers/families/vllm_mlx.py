"""vllm-mlx. A fork (rapid-mlx) keeps its document's title and says its own name."""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import mark, owned, says, titled

_RAPID = (says("/v1/models", "data.?.owned_by", "rapid-mlx"),)

FAMILY = Family(
    slug="vllm_mlx",
    name="vllm-mlx",
    kind=Kind.LLM,
    ports=(8000,),
    api_root="/v1",
    marks=(
        mark(titled("vllm-mlx API"), unless=_RAPID),
        mark(owned("vllm-mlx")),
    ),
    source="vllm-mlx 0.4.1",
    look_alikes=("rapid-mlx", "vllm"),
    version=(Read("/openapi.json", "info.version"),),
)

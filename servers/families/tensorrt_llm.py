"""TensorRT-LLM's server. Its metrics drain queues and are never asked."""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import mark, owned

FAMILY = Family(
    slug="tensorrt_llm",
    name="TensorRT-LLM",
    kind=Kind.LLM,
    ports=(8000,),
    api_root="/v1",
    marks=(mark(owned("tensorrt_llm")),),
    source="NVIDIA/TensorRT-LLM, index copies 00057725 and 0076e939",
    look_alikes=("vllm",),
    version=(Read("/version", "version"),),
)

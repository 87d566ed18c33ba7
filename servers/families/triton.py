"""Triton Inference Server: KServe's protocol.

OpenAI's routes are a process of their own, usually on port 9000.
"""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import Fact, mark, owned, says, typed

FAMILY = Family(
    slug="triton",
    name="Triton Inference Server",
    kind=Kind.LLM,
    ports=(8000, 9000),
    api_root=None,
    marks=(
        mark(says("/v2", "name", "triton"), typed("/v2", "extensions", "list")),
        mark(owned("Triton Inference Server"), root="/v1"),
    ),
    source="triton-inference-server 2.73.0",
    look_alikes=("ovms", "tgi"),
    version=(Read("/v2", "version"),),
    loading=(Fact("/v2/health/ready", "@status", "in", (400, 503), None),),
)

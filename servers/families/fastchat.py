"""FastChat's API server. Its controller and workers serve no chat and are not named."""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import mark, owned, routes

FAMILY = Family(
    slug="fastchat",
    name="FastChat",
    kind=Kind.LLM,
    ports=(8000, 21001),
    api_root="/v1",
    marks=(
        mark(owned("fastchat")),
        mark(routes("/api/v1/token_check")),
    ),
    source="lm-sys/FastChat 0e6d3e4b (0.2.36)",
    look_alikes=("vllm", "lmdeploy"),
)

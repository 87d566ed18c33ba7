"""AnythingLLM: a chat page with documents. Its `/api/env-dump` is never asked."""

from __future__ import annotations

from servers.family import Family, Kind, Listing
from servers.marks import has, mark, says, starts

_SETUP = "/api/setup-complete"

FAMILY = Family(
    slug="anythingllm",
    name="AnythingLLM",
    kind=Kind.CHAT_UI,
    ports=(3001,),
    api_root="/api/v1/openai",
    marks=(
        mark(has(_SETUP, "RequiresAuth", "LLMProvider", "VectorDB", at="results")),
        mark(
            starts("/", "@title", "AnythingLLM"),
            has(_SETUP, "LLMProvider", at="results"),
        ),
        mark(starts("/", "@title", "AnythingLLM"), says("/api/ping", "online", True)),
    ),
    source="Mintplex-Labs/anything-llm 1.16.0",
    look_alikes=("any single-page application",),
    models=(Listing("/api/v1/openai/models"),),
)

"""GPT4All: a desktop program that serves its models to its own machine."""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import mark, owned, says, typed

_CHAT = "/v1/chat/completions"

FAMILY = Family(
    slug="gpt4all",
    name="GPT4All",
    kind=Kind.LLM,
    ports=(4891,),
    api_root="/v1",
    marks=(
        mark(owned("humanity")),
        mark(
            typed("/v1/models", "data", "nothing"),
            says(_CHAT, "error.code", "method_not_supported", 405),
            says(_CHAT, "error.message", "Only POST requests are accepted.", 405),
        ),
    ),
    source="nomic-ai/gpt4all cd70db29 (v3.10.0, 2025-02-24)",
    look_alikes=("nobody",),
)

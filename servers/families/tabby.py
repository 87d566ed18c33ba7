"""Tabby: completion for editors, with a chat. The default build hides `/v1/health`."""

from __future__ import annotations

from servers.family import Family, Kind, Listing, Read
from servers.marks import has, mark, says

_HEALTH = "/v1/health"
_DOC = "/api-docs/openapi.json"

FAMILY = Family(
    slug="tabby",
    name="Tabby",
    kind=Kind.LLM,
    ports=(8080,),
    api_root="/v1",
    marks=(
        mark(says(_DOC, "info.title", "Tabby Server")),
        mark(
            has(_HEALTH, "git_describe", at="version"), has(_HEALTH, "device", "arch")
        ),
    ),
    source="TabbyML/tabby 21b29048 (0.33.0-dev)",
    look_alikes=("tabbyapi (only the name)", "llamacpp (/v1/health)"),
    version=(Read(_HEALTH, "version.git_describe"), Read(_DOC, "info.version")),
    models=(Listing(_HEALTH, "chat_model"),),
)

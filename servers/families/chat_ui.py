"""Hugging Face's chat-ui: a chat page."""

from __future__ import annotations

from servers.family import Family, Kind, Listing
from servers.marks import has, mark

_CONFIG = "/api/v2/public-config"

FAMILY = Family(
    slug="chat_ui",
    name="chat-ui",
    kind=Kind.CHAT_UI,
    ports=(3000,),
    api_root=None,
    marks=(
        mark(has(_CONFIG, "PUBLIC_APP_NAME", "PUBLIC_APP_ASSETS", at="json")),
        mark(has(_CONFIG, "PUBLIC_APP_NAME", "PUBLIC_ORIGIN", at="json")),
    ),
    source="huggingface/chat-ui 0.20.0",
    look_alikes=("nobody",),
    models=(Listing("/api/models", ""),),
)

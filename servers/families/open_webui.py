"""Open WebUI: a chat page over other servers, with an API of its own.

Answers 200 and its page for any path it has not. `deployment_id` stands in
`/api/version` (since about 0.6.37), not in `/api/config`.
"""

from __future__ import annotations

from servers.family import Family, Kind, Listing, Read
from servers.marks import has, mark, matches, says, typed

# WEBUI_NAME other than the default gets the product's name as a suffix.
_NAME = matches("/api/config", "name", r"Open WebUI|.+ \(Open WebUI\)")
_CONFIG = (
    says("/api/config", "status", True),
    _NAME,
    typed("/api/config", "version", "text"),
)

FAMILY = Family(
    slug="open_webui",
    name="Open WebUI",
    kind=Kind.CHAT_UI,
    ports=(8080, 3000),
    api_root="/api",
    marks=(
        mark(*_CONFIG, typed("/api/config", "features", "object")),
        mark(*_CONFIG, has("/api/config", "default_models")),
        mark(has("/api/version", "version", "deployment_id")),
    ),
    source="open-webui 0.10.1 (2026-06-29) and 0.12.4 as installed",
    look_alikes=("librechat", "bifrost", "any single-page application"),
    version=(Read("/api/config", "version"), Read("/api/version", "version")),
    models=(Listing("/api/v1/models"),),
)

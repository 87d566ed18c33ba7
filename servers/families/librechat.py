"""LibreChat: a chat page; no API of OpenAI's shape."""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import has, mark

_CONFIG = "/api/config"

FAMILY = Family(
    slug="librechat",
    name="LibreChat",
    kind=Kind.CHAT_UI,
    ports=(3080,),
    api_root=None,
    marks=(
        mark(has(_CONFIG, "appTitle", "serverDomain", "openidLabel")),
        mark(has(_CONFIG, "serverDomain", "openidLabel", "socialLogins")),
        mark(has(_CONFIG, "appTitle", "serverDomain", "emailLoginEnabled")),
    ),
    source="danny-avila/LibreChat, index copy 00450b59",
    look_alikes=("open_webui", "bifrost"),
    version=(Read(_CONFIG, "buildInfo.commit"),),
    models=(),
)

"""Bifrost: a gateway. With its dashboard behind a login nothing open names it.

`/health` would, but is not asked of a server that has no name yet.
"""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import has, mark

FAMILY = Family(
    slug="bifrost",
    name="Bifrost",
    kind=Kind.GATEWAY,
    ports=(8080,),
    api_root="/v1",
    marks=(
        mark(
            has("/api/config", "client_config", "framework_config", "is_db_connected")
        ),
    ),
    source="maximhq/bifrost, index copy",
    look_alikes=("open_webui", "librechat"),
    version=(Read("/api/version", "."),),
)

"""New API: a descendant of One API."""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import has, mark, says

_STATUS = "/api/status"

FAMILY = Family(
    slug="new_api",
    name="New API",
    kind=Kind.GATEWAY,
    ports=(3000,),
    api_root="/v1",
    marks=(
        mark(
            has(
                _STATUS,
                "system_name",
                "self_use_mode_enabled",
                "quota_per_unit",
                at="data",
            )
        ),
        mark(
            has(
                _STATUS,
                "system_name",
                "quota_display_type",
                "quota_per_unit",
                at="data",
            )
        ),
        mark(has(_STATUS, "system_name", "HeaderNavModules", at="data")),
        mark(
            says("/v1/models", "error.type", "new_api_error", 401),
            has(_STATUS, "system_name", at="data"),
        ),
    ),
    source="QuantumNous/new-api, index copy 002f9122",
    look_alikes=("one_api",),
    version=(Read(_STATUS, "data.version"),),
)

"""One API: a gateway with accounts and quotas."""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import has, lacks, mark, says

_STATUS = "/api/status"
# New API, its descendant, has all of One API's keys and these.
_NEW = ("self_use_mode_enabled", "quota_display_type", "HeaderNavModules")

FAMILY = Family(
    slug="one_api",
    name="One API",
    kind=Kind.GATEWAY,
    ports=(3000,),
    api_root="/v1",
    marks=(
        mark(
            has(_STATUS, "system_name", "quota_per_unit", "lark_client_id", at="data"),
            lacks(_STATUS, *_NEW, at="data"),
        ),
        mark(
            says("/v1/models", "error.type", "one_api_error", 401),
            has(_STATUS, "system_name", at="data"),
            lacks(_STATUS, *_NEW, at="data"),
        ),
    ),
    source="songquanpeng/one-api 0.6.11",
    look_alikes=("new_api",),
    version=(Read(_STATUS, "data.version"),),
)

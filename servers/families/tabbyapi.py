"""TabbyAPI: ExLlama models behind OpenAI's and Kobold's routes.

Named only by its own bodies: a 401 on `/v1/model` is anybody's. A key is on by
default.
"""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import either, mark, owned, says, titled

_INFO = "/.well-known/serviceinfo"

FAMILY = Family(
    slug="tabbyapi",
    name="TabbyAPI",
    kind=Kind.LLM,
    ports=(5000,),
    api_root="/v1",
    marks=(
        mark(says(_INFO, "software.name", "TabbyAPI")),
        mark(titled("TabbyAPI")),
        mark(owned("tabbyAPI")),
    ),
    source="theroyallab/tabbyAPI e632af41 (2026-08-13)",
    look_alikes=("koboldcpp", "aphrodite"),
    # No model loaded is 503 since 2025-04-25, 400 before.
    empty=(
        either(
            "/v1/model",
            "detail",
            "No models are currently loaded.",
            status=(400, 503),
        ),
    ),
)

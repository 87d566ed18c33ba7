"""SillyTavern: a chat page; refuses other hosts by default."""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import has, mark, starts

FAMILY = Family(
    slug="sillytavern",
    name="SillyTavern",
    kind=Kind.CHAT_UI,
    ports=(8000,),
    api_root=None,
    marks=(
        mark(
            starts("/version", "agent", "SillyTavern:"), has("/version", "pkgVersion")
        ),
    ),
    source="SillyTavern/SillyTavern 1.12.6 (2024-09)",
    look_alikes=("vllm (/version)",),
    version=(Read("/version", "pkgVersion"),),
    models=(),
)

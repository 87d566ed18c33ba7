"""Portkey's AI Gateway: keeps nothing, needs its own headers to pass a text on."""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import mark, starts, text

FAMILY = Family(
    slug="portkey",
    name="Portkey AI Gateway",
    kind=Kind.GATEWAY,
    ports=(8787,),
    api_root="/v1",
    marks=(
        mark(text("/", "AI Gateway says hey!")),
        mark(
            starts(
                "/v1/models",
                "message",
                "Either x-portkey-config or x-portkey-provider header is required",
                400,
            )
        ),
    ),
    source="Portkey-AI/gateway 1.15.2",
    look_alikes=("nobody",),
    models=(),
)

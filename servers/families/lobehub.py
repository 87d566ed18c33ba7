"""LobeHub, LobeChat before: a chat page, told by its manifest's id."""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import either, mark

FAMILY = Family(
    slug="lobehub",
    name="LobeHub",
    kind=Kind.CHAT_UI,
    ports=(3210,),
    api_root=None,
    marks=(mark(either("/manifest.webmanifest", "id", "lobe-hub", "lobe-chat")),),
    source="lobehub/lobehub, index copy 0b3dec65",
    look_alikes=("nobody",),
    models=(),
)

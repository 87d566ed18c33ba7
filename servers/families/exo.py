"""exo: one model over several machines; the list is its whole catalogue."""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import has, mark, owned, starts

FAMILY = Family(
    slug="exo",
    name="exo",
    kind=Kind.LLM,
    ports=(52415,),
    api_root="/v1",
    marks=(
        mark(owned("exo")),
        mark(starts("/node_id", ".", "12D3Koo"), has("/state", "instances")),
    ),
    source="exo-explore/exo b5375f8c (v1.0.71, 2026-06-22)",
    look_alikes=("ollama (only under /ollama/)",),
)

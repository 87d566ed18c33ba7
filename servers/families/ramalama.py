"""RamaLama's daemon. `ramalama serve` is the engine itself and is named as that."""

from __future__ import annotations

from servers.family import Family, Kind, Listing
from servers.marks import has, mark

FAMILY = Family(
    slug="ramalama",
    name="RamaLama",
    kind=Kind.LLM,
    ports=(8080,),
    api_root=None,
    marks=(
        mark(has("/api/tags", "organization", "source", "is_partial", at="models.*")),
    ),
    source="containers/ramalama 8bc1f0a3 (0.24.0)",
    look_alikes=("ollama",),
    models=(Listing("/api/tags", "models", ("name", "model")),),
)

"""BentoML (and OpenLLM): somebody's own service, maybe with an LLM in it.

A newline at `/readyz` is half of the mark, and what tells it from LocalAI.
"""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import mark, page, says, text

FAMILY = Family(
    slug="bentoml",
    name="BentoML",
    kind=Kind.LLM,
    ports=(3000,),
    api_root=None,
    marks=(
        mark(says("/docs.json", "info.contact.name", "BentoML Team")),
        mark(page("/", "BentoML Prediction Service"), text("/readyz", "\n")),
    ),
    source="bentoml/BentoML 32230a52 (1.4.38); 1.4.40 as installed",
    look_alikes=("localai", "vllm (OpenLLM mounts its routes)"),
)

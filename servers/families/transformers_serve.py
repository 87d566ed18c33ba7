"""`transformers serve`: no key, no version; told by its document's routes."""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import exactly, header, mark, routes

FAMILY = Family(
    slug="transformers_serve",
    name="transformers serve",
    kind=Kind.LLM,
    ports=(8000,),
    api_root="/v1",
    marks=(
        mark(routes("/load_model", "/reset")),
        mark(
            exactly(
                "/v1/models",
                "owned_by",
                "id",
                "object",
                "created",
                "status",
                at="data.*",
            ),
            exactly("/v1/models", "value", at="data.*.status"),
            header("/v1/models", "server", "uvicorn"),
        ),
    ),
    source="transformers 5.24.0",
    look_alikes=("llamacpp (a router also says status.value)",),
)

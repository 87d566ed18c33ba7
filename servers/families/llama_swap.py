"""llama-swap: starts and stops other servers behind one list.

Asking below `/upstream/` starts a model: never asked. Errors carry `src`.
"""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import exactly, mark, says, starts, typed

_TRIO = exactly("/api/version", "version", "commit", "build_date")

FAMILY = Family(
    slug="llama_swap",
    name="llama-swap",
    kind=Kind.GATEWAY,
    ports=(8080, 8443),
    api_root="/v1",
    marks=(
        mark(starts("/v1/models", "data.?.owned_by", "llama-swap")),
        mark(says("/v1/models", "src", "llama-swap", 401)),
        mark(says("/props", "src", "llama-swap", (400, 401, 404))),
        mark(_TRIO, typed("/running", "running", "list")),
    ),
    source="mostlygeek/llama-swap 0bdb3720 (v250+5)",
    look_alikes=("llamacpp", "ollama"),
    version=(Read("/api/version", "version"),),
)

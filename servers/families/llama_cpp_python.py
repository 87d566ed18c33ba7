"""llama-cpp-python's server: its document keeps its name with a key too."""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import exactly, mark, owned, titled

FAMILY = Family(
    slug="llama_cpp_python",
    name="llama-cpp-python",
    kind=Kind.LLM,
    ports=(8000,),
    api_root="/v1",
    marks=(
        mark(titled("\N{LLAMA} llama.cpp Python API")),
        # "me" is anybody's; `permissions` without `created` is not.
        mark(
            owned("me"),
            exactly(
                "/v1/models", "id", "object", "owned_by", "permissions", at="data.*"
            ),
        ),
    ),
    source="abetlen/llama-cpp-python 3691546f (0.3.35); 0.3.36 as installed",
    look_alikes=("any program whose list says owned_by me",),
    version=(Read("/openapi.json", "info.version"),),
)

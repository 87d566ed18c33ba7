"""KoboldCpp: one model, and the routes of half a dozen other programs.

TabbyAPI and Aphrodite answer its `/api/extra/version` with two keys; the real one
has said `protected` since 1.70, and its own name in the model's.
"""

from __future__ import annotations

from servers.family import Family, Kind, Listing, Read
from servers.marks import has, mark, owned, says, starts

_EXTRA = "/api/extra/version"
_INFO = "/.well-known/serviceinfo"

FAMILY = Family(
    slug="koboldcpp",
    name="KoboldCpp",
    kind=Kind.LLM,
    ports=(5001,),
    api_root="/v1",
    marks=(
        mark(says(_INFO, "software.name", "KoboldCpp")),
        mark(says(_EXTRA, "result", "KoboldCpp"), has(_EXTRA, "version", "protected")),
        mark(owned("koboldcpp")),
        mark(
            says(_EXTRA, "result", "KoboldCpp"),
            starts("/api/v1/model", "result", "koboldcpp/"),
        ),
    ),
    source="LostRuins/koboldcpp 1.76, rocm 1.104, esobold 1.115.1",
    look_alikes=("tabbyapi", "aphrodite", "ollama", "comfyui", "llamacpp"),
    version=(Read(_EXTRA, "version"), Read(_INFO, "software.version")),
    models=(
        Listing(none=("inactive", "koboldcpp/inactive")),
        Listing("/api/v1/model", "result", none=("inactive",)),
    ),
    auth=(says(_EXTRA, "protected", True),),
    surface=(says(_EXTRA, "result", "KoboldCpp"),),
)

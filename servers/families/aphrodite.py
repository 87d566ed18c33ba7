"""Aphrodite Engine: a fork of vLLM that also says it is KoboldCpp 1.63."""

from __future__ import annotations

from servers.entries import adapted_claims
from servers.family import Family, Kind, Read
from servers.marks import mark, owned, says, starts

_INFO = "/.well-known/serviceinfo"


FAMILY = Family(
    slug="aphrodite",
    name="Aphrodite Engine",
    kind=Kind.LLM,
    ports=(2242,),
    api_root="/v1",
    marks=(
        mark(starts("/api/v1/model", "result", "aphrodite/")),
        mark(owned("aphrodite")),
        mark(says(_INFO, "software.name", "Aphrodite Engine")),
    ),
    source="aphrodite-engine b42eeec2 (v0.20.0+27); service info up to v0.10.0",
    look_alikes=("koboldcpp", "vllm", "tabbyapi"),
    version=(Read("/version", "version"), Read(_INFO, "software.version")),
    read_claims=adapted_claims,
)

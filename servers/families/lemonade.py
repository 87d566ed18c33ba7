"""Lemonade Server: several engines behind one door, and pages on every other path."""

from __future__ import annotations

from servers.announced import over
from servers.claims import UNKNOWN, Claim, Claims
from servers.entries import list_claims
from servers.evidence import Evidence
from servers.family import Family, Kind, Listing, Read
from servers.marks import either, has, mark, owned, says

_HEALTH = "/api/v1/health"


def _claims(evidence: Evidence) -> tuple[Claims, ...]:
    running = Listing(_HEALTH, "all_models_loaded", ("model_name",)).models(evidence)
    source = f"GET {_HEALTH} all_models_loaded"
    return tuple(
        over(
            claims,
            loaded=UNKNOWN
            if running is None
            else Claim(claims.model in running, source),
        )
        for claims in list_claims(evidence)
    )


FAMILY = Family(
    slug="lemonade",
    name="Lemonade",
    kind=Kind.LLM,
    ports=(13305, 8000),
    api_root="/api/v1",
    marks=(
        mark(owned("lemonade")),
        mark(has(_HEALTH, "status", "model_loaded", "all_models_loaded")),
        mark(
            either("/", "@title", "Lemonade App", "Lemonade Server"),
            has(_HEALTH, "status", "model_loaded"),
        ),
        mark(
            either("/", "@title", "Lemonade App", "Lemonade Server"),
            says("/v1/models", "error", "Invalid or missing API key", 401),
        ),
    ),
    source="lemonade-sdk/lemonade e385039e (v11.7.0+32)",
    look_alikes=("ollama", "lmstudio", "tabbyapi"),
    version=(Read(_HEALTH, "version"),),
    claim_paths=(_HEALTH,),
    read_claims=_claims,
)

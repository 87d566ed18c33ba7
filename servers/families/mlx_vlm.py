"""mlx-vlm's server: says its name and version in a header of every answer."""

from __future__ import annotations

from servers.announced import Entry, over
from servers.claims import UNKNOWN, Claim, Claims
from servers.entries import list_claims
from servers.evidence import Evidence
from servers.family import Family, Kind, Listing, Read
from servers.manners import HEALTH
from servers.marks import header, mark, titled

_SERVER = r"mlx_vlm/(\S+)"


def _claims(evidence: Evidence) -> tuple[Claims, ...]:
    """`/health` speaks of the loaded model only."""
    health = Entry(evidence.json(HEALTH), f"GET {HEALTH}")
    loaded = Listing(HEALTH, "loaded_models").models(evidence) or ()
    parser = health.word("loaded_tool_parser")
    return tuple(
        over(
            claims,
            context_tokens=health.tokens("effective_context_limit"),
            tools=Claim(True, parser.source) if parser.known else UNKNOWN,
            loaded=Claim(True, f"GET {HEALTH} loaded_models"),
        )
        if claims.model in loaded
        else claims
        for claims in list_claims(evidence)
    )


FAMILY = Family(
    slug="mlx_vlm",
    name="mlx-vlm",
    kind=Kind.LLM,
    ports=(8080,),
    api_root="/v1",
    marks=(
        mark(header("/v1/models", "server", _SERVER)),
        mark(titled("MLX-VLM Inference API")),
    ),
    source="mlx-vlm 0.6.15",
    look_alikes=("mlx_lm",),
    version=(
        Read("/v1/models", "@header.server", _SERVER),
        Read("/openapi.json", "info.version"),
    ),
    claim_paths=(HEALTH,),
    read_claims=_claims,
)

"""exo: one model over several machines; the list is its whole catalogue."""

from __future__ import annotations

from servers.announced import Entry, over
from servers.claims import UNKNOWN, Claim, Claims
from servers.entries import list_claims
from servers.evidence import Evidence
from servers.family import Family, Kind, Listing, name_of
from servers.marks import has, mark, owned, page, starts

_PS = "/ollama/api/ps"


def _claims(evidence: Evidence) -> tuple[Claims, ...]:
    """The list is a catalogue; what runs stands in its Ollama route."""
    running = Listing(_PS, "models", ("name", "model")).models(evidence)
    dialects = {
        name_of(entry): Entry(entry, "").at("reasoning_dialect")
        for entry in FAMILY.models[0].entries(evidence) or []
    }
    return tuple(
        over(
            claims,
            loaded=UNKNOWN
            if running is None
            else Claim(claims.model in running, f"GET {_PS}"),
            reasoning=_thinks(dialects.get(claims.model)),
        )
        for claims in list_claims(evidence)
    )


def _thinks(dialect: object) -> Claim:
    if not isinstance(dialect, str) or not dialect:
        return UNKNOWN
    return Claim(dialect != "none", "GET /v1/models reasoning_dialect")


FAMILY = Family(
    slug="exo",
    name="exo",
    kind=Kind.LLM,
    ports=(52415,),
    api_root="/v1",
    marks=(
        mark(owned("exo")),
        mark(page("/", "EXO"), starts("/node_id", ".", "12D3Koo")),
        mark(starts("/node_id", ".", "12D3Koo"), has("/state", "instances")),
    ),
    source="exo-explore/exo b5375f8c (v1.0.71, 2026-06-22)",
    look_alikes=("ollama (only under /ollama/)",),
    claim_paths=(_PS,),
    read_claims=_claims,
)

"""Text Generation Inference: one model; a key guards only its POST routes."""

from __future__ import annotations

from servers.announced import Entry, over
from servers.claims import Claims
from servers.entries import list_claims
from servers.evidence import Evidence
from servers.family import OPENAI_LIST, Family, Kind, Listing, Read
from servers.marks import Fact, blank, has, mark, says, starts

_DOC = "/api-doc/openapi.json"
_TITLE = "Text Generation Inference"


def _claims(evidence: Evidence) -> tuple[Claims, ...]:
    info = Entry(evidence.json("/info"), "GET /info")
    listing = (
        OPENAI_LIST if OPENAI_LIST.models(evidence) else Listing("/info", "model_id")
    )
    return tuple(
        over(claims, context_tokens=info.tokens("max_total_tokens"))
        for claims in list_claims(evidence, listing)
    )


FAMILY = Family(
    slug="tgi",
    name="Text Generation Inference",
    kind=Kind.LLM,
    ports=(3000, 80),
    api_root="/v1",
    marks=(
        mark(
            starts("/info", "router", "text-generation-router"),
            has("/info", "model_id"),
        ),
        # Before v2.0.4 it did not say `router`.
        mark(
            has(
                "/info",
                "model_id",
                "max_total_tokens",
                "max_best_of",
                "validation_workers",
            )
        ),
        mark(blank("/"), says(_DOC, "info.title", _TITLE)),
        mark(says(_DOC, "info.title", _TITLE)),
    ),
    source="huggingface/text-generation-inference db931fcf (v3.3.7)",
    look_alikes=("tei",),
    version=(Read("/info", "version"), Read(_DOC, "info.version")),
    models=(OPENAI_LIST, Listing("/info", "model_id")),
    loading=(Fact("/health", "@status", "is", 503, None),),
    claim_paths=("/info",),
    read_claims=_claims,
)

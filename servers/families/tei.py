"""Text Embeddings Inference: vectors only; with a key `/info` is an empty 401."""

from __future__ import annotations

from servers.announced import Entry, over
from servers.claims import Claim, Claims
from servers.entries import list_claims
from servers.evidence import Evidence
from servers.family import Family, Kind, Listing, Read
from servers.marks import blank, has, mark, says, typed

_DOC = "/api-doc/openapi.json"
_TITLE = "Text Embeddings Inference"


def _claims(evidence: Evidence) -> tuple[Claims, ...]:
    """Vectors, scores or classes: nothing to chat with."""
    info = Entry(evidence.json("/info"), "GET /info")
    kinds = info.at("model_type")
    embeds = isinstance(kinds, dict) and "embedding" in kinds
    return tuple(
        over(
            claims,
            context_tokens=info.tokens("max_input_length"),
            embeddings=Claim(embeds, "GET /info model_type"),
            chat=Claim(False, "GET /info model_type"),
        )
        for claims in list_claims(evidence, Listing("/info", "model_id"))
    )


FAMILY = Family(
    slug="tei",
    name="Text Embeddings Inference",
    kind=Kind.LLM,
    ports=(3000, 80),
    api_root="/v1",
    marks=(
        mark(
            typed("/info", "model_type", "object"),
            has("/info", "model_id", "max_batch_tokens", "max_input_length"),
        ),
        mark(blank("/"), says(_DOC, "info.title", _TITLE)),
        mark(says(_DOC, "info.title", _TITLE)),
    ),
    source="huggingface/text-embeddings-inference 0d124dc (1.9.3)",
    look_alikes=("tgi",),
    version=(Read("/info", "version"), Read(_DOC, "info.version")),
    models=(Listing("/info", "model_id"),),
    claim_paths=("/info",),
    read_claims=_claims,
)

"""KoboldCpp: one model, and the routes of half a dozen other programs.

TabbyAPI and Aphrodite answer its `/api/extra/version` with two keys; the real one
has said `protected` since 1.70, and its own name in the model's.
"""

from __future__ import annotations

from servers.announced import Entry, over
from servers.claims import Claims
from servers.entries import list_claims
from servers.evidence import Evidence
from servers.family import Family, Kind, Listing, Read
from servers.marks import has, mark, owned, says, starts

_EXTRA = "/api/extra/version"
_INFO = "/.well-known/serviceinfo"
_CONTEXT = "/api/extra/true_max_context_length"


def _claims(evidence: Evidence) -> tuple[Claims, ...]:
    """One model. The size and quantization of its `/api/tags` are made up."""
    context = Entry(evidence.json(_CONTEXT), f"GET {_CONTEXT}")
    extra = Entry(evidence.json(_EXTRA), f"GET {_EXTRA}")
    props = Entry(evidence.json("/props"), "GET /props")
    listing = next(
        (at for at in FAMILY.models if at.models(evidence) is not None), None
    )
    return tuple(
        over(
            claims,
            context_tokens=context.tokens("value"),
            slots=props.slots("total_slots"),
            vision=extra.truth("vision"),
            audio=extra.truth("audio"),
            embeddings=extra.truth("embeddings"),
            loaded=extra.truth("llm"),
            chat=extra.truth("llm"),
        )
        for claims in (list_claims(evidence, listing) if listing else ())
    )


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
    claim_paths=(_CONTEXT, _EXTRA, "/props"),
    read_claims=_claims,
)

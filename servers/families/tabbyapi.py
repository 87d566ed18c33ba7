"""TabbyAPI: ExLlama models behind OpenAI's and Kobold's routes.

Named only by its own bodies: a 401 on `/v1/model` is anybody's. A key is on by
default.
"""

from __future__ import annotations

from servers.announced import Entry, over
from servers.bodies import printable
from servers.claims import Claim, Claims
from servers.entries import list_claims
from servers.evidence import Evidence
from servers.family import Family, Kind
from servers.marks import either, mark, owned, says, titled

_INFO = "/.well-known/serviceinfo"
_MODEL = "/v1/model"


def _claims(evidence: Evidence) -> tuple[Claims, ...]:
    """`/v1/model` is the loaded one; the list may hold others."""
    model = Entry(evidence.json(_MODEL), f"GET {_MODEL}")
    found = {claims.model: claims for claims in list_claims(evidence)}
    loaded = printable(model.at("id"))
    if loaded:
        found[loaded] = over(
            found.get(loaded, Claims(loaded)),
            context_tokens=model.tokens("parameters.max_seq_len"),
            slots=model.slots("parameters.max_batch_size"),
            vision=model.truth("parameters.use_vision"),
            loaded=Claim(True, f"GET {_MODEL}"),
        )
    return tuple(found.values())


FAMILY = Family(
    slug="tabbyapi",
    name="TabbyAPI",
    kind=Kind.LLM,
    ports=(5000,),
    api_root="/v1",
    marks=(
        mark(says(_INFO, "software.name", "TabbyAPI")),
        mark(titled("TabbyAPI")),
        mark(owned("tabbyAPI")),
    ),
    source="theroyallab/tabbyAPI e632af41 (2026-08-13)",
    look_alikes=("koboldcpp", "aphrodite"),
    # No model loaded is 503 since 2025-04-25, 400 before.
    empty=(
        either(
            _MODEL,
            "detail",
            "No models are currently loaded.",
            status=(400, 503),
        ),
    ),
    claim_paths=(_MODEL,),
    read_claims=_claims,
)

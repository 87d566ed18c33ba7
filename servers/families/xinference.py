"""Xinference: a cluster that runs models of many kinds; keyed by default since 4.x."""

from __future__ import annotations

from servers.announced import Entry, over
from servers.claims import Claim, Claims
from servers.entries import list_claims
from servers.evidence import Evidence
from servers.family import OPENAI_LIST, Family, Kind, Read, name_of
from servers.marks import either, exactly, has, mark, matches, owned, page, says, typed

_ADDRESS = matches("/v1/address", ".", r"\S+:\d+")


def _claims(evidence: Evidence) -> tuple[Claims, ...]:
    """`model_ability` is the whole list of what a running model can do."""
    entries = {name_of(entry): entry for entry in OPENAI_LIST.entries(evidence) or []}
    return tuple(
        over(claims, **_able(Entry(entries.get(claims.model), "GET /v1/models")))
        for claims in list_claims(evidence)
    )


def _able(entry: Entry) -> dict[str, Claim]:
    if not entry.words("model_ability"):
        return {}
    ability = "model_ability"
    return {
        "tools": entry.among(ability, "tools", whole=True),
        "vision": entry.among(ability, "vision", whole=True),
        "audio": entry.among(ability, "audio", whole=True),
        "reasoning": entry.among(ability, "reasoning", whole=True),
        "chat": entry.among(ability, "chat", "generate", whole=True),
    }


FAMILY = Family(
    slug="xinference",
    name="Xinference",
    kind=Kind.LLM,
    ports=(9997,),
    api_root="/v1",
    marks=(
        mark(
            exactly("/v1/cluster/auth", "auth"),
            typed("/v1/cluster/auth", "auth", "truth"),
        ),
        mark(owned("xinference")),
        mark(
            _ADDRESS,
            says("/v1/models", "detail", "Could not validate credentials", (401, 403)),
        ),
        mark(
            _ADDRESS,
            either("/v1/cluster/info", "*.node_type", "Supervisor", "Worker"),
        ),
        mark(_ADDRESS, has("/v1/cluster/version", "version", "full-revisionid")),
        mark(_ADDRESS, page("/", "Xinference")),
    ),
    source="xorbitsai/inference 7ecec16b (v3.2.0+61); 4.1.0 as installed",
    look_alikes=("sd_webui",),
    version=(Read("/v1/cluster/version", "version"),),
    read_claims=_claims,
)

"""SGLang: one model on GPUs. Its `/health` generates a token and is never asked.

With a key every path is 401 but `/ready` (and `/health`, `/metrics`, not asked).
Older copies lack `/model_info`. Its router copies `owned_by`.
"""

from __future__ import annotations

from servers.announced import Entry, over
from servers.claims import UNKNOWN, Claim, Claims
from servers.entries import list_claims
from servers.evidence import Evidence
from servers.family import Family, Kind, Read
from servers.marks import (
    Fact,
    blank,
    exactly,
    has,
    header,
    mark,
    owned,
    says,
    text,
    typed,
)

_ROUTER = (has("/readiness", "total_workers", status=(200, 503)),)
_UNAUTHORIZED = tuple(
    says(path, "error", "Unauthorized", 401)
    for path in ("/", "/v1/models", "/version", "/model_info")
)


def _claims(evidence: Evidence) -> tuple[Claims, ...]:
    info = Entry(evidence.json("/model_info"), "GET /model_info")
    server = Entry(evidence.json("/server_info"), "GET /server_info")
    makes = info.truth("is_generation")
    return tuple(
        over(
            claims,
            tools=_parses(info, "tool_call_parser"),
            reasoning=_parses(info, "reasoning_parser"),
            vision=info.truth("has_image_understanding"),
            audio=info.truth("has_audio_understanding"),
            embeddings=Claim(True, makes.source) if makes.value is False else UNKNOWN,
            chat=makes,
            slots=server.slots("max_running_requests"),
        )
        for claims in list_claims(evidence)
    )


def _parses(info: Entry, field: str) -> Claim:
    """A parser that is set; null does not say that the model cannot."""
    named = info.word(field)
    return Claim(True, f"{named.source} {named.value}") if named.known else UNKNOWN


FAMILY = Family(
    slug="sglang",
    name="SGLang",
    kind=Kind.LLM,
    ports=(30000,),
    api_root="/v1",
    marks=(
        mark(text("/", '"SGLang is running"')),
        mark(
            has("/model_info", "model_path", "is_generation", "tokenizer_path"),
            unless=_ROUTER,
        ),
        mark(
            owned("sglang"),
            typed("/v1/models", "data.?.max_model_len", "number"),
            unless=_ROUTER,
        ),
        mark(
            owned("sglang"),
            has("/get_model_info", "model_path", "is_generation"),
            unless=_ROUTER,
        ),
        mark(
            *_UNAUTHORIZED,
            exactly("/", "error", status=401),
            blank("/ready"),
            header("/ready", "server", "uvicorn"),
        ),
    ),
    source="sglang 0.5.23",
    look_alikes=("sglang_router", "vllm", "ollama"),
    version=(Read("/server_info", "version"),),
    loading=(Fact("/ready", "@status", "is", 503, None),),
    claim_paths=("/model_info", "/server_info"),
    read_claims=_claims,
)

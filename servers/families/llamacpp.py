"""llama.cpp's llama-server: one model, or a router over several.

With a key, every path but `/health` and the page is 401 (the list too since b10518).
While it loads, every API path is 503. Forks that say the same are named as it;
ik_llama.cpp tells itself apart (`/version` is a number, no `build_info`).
"""

from __future__ import annotations

from servers.announced import Entry, first, over
from servers.claims import UNKNOWN, Claim, Claims
from servers.entries import list_claims
from servers.evidence import Evidence
from servers.family import Family, Kind, Read
from servers.marks import Fact, exactly, header, lacks, mark, owned, says, typed

_PROPS = "/props"
_LOADING = tuple(
    says(path, "error.message", "Loading model", 503) for path in ("/v1/models", _PROPS)
)
# Builds of January 2024.
_OLD_LOADING = (
    exactly("/v1/models", "status", status=503),
    says("/v1/models", "status", "loading model", 503),
)
_KEY = (
    says(_PROPS, "error.message", "Invalid API Key", 401),
    says(_PROPS, "error.type", "authentication_error", 401),
    says(_PROPS, "error.code", 401, 401),
)
_IK = (typed("/version", "version", "number"),)


def _claims(evidence: Evidence) -> tuple[Claims, ...]:
    """What `/props` says of the one model; a router's `/props` says nothing of any.

    n_ctx is what ONE slot gets: neither divided nor multiplied by the slots.
    """
    found = list_claims(evidence)
    props = Entry(evidence.json(_PROPS), f"GET {_PROPS}")
    if props.at("role") == "router":
        return found
    caps = "chat_template_caps"
    thinks = props.truth(f"{caps}.supports_reasoning_effort")
    return tuple(
        over(
            claims,
            context_tokens=props.tokens("default_generation_settings.n_ctx"),
            quantization=props.word("model_ftype"),
            # A template that only mentions tools supports no tool call.
            tools=first(
                props.truth(f"{caps}.supports_tool_calls"),
                props.truth(f"{caps}.supports_tools"),
            ),
            vision=props.truth("modalities.vision"),
            audio=props.truth("modalities.audio"),
            reasoning=thinks if thinks.value else UNKNOWN,
            slots=props.slots("total_slots"),
            loaded=_loaded(props),
        )
        for claims in found
    )


def _loaded(props: Entry) -> Claim:
    asleep = props.at("is_sleeping")
    if not isinstance(asleep, bool):
        return UNKNOWN
    return Claim(not asleep, f"{props.request} is_sleeping")


FAMILY = Family(
    slug="llamacpp",
    name="llama.cpp",
    kind=Kind.LLM,
    ports=(8080,),
    api_root="/v1",
    marks=(
        mark(
            typed(_PROPS, "build_info", "text"),
            typed(_PROPS, "default_generation_settings", "object"),
        ),
        mark(says(_PROPS, "role", "router"), says(_PROPS, "model_path", "none")),
        # Builds before b4383 had no build_info; ik_llama.cpp has caps without it.
        mark(owned("llamacpp"), lacks(_PROPS, "chat_template_caps"), unless=_IK),
        mark(owned("llamacpp"), Fact(_PROPS, "@status", "over", 399, None), unless=_IK),
        mark(*_KEY, header(_PROPS, "server", r"llama\.cpp")),
        mark(
            *_KEY, exactly("/v1/health", "status"), says("/v1/health", "status", "ok")
        ),
        mark(_LOADING[0], says("/v1/models", "error.type", "unavailable_error", 503)),
        mark(_LOADING[1], says(_PROPS, "error.type", "unavailable_error", 503)),
        mark(*_OLD_LOADING),
    ),
    source="ggml-org/llama.cpp b10573 (2026-08-22); b10434 to b11549 as installed",
    look_alikes=("llamafile", "ik_llama.cpp", "koboldcpp", "tabbyapi", "llama_swap"),
    version=(Read(_PROPS, "build_info"),),
    loading=(*_LOADING, *_OLD_LOADING[1:]),
    auth=(_KEY[0],),
    surface=(typed(_PROPS, "default_generation_settings", "object"),),
    claim_paths=(_PROPS,),
    read_claims=_claims,
)

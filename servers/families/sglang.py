"""SGLang: one model on GPUs. Its `/health` generates a token and is never asked.

With a key every path is 401 but `/ready` (and `/health`, `/metrics`, not asked).
Older copies lack `/model_info`. Its router copies `owned_by`.
"""

from __future__ import annotations

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
)

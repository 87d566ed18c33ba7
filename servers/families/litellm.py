"""LiteLLM: a gateway to other people's models; where a text goes is not known here.

Its `/health` calls every model, so it is never asked. Every list says owned_by
openai with one constant date.
"""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import has, mark, page, says, starts, titled

_HUB = "/public/model_hub/info"
_ALIVE = says("/health/liveliness", ".", "I'm alive!")

FAMILY = Family(
    slug="litellm",
    name="LiteLLM",
    kind=Kind.GATEWAY,
    ports=(4000,),
    api_root="/v1",
    marks=(
        mark(titled("LiteLLM API")),
        mark(has(_HUB, "docs_title", "litellm_version")),
        mark(_ALIVE, has("/health/readiness", "status", "db")),
        mark(
            says("/v1/models", "error.type", "auth_error", 401),
            starts("/v1/models", "error.message", "Authentication Error, ", 401),
            _ALIVE,
        ),
        mark(says("/v1/models", "data.*.created", 1677610602), _ALIVE),
        mark(
            page("/", "LiteLLM API - Swagger UI"),
            says("/v1/models", "data.*.created", 1677610602),
        ),
    ),
    source="litellm 1.110.2; 1.108.7 as installed",
    look_alikes=("openai",),
    version=(
        Read("/openapi.json", "info.version"),
        Read(_HUB, "litellm_version"),
        Read("/health/readiness", "litellm_version"),
    ),
)

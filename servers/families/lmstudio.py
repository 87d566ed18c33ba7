"""LM Studio: a desktop program that answers every path with 200.

A path it has not is 200 with `Unexpected endpoint or method`, which is its own
sentence. The greeting is the vendor's own probe.
"""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import has, mark, says, starts, typed

_V0 = "/api/v0/models"
_V1 = "/api/v1/models"

_NO_ROUTE = says("/", "@json.error", "Unexpected endpoint or method. (GET /)")

FAMILY = Family(
    slug="lmstudio",
    name="LM Studio",
    kind=Kind.LLM,
    ports=(1234,),
    api_root="/v1",
    marks=(
        mark(says("/lmstudio-greeting", "lmstudio", True)),
        mark(_NO_ROUTE, says("/lmstudio-greeting", "lmstudio", True)),
        mark(
            has(_V0, "compatibility_type", "max_context_length", "state", at="data.*")
        ),
        mark(has(_V1, "loaded_instances", "max_context_length", "key", at="models.*")),
        mark(_NO_ROUTE, typed("/v1/models", "data", "list")),
        mark(
            says("/v1/models", "error.code", "invalid_api_key", 401),
            starts(
                "/v1/models", "error.message", "An LM Studio API token is required", 401
            ),
        ),
    ),
    source="lmstudio-ai/docs c6854fba, lmstudio-js 6ec11db1 (2026-04 to 08)",
    look_alikes=("lemonade", "mistralrs"),
)

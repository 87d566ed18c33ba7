"""mistral.rs: one or several models; knocks on LM Studio's port."""

from __future__ import annotations

from servers.family import Family, Kind, Listing, Read
from servers.marks import has, mark, owned, says, text

_INFO = "/v1/system/info"

FAMILY = Family(
    slug="mistralrs",
    name="mistral.rs",
    kind=Kind.LLM,
    ports=(1234,),
    api_root="/v1",
    marks=(
        mark(has(_INFO, "version", "git_revision", at="build")),
        mark(
            owned("local"),
            says("/v1/models", "data.0.id", "default"),
            has(_INFO, "git_revision", at="build"),
        ),
        mark(
            owned("local"), says("/v1/models", "data.0.id", "default"), text("/", "OK")
        ),
        mark(
            text("/", "OK"), says("/api-doc/openapi.json", "info.title", "Mistral.rs")
        ),
        mark(says("/api-doc/openapi.json", "info.title", "Mistral.rs")),
    ),
    source="EricLBuehler/mistral.rs 9e922623 (0.9.2)",
    look_alikes=("lmstudio", "mlx-openai-server"),
    version=(Read(_INFO, "build.version"),),
    # The first entry is an alias of the model that answers when none is named.
    models=(Listing(none=("default",)),),
)

"""llamafiler (llamafile --v2): says its name and version in a header."""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import header, mark, owned, typed

_SERVER = r"llamafile/(\S+)"

FAMILY = Family(
    slug="llamafiler",
    name="llamafiler",
    kind=Kind.LLM,
    ports=(8080,),
    api_root="/v1",
    marks=(
        mark(owned("llamafile")),
        mark(
            header("/v1/models", "server", _SERVER), typed("/v1/models", "data", "list")
        ),
    ),
    source="mozilla-ai/llamafile 6b46419 (0.9.3)",
    look_alikes=("llamafile", "llamacpp"),
    version=(Read("/v1/models", "@header.server", _SERVER),),
)

"""mlx-lm's server: Python's own http.server, a list without owners.

Anybody can write such a server, so three things must agree: the header, a list
without `owned_by`, and a 404 `Not Found` that calls itself JSON.
"""

from __future__ import annotations

from servers.family import OPENAI_LIST, Family, Kind
from servers.marks import Fact, blank, exactly, has, header, lacks, mark, text, typed

_PYTHON = r"BaseHTTP/\S+ Python/\S+"
_NOT_FOUND = tuple(
    fact
    for path in ("/version", "/props")
    for fact in (
        text(path, "Not Found", 404),
        Fact(path, "@header.content-type", "starts", "application/json", 404),
    )
)
_SERVER = header("/v1/models", "server", _PYTHON)

FAMILY = Family(
    slug="mlx_lm",
    name="mlx-lm",
    kind=Kind.LLM,
    ports=(8080,),
    api_root="/v1",
    marks=(
        mark(
            _SERVER,
            *_NOT_FOUND,
            has("/v1/models", "id", "object", "created", at="data.*"),
            lacks("/v1/models", "owned_by", at="data.*"),
        ),
        mark(
            _SERVER,
            *_NOT_FOUND,
            exactly("/v1/models", "object", "data"),
            typed("/v1/models", "data", "nothing"),
        ),
        # Without a cache directory the list is 200 with an empty body.
        mark(_SERVER, *_NOT_FOUND, blank("/v1/models")),
    ),
    source="mlx-lm 0.31.3; 0.32.2 as installed",
    look_alikes=("any home-made http.server",),
    models=(OPENAI_LIST,),
    empty=(blank("/v1/models"),),
)

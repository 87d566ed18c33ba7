"""mlx-vlm's server: says its name and version in a header of every answer."""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import header, mark, titled

_SERVER = r"mlx_vlm/(\S+)"

FAMILY = Family(
    slug="mlx_vlm",
    name="mlx-vlm",
    kind=Kind.LLM,
    ports=(8080,),
    api_root="/v1",
    marks=(
        mark(header("/v1/models", "server", _SERVER)),
        mark(titled("MLX-VLM Inference API")),
    ),
    source="mlx-vlm 0.6.15",
    look_alikes=("mlx_lm",),
    version=(
        Read("/v1/models", "@header.server", _SERVER),
        Read("/openapi.json", "info.version"),
    ),
)

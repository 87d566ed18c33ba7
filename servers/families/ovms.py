"""OpenVINO Model Server: KServe's protocol, and OpenAI's below `/v3`."""

from __future__ import annotations

from servers.family import OPENAI_LIST, Family, Kind, Listing, Read
from servers.marks import mark, owned, says

FAMILY = Family(
    slug="ovms",
    name="OpenVINO Model Server",
    kind=Kind.LLM,
    ports=(8000,),
    api_root="/v3",
    marks=(
        mark(says("/v2", "name", "OpenVINO Model Server")),
        mark(owned("OVMS")),
        mark(owned("OVMS", "/v3/models")),
    ),
    source="openvinotoolkit/model_server, index copy 7e4df0c7",
    look_alikes=("triton",),
    version=(Read("/v2", "version"),),
    models=(Listing("/v3/models"), OPENAI_LIST),
)

"""Xinference: a cluster that runs models of many kinds; keyed by default since 4.x."""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import either, exactly, mark, matches, owned, page, says, typed

_ADDRESS = matches("/v1/address", ".", r"\S+:\d+")

FAMILY = Family(
    slug="xinference",
    name="Xinference",
    kind=Kind.LLM,
    ports=(9997,),
    api_root="/v1",
    marks=(
        mark(
            exactly("/v1/cluster/auth", "auth"),
            typed("/v1/cluster/auth", "auth", "truth"),
        ),
        mark(owned("xinference")),
        mark(
            _ADDRESS,
            says("/v1/models", "detail", "Could not validate credentials", (401, 403)),
        ),
        mark(
            _ADDRESS,
            either("/v1/cluster/info", "*.node_type", "Supervisor", "Worker"),
        ),
        mark(_ADDRESS, page("/", "Xinference")),
    ),
    source="xorbitsai/inference 7ecec16b (v3.2.0+61); 4.1.0 as installed",
    look_alikes=("sd_webui",),
    version=(Read("/v1/cluster/version", "version"),),
)

"""TensorZero: a gateway that says its version in a header of every answer."""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import has, header, mark

_VERSION = "x-tensorzero-gateway-version"

FAMILY = Family(
    slug="tensorzero",
    name="TensorZero",
    kind=Kind.GATEWAY,
    ports=(3000,),
    api_root="/openai/v1",
    marks=(
        mark(has("/status", "status", "version", "config_hash")),
        mark(
            header("/status", _VERSION, r"\d\S+"), has("/status", "status", "version")
        ),
    ),
    source="tensorzero/tensorzero 2026.4.1",
    look_alikes=("foundry_local",),
    version=(Read("/status", "version"), Read("/status", f"@header.{_VERSION}")),
    models=(),
)

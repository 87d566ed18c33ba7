"""Envoy AI Gateway, where its operator left the owner of the models as it was."""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import mark, owned

FAMILY = Family(
    slug="envoy_ai_gateway",
    name="Envoy AI Gateway",
    kind=Kind.GATEWAY,
    ports=(80,),
    api_root="/v1",
    marks=(mark(owned("Envoy AI Gateway")),),
    source="envoyproxy/ai-gateway 1.1.0",
    look_alikes=("nobody",),
)

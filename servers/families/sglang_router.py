"""SGLang's router (SMG): passes on to workers.

Its `/health_generate` reaches every worker and is never asked.
"""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import has, mark

_KEYS = ("status", "healthy_workers", "total_workers")

FAMILY = Family(
    slug="sglang_router",
    name="SGLang router",
    kind=Kind.GATEWAY,
    ports=(30000,),
    api_root="/v1",
    marks=(mark(has("/readiness", *_KEYS, status=(200, 503))),),
    source="lightseekorg/smg 73da68ca (1.9.0); sglang-router 0.3.2",
    look_alikes=("sglang",),
    loading=(has("/readiness", "total_workers", status=503),),
)

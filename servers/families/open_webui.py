"""Open WebUI: a chat page over other servers, with an API of its own.

Answers 200 and its page for any path it has not. `deployment_id` stands in
`/api/version` (since about 0.6.37), not in `/api/config`.
"""

from __future__ import annotations

from servers.announced import Entry, over
from servers.claims import Claims
from servers.entries import list_claims
from servers.evidence import Evidence
from servers.family import Family, Kind, Listing, Read, name_of
from servers.marks import has, mark, matches, says, typed

# WEBUI_NAME other than the default gets the product's name as a suffix.
_NAME = matches("/api/config", "name", r"Open WebUI|.+ \(Open WebUI\)")
_CONFIG = (
    says("/api/config", "status", True),
    _NAME,
    typed("/api/config", "version", "text"),
)


_LIST = Listing("/api/v1/models")
_SET = "info.meta.capabilities"


def _claims(evidence: Evidence) -> tuple[Claims, ...]:
    """What an administrator set; the models' own facts are their servers'."""
    entries = {name_of(entry): entry for entry in _LIST.entries(evidence) or []}
    return tuple(
        over(
            claims,
            vision=Entry(entries[claims.model], f"GET {_LIST.path}").truth(
                f"{_SET}.vision"
            ),
        )
        for claims in list_claims(evidence, _LIST)
    )


FAMILY = Family(
    slug="open_webui",
    name="Open WebUI",
    kind=Kind.CHAT_UI,
    ports=(8080, 3000),
    api_root="/api",
    marks=(
        mark(*_CONFIG, typed("/api/config", "features", "object")),
        mark(*_CONFIG, has("/api/config", "default_models")),
        mark(has("/api/version", "version", "deployment_id")),
    ),
    source="open-webui 0.10.1 (2026-06-29) and 0.12.4 as installed",
    look_alikes=("librechat", "bifrost", "any single-page application"),
    version=(Read("/api/config", "version"), Read("/api/version", "version")),
    models=(_LIST,),
    read_claims=_claims,
)

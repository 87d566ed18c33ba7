"""States of the servers a person sees, for a page that is there already.

Answers at once with what is known and how old it is; asks for news in the background.
"""

from __future__ import annotations

import time
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from chat.views import readers
from servers.cache import Reading, readings
from servers.retained import Kept, visible_to

# Of a server with thousands of models the picker needs no more than it can show.
MOST_MODELS = 300


@require_safe
@readers
def states(request: HttpRequest) -> HttpResponse:
    """`{"servers": [...], "pending": bool}`: ask again while some are pending."""
    servers = visible_to(request.user)
    readings.refresh(servers)
    return JsonResponse(
        {
            "servers": [_state(server) for server in servers],
            "pending": any(readings.pending(server) for server in servers),
        }
    )


def _state(server: Kept) -> dict[str, Any]:
    found = readings.latest(server)
    if found is None:
        state = "asking" if readings.pending(server) else "unknown"
        return {"pk": server.pk, "state": state, "age": None, "models": []}
    return {
        "pk": server.pk,
        "state": _word(found),
        "age": round(max(0.0, time.time() - found.at)),
        "models": [_model(found, name) for name in found.identity.models[:MOST_MODELS]],
    }


def _word(found: Reading) -> str:
    identity = found.identity
    if not identity.answered:
        return "no_answer"
    return identity.state.value if identity.state else "answers"


def _model(found: Reading, name: str) -> dict[str, Any]:
    claims = found.claims_of(name)
    context = claims.context_tokens.value
    return {"name": name, "context": context, "chats": claims.chats}

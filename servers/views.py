"""Pages of kept servers for everybody who may see them. None waits for a server.

Members see handle and label, never an address; curators edit in the admin.
"""

from __future__ import annotations

import time
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from servers import retained
from servers.cache import Reading, readings
from servers.cards import card_of
from servers.errors import NotKept
from servers.retained import Kept


@require_safe
def server_list(request: HttpRequest) -> HttpResponse:
    """Every server this person may talk to; states arrive after the page."""
    servers = retained.visible_to(request.user)
    return render(request, "servers/list.html", {"servers": servers})


@require_safe
def states(request: HttpRequest) -> JsonResponse:
    """State, version and models of each visible server as last read, with its age.

    Starts reading what is not fresh and answers at once: `pending` says how many
    are still being asked, so that the page asks again.
    """
    servers = retained.visible_to(request.user)
    readings.refresh(servers)
    rows = [state_row(server, readings.latest(server)) for server in servers]
    response = JsonResponse(
        {"servers": rows, "pending": sum(row["pending"] for row in rows)}
    )
    response.headers["Cache-Control"] = "no-store"
    return response


def state_row(server: Kept, reading: Reading | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "pk": server.pk,
        "handle": server.handle,
        "pending": readings.pending(server),
        "state": "unknown",
        "age_seconds": None,
        "models": [],
    }
    if reading:
        row |= {
            "state": reading.identity.state if reading.identity.answered else "silent",
            "age_seconds": round(time.time() - reading.at),
            "models": list(reading.identity.models),
        }
    return row


@require_safe
def server_card(request: HttpRequest, handle: str) -> HttpResponse:
    """One server: who it is, why, and what it announces."""
    return render(request, "servers/card.html", {"server": visible(request, handle)})


@require_safe
def card_fragment(request: HttpRequest, handle: str) -> HttpResponse:
    """What the card's page asks for after it is painted. `X-Pending` 1: ask again."""
    server = visible(request, handle)
    readings.refresh([server])
    reading = readings.latest(server)
    context = {"server": server, "card": card_of(reading) if reading else None}
    response = render(request, "servers/_card.html", context)
    response.headers["X-Pending"] = str(int(readings.pending(server)))
    response.headers["Cache-Control"] = "no-store"
    return response


def visible(request: HttpRequest, handle: str) -> Kept:
    """The server of that handle, if this person may see it; else 404."""
    try:
        return retained.find(handle, request.user)
    except NotKept:
        raise Http404 from None

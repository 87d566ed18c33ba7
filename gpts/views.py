"""Pages of the catalogue for everybody who may see gpts. None waits for a server."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import permission_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from gpts.asked import asked
from gpts.catalogue import catalogue, find
from gpts.entries import Layer
from gpts.errors import NoSuchGpt
from gpts.fitting import place_of
from gpts.listing import listings, tiles_of
from gpts.private import private_of
from gpts.sheet import sheet_of
from gpts.tiles import Tile
from servers.cache import readings

may_see = permission_required("gpts.view_gpt", raise_exception=True)


@require_safe
@may_see
def catalogue_page(request: HttpRequest) -> HttpResponse:
    """Every gpt for the server in use, compatible ones first."""
    wanted, found = asked(request), catalogue()
    context = {
        "asked": wanted,
        "tiles": listings.html("gpts/_tiles.html", wanted, found),
        "aside": found.aside,
    }
    return render(request, "gpts/catalogue.html", context)


@require_safe
@may_see
def tiles_fragment(request: HttpRequest) -> HttpResponse:
    """The list alone, for the search as one types and once claims were read.

    Starts reading the server in use; `X-Pending` 1: ask again.
    """
    wanted = asked(request)
    if wanted.server is not None:
        readings.refresh([wanted.server])
    template = "gpts/_picker.html" if "picker" in request.GET else "gpts/_tiles.html"
    response = HttpResponse(listings.html(template, wanted, catalogue()))
    response.headers["X-Pending"] = str(int(wanted.pending))
    response.headers["Cache-Control"] = "no-store"
    return response


@require_safe
@may_see
def catalogue_json(request: HttpRequest) -> JsonResponse:
    """The same list as values, for scripts."""
    rows = [_row(tile) for tile in tiles_of(asked(request), catalogue())]
    response = JsonResponse({"gpts": rows})
    response.headers["Cache-Control"] = "no-store"
    return response


@require_safe
@may_see
def gpt_page(request: HttpRequest, stem: str) -> HttpResponse:
    """One gpt: what it asks, what it reads, who reviewed it, and its form."""
    try:
        entry = find(stem)
    except NoSuchGpt as error:
        raise Http404(str(error)) from None
    private = private_of(entry.stem)
    wanted = asked(request, private)
    context = {
        "asked": wanted,
        "sheet": sheet_of(entry, wanted.place, request.GET, private.inputs),
        "is_pinned": private.server is not None,
        "is_stored": entry.layer is Layer.DATABASE,
        "others": [
            {"server": server, "match": place_of(server).match(entry)}
            for server in wanted.servers
        ],
    }
    return render(request, "gpts/gpt.html", context)


def _row(tile: Tile) -> dict[str, Any]:
    return {
        "stem": tile.stem,
        "name": tile.name,
        "description": tile.description,
        "key": tile.key,
        "rank": tile.rank,
        "reviewed": tile.reviewed,
        "match": {"verdict": tile.verdict, "reason": tile.reason},
    }

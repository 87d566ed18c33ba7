"""Pages of boards: the list, one board, its live parts, its exports. GET only."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from chat.access import may_ask_claude, may_write
from chat.cards.board import VISION, Card, Function
from chat.cards.markdown import export_card, export_cards, export_vision, mark_of
from chat.cards.models import KeptBoard
from chat.cards.presence import presence
from chat.cards.shown import ShownBoard, counts_of, show_board
from chat.cards.store import board_of, boards_of, value_of
from chat.cards.talk import NobodyToAsk, addressee_of, settle
from chat.target import rows as server_rows
from chat.views import frame, readers
from llmhub.encryption import Unreadable
from servers.retained import visible_to


def board_or_404(request: HttpRequest, pk: int) -> KeptBoard:
    """One that no key opens is listed as unreadable, and is no page: a change would
    be written over it."""
    try:
        row = board_of(request.user, pk)
    except KeptBoard.DoesNotExist:
        raise Http404 from None
    if isinstance(row.content, Unreadable):
        raise Http404
    return row


@require_safe
@readers
def boards(request: HttpRequest) -> HttpResponse:
    found = [_entry(row) for row in boards_of(request.user)]
    context = {
        **frame(request, None),
        "boards": found,
        "may_write": may_write(request.user),
        "my_groups": request.user.groups.all(),
    }
    return render(request, "chat/boards.html", context)


def _entry(row: KeptBoard) -> dict[str, Any]:
    if isinstance(row.content, Unreadable):
        return {"row": row, "title": _("Unreadable: its key is missing"), "counts": ""}
    board = value_of(row)
    title = board.title or _("A board without a title")
    return {"row": row, "title": title, "counts": counts_of(board)}


@require_safe
@readers
def board(request: HttpRequest, pk: int) -> HttpResponse:
    """The board; it is complete without script, which only keeps it up to date."""
    row = board_or_404(request, pk)
    return board_page(request, row)


def board_page(request: HttpRequest, row: KeptBoard, **more: Any) -> HttpResponse:
    settle(row)
    row.refresh_from_db(fields=["version"])
    shown = show_board(row, request.user)
    servers = visible_to(request.user)
    context = {
        **frame(request, None),
        **_parts(request, row, shown),
        "row": row,
        "servers": server_rows(servers),
        "to": _addressee(request, row),
        "roots": [
            (at, Path(root).name, str(root) == str(row.code_root or ""))
            for at, root in enumerate(settings.LLMHUB_CONTEXT_ROOTS)
        ],
        "may_claude": settings.LLMHUB_CLAUDE and may_ask_claude(request.user),
        **more,
    }
    return render(request, "chat/board.html", context)


def _parts(request: HttpRequest, row: KeptBoard, shown: ShownBoard) -> dict[str, Any]:
    return {
        "row": row,
        "shown": shown,
        "may_write": may_write(request.user),
        "here": here_words(presence.seen(row.pk, request.user.get_username())),
    }


def here_words(others: list[str]) -> str:
    """Who else is here."""
    if not others:
        return ""
    if len(others) == 1:
        return _("You and %s are here.") % others[0]
    words = ngettext("You and %d other are here.", "You and %d others are here.", 2)
    return words % len(others)


def _addressee(request: HttpRequest, row: KeptBoard) -> dict[str, str]:
    try:
        to = addressee_of(request.user, row)
    except NobodyToAsk:
        return {}
    hosting = to.destination.hosting
    return {
        "name": to.destination.name,
        "model": to.model,
        "hosting": hosting.value,
        "words": hosting.words,
    }


@require_safe
@readers
def live(request: HttpRequest, pk: int) -> HttpResponse:
    """The parts that changed since `version`; only who is here, where none did."""
    row = board_or_404(request, pk)
    settle(row)
    row.refresh_from_db(fields=["version"])
    others = presence.seen(row.pk, request.user.get_username())
    known = request.GET.get("version", "")
    answer: dict[str, Any] = {"version": row.version, "here": here_words(others)}
    if known != str(row.version) or "standing" in request.GET:
        row.refresh_from_db()
        context = _parts(request, row, show_board(row, request.user))
        for part in ("talk", "proposals", "cards", "counts"):
            name = f"chat/_board_{part}.html"
            answer[part] = render_to_string(name, context, request)
        answer["running"] = context["shown"].running
    return JsonResponse(answer)


@require_safe
@readers
def history(request: HttpRequest, pk: int) -> HttpResponse:
    """Every accepted change: who, when, from which remark."""
    row = board_or_404(request, pk)
    context = {
        **frame(request, None),
        "row": row,
        "board": value_of(row),
        "changes": row.changes.select_related("person")[:500],
    }
    return render(request, "chat/board_history.html", context)


def edit_page(request: HttpRequest, row: KeptBoard, card_id: str) -> HttpResponse:
    """A card as the Markdown that a person edits: a page, or its part for a script."""
    board = value_of(row)
    card = board.vision_card if card_id == VISION else board.card(card_id)
    if card_id and card is None:
        raise Http404
    if card is None:
        text = _card_to_fill_in()
    elif card_id == VISION and board.card(VISION) is None:
        text = export_vision(board)
    else:
        text = export_card(card)
    context = {
        "row": row,
        "card_id": card_id,
        "text": text,
        "was": mark_of(card) if card else "",
        "removable": bool(card and board.card(card_id)),
    }
    if "part" in request.GET:
        return render(request, "chat/_board_edit.html", context)
    return render(request, "chat/board_edit.html", {**frame(request, None), **context})


def _card_to_fill_in() -> str:
    """A new card in which every marker is there."""
    function = Function(_("What one does"), tests=(_("How one checks it"),))
    card = Card("new", _("Title"), goal=_("What for"), functions=(function,))
    return export_card(card)


# --- exports -----------------------------------------------------------------------


@require_safe
@readers
def as_json(request: HttpRequest, pk: int) -> HttpResponse:
    found = value_of(board_or_404(request, pk))
    text = json.dumps(found.as_json(), ensure_ascii=False, indent=2) + "\n"
    return _file(text.encode(), _name(found.title, "json"), "application/json")


@require_safe
@readers
def as_markdown(request: HttpRequest, pk: int) -> HttpResponse:
    """One Markdown file per card, in a zip."""
    found = value_of(board_or_404(request, pk))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in export_cards(found).items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return _file(buffer.getvalue(), _name(found.title, "zip"), "application/zip")


@require_safe
@readers
def card_as_markdown(request: HttpRequest, pk: int, card: str) -> HttpResponse:
    found = value_of(board_or_404(request, pk)).card(card)
    if found is None:
        raise Http404
    return _file(export_card(found).encode(), f"{found.id}.md", "text/markdown")


def _name(title: str, ending: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return f"{words[:60] or 'board'}.{ending}"


def _file(content: bytes, name: str, kind: str) -> HttpResponse:
    response = HttpResponse(content, content_type=f"{kind}; charset=utf-8")
    safe = re.sub(r"[^\w.-]+", "-", name)
    response.headers["Content-Disposition"] = f'attachment; filename="{safe}"'
    return response

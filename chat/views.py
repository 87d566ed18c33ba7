"""Pages of the conversation: the list, one conversation, its parts. GET only.

No view here asks a model server, a resolver or anything else that may be slow.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from chat import commands, transcript
from chat.access import may_read, may_write
from chat.composing import fields_of
from chat.export import as_markdown, file_name
from chat.listing import SEARCHED_TURNS, grouped, recent, search, title_of
from chat.look import look_back
from chat.models import Conversation, Turn
from chat.pagewords import page_words
from chat.shown import show, show_all
from chat.target import (
    Target,
    kept_words,
    number,
    of_conversation,
    of_form,
    rows,
)
from servers.retained import Kept, visible_to

SHOWN_TURNS = 50
_View = Callable[..., HttpResponse]


def readers(view: _View) -> _View:
    """403 for those who may not read in the chat at all."""

    @functools.wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not may_read(request.user):
            raise PermissionDenied
        response = view(request, *args, **kwargs)
        # What a conversation says is in no cache of a shared machine.
        response.headers["Cache-Control"] = "no-store"
        return response

    return guarded


def writers(view: _View) -> _View:
    """403 for those who may read and not write, on every road that writes."""

    @functools.wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not may_write(request.user):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return readers(guarded)


def conversation_or_404(request: HttpRequest, pk: int) -> Conversation:
    try:
        return transcript.conversation_of(request.user, pk)
    except Conversation.DoesNotExist:
        raise Http404 from None


def turn_or_404(request: HttpRequest, pk: int) -> Turn:
    try:
        return transcript.turn_of(request.user, pk)
    except Turn.DoesNotExist:
        raise Http404 from None


# --- pages -------------------------------------------------------------------------


@require_safe
@readers
def start(request: HttpRequest) -> HttpResponse:
    """A conversation that begins with its first message."""
    servers = visible_to(request.user)
    mine = Conversation.objects.filter(
        owner_id=request.user.pk, claude_session="", board=None
    )
    last = mine.first()
    target = of_form(request.GET, servers, last)
    return page(
        request,
        target,
        servers,
        question=str(request.GET.get("question", "")),
        gpt_fields=fields_of(target, request.GET, begun=False),
    )


@require_safe
@readers
def conversation(request: HttpRequest, pk: int) -> HttpResponse:
    found = conversation_or_404(request, pk)
    servers = visible_to(request.user)
    return page(request, of_conversation(found, servers), servers)


def page(
    request: HttpRequest,
    target: Target,
    servers: list[Kept],
    **more: Any,
) -> HttpResponse:
    """The one page of the chat, for a conversation that is there or begins."""
    context = {
        **frame(request, target.conversation),
        **_transcript(request, target, servers),
        "target": target,
        "servers": rows(servers),
        "commands": [(name.value, words) for name, words in commands.WORDS.items()],
        "may_write": may_write(request.user),
        "page_words": page_words(),
        **_addresses(target),
        **more,
    }
    return render(request, "chat/conversation.html", context)


def frame(request: HttpRequest, found: Conversation | None) -> dict[str, Any]:
    """The side bar, and what the page is called."""
    temporary = bool(found and found.temporary)
    short, long = kept_words(settings.LLMHUB_RETENTION_DAYS, temporary)
    return {
        "conversation": found,
        "title": title_of(found) if found else _("New conversation"),
        "groups": grouped(recent(request.user)),
        "kept_short": short,
        "kept_long": long,
    }


def _transcript(
    request: HttpRequest, target: Target, servers: list[Kept]
) -> dict[str, Any]:
    found = target.conversation
    if found is None:
        return {"turns": [], "has_turns": False}
    before = number(request.GET.get("before", ""))
    turns = transcript.turns_of(found, last=SHOWN_TURNS, before=before)
    shown = show_all(turns, servers)
    return {
        "turns": shown,
        "has_turns": bool(turns),
        "before": before,
        "earlier": turns[0].number if turns and turns[0].number > 1 else None,
        "following": any(one.follows for one in shown),
    }


def _addresses(target: Target) -> dict[str, str]:
    found = target.conversation
    if found is None:
        return {
            "send_url": "/send",
            "preview_url": "/preview",
            "choose_url": "/choose",
        }
    return {
        "send_url": f"/c/{found.pk}/send",
        "preview_url": f"/c/{found.pk}/preview",
        "choose_url": f"/c/{found.pk}/choose",
    }


@require_safe
@readers
def search_page(request: HttpRequest) -> HttpResponse:
    words = " ".join(request.GET.get("q", "").split())[:200]
    found = search(request.user, words) if words else recent(request.user, 1_000)
    bounded = _("The newest %(count)s turns were searched.") % {"count": SEARCHED_TURNS}
    context = {
        **frame(request, None),
        "words": words,
        "found": found,
        "bounded": bounded if words else "",
    }
    return render(request, "chat/search.html", context)


@require_safe
@readers
def sent(request: HttpRequest, pk: int) -> HttpResponse:
    """What the last turn sent, whatever came of it."""
    found = conversation_or_404(request, pk)
    turns = transcript.turns_of(found, last=1)
    context = {**frame(request, found), "turn": turns[0] if turns else None}
    if turns:
        turn = turns[0]
        turn.conversation = found
        params = transcript.asking_of(turn).params
        payload = transcript.payload_again(turn)
        context["look"] = look_back(payload, params, turn.server_name)
    return render(request, "chat/sent.html", context)


# --- parts -------------------------------------------------------------------------


@require_safe
@readers
def earlier(request: HttpRequest, pk: int) -> HttpResponse:
    """The turns before the ones on the page, as a fragment."""
    found = conversation_or_404(request, pk)
    before = number(request.GET.get("before", ""))
    turns = transcript.turns_of(found, last=SHOWN_TURNS, before=before)
    context = {
        "conversation": found,
        "turns": show_all(turns, visible_to(request.user)),
        "earlier": turns[0].number if turns and turns[0].number > 1 else None,
        "may_write": may_write(request.user),
    }
    return render(request, "chat/_earlier.html", context)


@require_safe
@readers
def fragment(request: HttpRequest, pk: int) -> HttpResponse:
    """One turn as it stands now."""
    return turn_fragment(request, turn_or_404(request, pk))


def turn_fragment(request: HttpRequest, turn: Turn) -> HttpResponse:
    context = {
        "shown": show(turn, visible_to(request.user)),
        "may_write": may_write(request.user),
    }
    return render(request, "chat/_turn.html", context)


@require_safe
@readers
def save(request: HttpRequest, pk: int) -> HttpResponse:
    found = conversation_or_404(request, pk)
    now = timezone.now()
    title = title_of(found)
    text = as_markdown(title, transcript.turns_of(found), gpt=found.gpt_stem, saved=now)
    response = HttpResponse(text, content_type="text/markdown; charset=utf-8")
    name = file_name(title, now)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response

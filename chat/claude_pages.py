"""The page of this machine's Claude Code sessions, and the start of a question to one.

A page of its own: a session is a process addressed by identifier. There is no such
page while the feature is off, nor for those without the permission.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from chat import transcript
from chat.access import may_ask_claude
from chat.claude.sessions import NoSession, Session, find_session, list_sessions
from chat.models import Conversation
from chat.views import frame, readers, writers

_View = Callable[..., HttpResponse]


def askers(view: _View) -> _View:
    """404 while it is switched off, and for those who may not ask."""

    @functools.wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not settings.LLMHUB_CLAUDE or not may_ask_claude(request.user):
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


@require_safe
@askers
@readers
def sessions(request: HttpRequest) -> HttpResponse:
    """The page at once; its rows follow, as listing them may take 15 s."""
    context = {**frame(request, None), "title": _("Claude sessions")}
    if "now" in request.GET:
        context["listing"] = list_sessions()
    return render(request, "chat/claude.html", context)


@require_safe
@askers
@readers
def rows(request: HttpRequest) -> HttpResponse:
    """The rows as a fragment."""
    return render(request, "chat/_claude_rows.html", {"listing": list_sessions()})


@require_POST
@askers
@writers
def begin(request: HttpRequest) -> HttpResponse:
    """A conversation with one of the listed sessions; the question follows there."""
    try:
        listed = list_sessions().sessions
        session = find_session(str(request.POST.get("session", "")), listed)
        holder = _holder(session, str(request.POST.get("holder", "")).strip())
    except NoSession as error:
        messages.warning(request, str(error))
        return HttpResponseRedirect(reverse("chat:claude"))
    conversation = _unused(request.user, session) or transcript.begin(
        request.user, claude_session=session.session_id
    )
    title = _("Claude: %s") % (session.name or session.folder or session.short)
    transcript.change(conversation, title=title, claude_holder=holder)
    place = reverse("chat:conversation", args=[conversation.pk])
    return HttpResponseRedirect(place)


def _holder(session: Session, typed: str) -> int | None:
    """The pid that holds the session, if the person typed it. Raises NoSession."""
    if not typed:
        return None
    if not session.live or typed != str(session.pid):
        raise NoSession(_("That is not the process that holds this session."))
    return session.pid


def _unused(user: Any, session: Session) -> Conversation | None:
    """A conversation with it that was begun and never used."""
    found = Conversation.objects.filter(
        owner=user, claude_session=session.session_id, turns=None
    )
    return found.first()

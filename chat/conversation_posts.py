"""What people do to a conversation as a whole: rename it, delete it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from chat import transcript
from chat.engine.current import engine
from chat.listing import title_of
from chat.views import conversation_or_404, writers

TITLE_CHARACTERS = 200


@require_POST
@writers
def rename(request: HttpRequest, pk: int) -> HttpResponse:
    conversation = conversation_or_404(request, pk)
    title = " ".join(str(request.POST.get("title", "")).split())[:TITLE_CHARACTERS]
    if title:
        transcript.change(conversation, title=title)
    return HttpResponseRedirect(reverse("chat:conversation", args=[pk]))


@require_http_methods(["GET", "HEAD", "POST"])
@writers
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Asks first; then it is gone, and what still runs in it is stopped."""
    conversation = conversation_or_404(request, pk)
    if request.method != "POST":
        context: dict[str, Any] = {
            "conversation": conversation,
            "title": title_of(conversation),
            "turns": len(transcript.turns_of(conversation)),
        }
        return render(request, "chat/delete.html", context)
    for key in transcript.delete(conversation):
        engine().cancel(key)
    messages.success(request, _("The conversation is deleted."))
    return HttpResponseRedirect(reverse("chat:list"))

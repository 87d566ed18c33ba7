"""What each slash command does, with the page's script and without it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import NoReverseMatch, reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from chat import transcript
from chat.commands import Command, Name
from chat.target import Target

# What only the page itself can do; its script is told which part to open.
_OPENS = {
    Name.SERVER: "picker",
    Name.MODEL: "picker",
    Name.HELP: "keys",
    Name.LINES: "lines",
    Name.GPT: "gpts",
}


def obey(
    request: HttpRequest, command: Command, target: Target, *, as_json: bool
) -> HttpResponse:
    opens = _OPENS.get(command.name)
    if opens:
        return _open(request, opens, command, target, as_json)
    place = _place(request, command, target)
    if place is None:
        messages.info(request, _("Nothing is said in this conversation yet."))
        place = reverse("chat:list")
    if as_json:
        return JsonResponse({"location": place})
    return HttpResponseRedirect(place)


def _open(
    request: HttpRequest, opens: str, command: Command, target: Target, as_json: bool
) -> HttpResponse:
    if as_json:
        return JsonResponse({"open": opens, "filter": command.argument})
    if opens == "gpts":
        return HttpResponseRedirect(_catalogue(command, target))
    found = target.conversation
    if opens == "picker":
        query = urlencode({"filter": command.argument})
        base = "/choose" if found is None else f"/c/{found.pk}/choose"
        return HttpResponseRedirect(f"{base}?{query}")
    words = {
        "keys": _("All commands and keys stand under the question mark."),
        "lines": _("The box takes several lines as it is."),
    }
    messages.info(request, words[opens])
    return HttpResponseRedirect(_here(target))


def _here(target: Target) -> str:
    found = target.conversation
    if found is None:
        return f"{reverse('chat:list')}?{target.query}"
    return reverse("chat:conversation", args=[found.pk])


def _place(request: HttpRequest, command: Command, target: Target) -> str | None:
    """The address a command leads to; None where there is nothing yet."""
    if command.name is Name.NEW:
        return _new(request, target)
    if command.name is Name.LIST:
        return reverse("chat:list")
    if target.conversation is None:
        return None
    name = "chat:sent" if command.name is Name.CONTEXT else "chat:save"
    return reverse(name, args=[target.conversation.pk])


def _new(request: HttpRequest, target: Target) -> str:
    """Same server, model and gpt; says what stays behind."""
    found = target.conversation
    if found is not None:
        count = len(transcript.turns_of(found))
        words = ngettext(
            "A new conversation: %(count)s turn stays behind in the old one.",
            "A new conversation: %(count)s turns stay behind in the old one.",
            count,
        )
        messages.info(request, words % {"count": count})
    chosen = Target(target.server, target.model, target.gpt, target.temporary)
    return f"{reverse('chat:list')}?{chosen.query}"


def _catalogue(command: Command, target: Target) -> str:
    try:
        place = reverse("gpts:catalogue")
    except NoReverseMatch:
        return _here(target)
    asked: dict[str, Any] = {"q": command.argument} if command.argument else {}
    chosen = Target(target.server, target.model).query
    query = "&".join(part for part in (chosen, urlencode(asked)) if part)
    return f"{place}?{query}"

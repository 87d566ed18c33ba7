"""What people do in the chat: send, look, choose, stop. POST only.

Each works as a form without script (a redirect or the page with what is missing) and
answers JSON where the page's script asks for it.
"""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from chat import transcript
from chat.commands import Command, Nothing, Unknown, read
from chat.composing import (
    NotComposed,
    compose,
    compose_again,
    destination_of,
    fields_of,
    payload_alone,
)
from chat.dispatch import obey
from chat.engine.current import engine
from chat.errors import Busy
from chat.look import look_at
from chat.models import Conversation, Turn
from chat.refusals import Refusal, busy, by_gate, not_sent, unknown_command
from chat.shown import show
from chat.target import Target, by_key, number, of_conversation, of_form, rows
from chat.views import (
    conversation_or_404,
    frame,
    page,
    turn_fragment,
    turn_or_404,
    writers,
)
from gpts.gate import Destination, Refused, clear
from gpts.protected import names
from servers.retained import Kept, visible_to


def wants_json(request: HttpRequest) -> bool:
    return request.headers.get("accept", "").startswith("application/json")


# --- sending -----------------------------------------------------------------------


@require_POST
@writers
def begin(request: HttpRequest) -> HttpResponse:
    """The first message of a conversation."""
    servers = visible_to(request.user)
    return _send(request, of_form(request.POST, servers), servers)


@require_POST
@writers
def send(request: HttpRequest, pk: int) -> HttpResponse:
    servers = visible_to(request.user)
    target = of_conversation(conversation_or_404(request, pk), servers)
    return _send(request, target, servers)


def _send(request: HttpRequest, target: Target, servers: list[Kept]) -> HttpResponse:
    said = read(str(request.POST.get("question", "")))
    if isinstance(said, Command):
        return obey(request, said, target, as_json=wants_json(request))
    if isinstance(said, Unknown):
        return _refuse(request, target, servers, unknown_command(said))
    destination = destination_of(target)
    if destination is None:
        return _refuse(request, target, servers, not_sent(_("Choose a server first.")))
    if isinstance(said, Nothing) and not target.gpt:
        return _refuse(request, target, servers, not_sent(_("Write a message first.")))
    try:
        found = _ask(request, target, destination)
    except NotComposed as error:
        return _refuse(request, target, servers, not_sent(str(error)))
    except Busy:
        return _refuse(request, target, servers, busy())
    if isinstance(found, Refused):
        typed = str(request.POST.get("retype", ""))
        replaced = request.POST.get("replace") == "1"
        refusal = by_gate(found, destination, typed, replaced=replaced)
        return _refuse(request, target, servers, refusal)
    return _sent(request, found, servers, new=target.conversation is None)


def _ask(
    request: HttpRequest, target: Target, destination: Destination
) -> Turn | Refused:
    """Clear first, and only then begin a conversation: a refusal leaves none."""
    conversation = target.conversation
    begun = conversation is not None and _has_turns(conversation)
    asking = compose(target, request.POST, destination, request.session, begun=begun)
    if conversation is None:
        verdict = clear(
            payload_alone(asking),
            destination,
            retyped=destination.key in asking.retyped,
            confirmed=asking.confirmed,
            names=names(),
            also=asking.also,
        )
        if isinstance(verdict, Refused):
            return verdict
        conversation = transcript.begin(
            request.user,
            server=target.server,
            model=target.model,
            gpt_stem=target.gpt,
            temporary=target.temporary,
        )
    return transcript.ask(conversation, asking, destination, model=target.model)


def _has_turns(conversation: Conversation) -> bool:
    return transcript.has_turns(conversation)


def _sent(
    request: HttpRequest, turn: Turn, servers: list[Kept], *, new: bool
) -> HttpResponse:
    engine().submit(turn.pk)
    place = reverse("chat:conversation", args=[turn.conversation_id])
    if not wants_json(request):
        return HttpResponseRedirect(f"{place}#turn-{turn.number}")
    if new:
        return JsonResponse({"location": place})
    context = {"shown": show(turn, servers), "may_write": True}
    html = render_to_string("chat/_turn.html", context, request)
    return JsonResponse({"turn": turn.pk, "html": html})


def _refuse(
    request: HttpRequest,
    target: Target,
    servers: list[Kept],
    refusal: Refusal,
    *,
    question: str | None = None,
) -> HttpResponse:
    """The page as it was, the message still in the box, and why above it."""
    if wants_json(request):
        context = {"refusal": refusal}
        html = render_to_string("chat/_refusal.html", context, request)
        answer = {"refused": html, "needs": refusal.needs, "question": question}
        return JsonResponse(answer)
    begun = target.conversation is not None and _has_turns(target.conversation)
    return page(
        request,
        target,
        servers,
        refusal=refusal,
        question=question or request.POST.get("question", ""),
        gpt_fields=fields_of(target, request.POST, begun=begun),
    )


# --- looking -----------------------------------------------------------------------


@require_POST
@writers
def preview(request: HttpRequest, pk: int | None = None) -> HttpResponse:
    """Exactly what would be sent, and what the gate thinks of it. Sends nothing."""
    servers = visible_to(request.user)
    if pk is None:
        target = of_form(request.POST, servers)
    else:
        target = of_conversation(conversation_or_404(request, pk), servers)
    destination = destination_of(target)
    if destination is None:
        return _refuse(request, target, servers, not_sent(_("Choose a server first.")))
    conversation = target.conversation
    begun = conversation is not None and _has_turns(conversation)
    try:
        asking = compose(
            target, request.POST, destination, request.session, begun=begun
        )
    except NotComposed as error:
        return _refuse(request, target, servers, not_sent(str(error)))
    payload = (
        transcript.payload_of(conversation, asking)
        if conversation
        else payload_alone(asking)
    )
    known = names()
    verdict = clear(
        payload,
        destination,
        retyped=destination.key in asking.retyped,
        confirmed=asking.confirmed,
        names=known,
        also=asking.also,
    )
    look = look_at(payload, verdict, destination, known)
    if wants_json(request):
        html = render_to_string("chat/_look.html", {"look": look}, request)
        return JsonResponse({"html": html})
    return page(
        request,
        target,
        servers,
        look=look,
        question=request.POST.get("question", ""),
        gpt_fields=fields_of(target, request.POST, begun=begun),
    )


# --- choosing another server, model or gpt -------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@writers
def choose(request: HttpRequest, pk: int | None = None) -> HttpResponse:
    """Another server or model: a new context, unless the history is carried over."""
    servers = visible_to(request.user)
    conversation = conversation_or_404(request, pk) if pk is not None else None
    if request.method != "POST":
        return _choices(request, conversation, servers)
    key, _space, model = str(request.POST.get("to", "")).partition(" ")
    server = by_key(servers, number(key))
    if "without_gpt" in request.POST and conversation is not None:
        transcript.change(conversation, gpt_stem="")
        return _to(conversation)
    if server is None:
        messages.warning(request, _("That server is not here any more."))
        return _to(conversation)
    model = model or server.default_model
    if conversation is None:
        gpt = "" if "without_gpt" in request.POST else request.POST.get("gpt", "")
        temporary = request.POST.get("temporary") == "1"
        return _to_start(Target(server, model, str(gpt), temporary))
    begun = _has_turns(conversation)
    if begun and request.POST.get("carry") != "1":
        return _to_start(
            Target(server, model, conversation.gpt_stem, conversation.temporary)
        )
    transcript.change(conversation, server_id=server.pk, model=model)
    return _to(conversation)


def _choices(
    request: HttpRequest, conversation: Conversation | None, servers: list[Kept]
) -> HttpResponse:
    """The picker as a page, for those without script."""
    wanted = request.GET.get("filter", "").lower().split()
    found = [row for row in rows(servers) if all(w in row.words for w in wanted)]
    context = {
        **frame(request, conversation),
        "servers": found or rows(servers),
        "target": of_conversation(conversation, servers) if conversation else None,
        "has_turns": conversation is not None and _has_turns(conversation),
        "choose_url": request.path,
        "filter": request.GET.get("filter", ""),
    }
    return render(request, "chat/choose.html", context)


def _to(conversation: Conversation | None) -> HttpResponse:
    if conversation is None:
        return HttpResponseRedirect(reverse("chat:list"))
    place = reverse("chat:conversation", args=[conversation.pk])
    return HttpResponseRedirect(place)


def _to_start(target: Target) -> HttpResponse:
    return HttpResponseRedirect(f"{reverse('chat:list')}?{target.query}")


# --- turns -------------------------------------------------------------------------


@require_POST
@writers
def stop(request: HttpRequest, pk: int) -> HttpResponse:
    """Stop an answer, leave the queue, or give up on a rate limit."""
    turn = turn_or_404(request, pk)
    engine().cancel(turn.pk)
    return _after(request, turn)


@require_POST
@writers
def resume(request: HttpRequest, pk: int) -> HttpResponse:
    """The person's button on a turn that a rate limit ended."""
    turn = turn_or_404(request, pk)
    try:
        engine().resume(turn.pk)
    except Busy:
        messages.warning(request, busy().what)
    return _after(request, turn)


@require_POST
@writers
def by_itself(request: HttpRequest, pk: int) -> HttpResponse:
    turn = turn_or_404(request, pk)
    engine().continue_by_itself(turn.pk, request.POST.get("wanted") == "1")
    return _after(request, turn)


@require_POST
@writers
def again(request: HttpRequest, pk: int) -> HttpResponse:
    """The same question once more: here, or to another server with the history."""
    turn = turn_or_404(request, pk)
    servers = visible_to(request.user)
    conversation = turn.conversation
    wanted = str(request.POST.get("to", ""))
    if wanted:
        key, _space, model = wanted.partition(" ")
        server = by_key(servers, number(key))
        if server is None:
            messages.warning(request, _("That server is not here any more."))
            return _to(conversation)
        model = model or server.default_model
        if request.POST.get("anew") == "1":
            return _again_anew(request, turn, Target(server, model), servers)
        transcript.change(conversation, server_id=server.pk, model=model)
    target = of_conversation(conversation_or_404(request, conversation.pk), servers)
    return _ask_again(request, turn, target, servers)


def _again_anew(
    request: HttpRequest, turn: Turn, target: Target, servers: list[Kept]
) -> HttpResponse:
    """In a conversation of its own, that knows nothing of this one."""
    started = transcript.begin(
        request.user,
        server=target.server,
        model=target.model,
        gpt_stem=turn.gpt_stem,
        temporary=turn.conversation.temporary,
    )
    return _ask_again(request, turn, of_conversation(started, servers), servers)


def _ask_again(
    request: HttpRequest, turn: Turn, target: Target, servers: list[Kept]
) -> HttpResponse:
    destination = destination_of(target)
    if destination is None or target.conversation is None:
        return _refuse(request, target, servers, not_sent(_("Choose a server first.")))
    try:
        asking = compose_again(turn, target, request.POST, destination, request.session)
        found = transcript.ask(
            target.conversation, asking, destination, model=target.model
        )
    except NotComposed as error:
        return _refuse(request, target, servers, not_sent(str(error)))
    except Busy:
        return _refuse(request, target, servers, busy())
    if isinstance(found, Refused):
        # The question goes into the box: confirming it there asks it.
        refusal = by_gate(found, destination)
        return _refuse(request, target, servers, refusal, question=turn.question)
    moved = found.conversation_id != turn.conversation_id
    return _sent(request, found, servers, new=moved)


def _after(request: HttpRequest, turn: Turn) -> HttpResponse:
    """What the script shows next is the turn; a form goes back to its page."""
    if wants_json(request):
        return turn_fragment(request, turn_or_404(request, turn.pk))
    place = reverse("chat:conversation", args=[turn.conversation_id])
    return HttpResponseRedirect(f"{place}#turn-{turn.number}")

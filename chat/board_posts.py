"""What people do on a board: say, decide, undo, edit, import, delete. POST only.

Each works as a form without script and answers JSON where the page's script asks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    JsonResponse,
)
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from chat.access import may_ask_claude
from chat.board_pages import board_or_404, board_page, edit_page
from chat.cards import store
from chat.cards.board import VISION, Board, BoardError, Card, State, free_id
from chat.cards.decide import Stale
from chat.cards.files import FILE_BYTES, read_upload
from chat.cards.markdown import import_card, mark_of
from chat.cards.models import KeptBoard
from chat.cards.talk import (
    Addressee,
    Confirmations,
    NobodyToAsk,
    addressee_of,
    running_round,
    say,
)
from chat.claude.choosing import chosen_session
from chat.confirmed import confirm, confirmed_keys
from chat.engine.current import engine
from chat.errors import Busy, ChatError
from chat.posts import wants_json
from chat.refusals import Refusal, busy, by_gate, not_sent
from chat.target import number
from chat.views import writers
from gpts.errors import NoSuchGpt
from gpts.gate import Refused
from servers.retained import visible_to

MESSAGE_CHARACTERS = 100_000


def _done(request: HttpRequest, row: KeptBoard, problem: str = "") -> HttpResponse:
    """Back to the board; its script asks for what changed by itself."""
    if wants_json(request):
        return JsonResponse({"problem": problem})
    if problem:
        messages.warning(request, problem)
    return HttpResponseRedirect(reverse("chat:board", args=[row.pk]))


# --- boards ------------------------------------------------------------------------


@require_POST
@writers
def new(request: HttpRequest) -> HttpResponse:
    """An empty board, or one from a file, for oneself or a group of one's own."""
    group = request.user.groups.filter(
        pk=number(str(request.POST.get("group", ""))) or 0
    ).first()
    try:
        board = _uploaded(request) or Board(title=_typed(request, "title", 200))
    except BoardError as error:
        messages.error(request, str(error))
        return HttpResponseRedirect(reverse("chat:boards"))
    row = store.keep(request.user, board, group)
    _choose_first(request, row)
    return HttpResponseRedirect(reverse("chat:board", args=[row.pk]))


def _uploaded(request: HttpRequest) -> Board | None:
    files = request.FILES.getlist("file")
    if sum(file.size or 0 for file in files) > FILE_BYTES:
        raise BoardError("The files are larger than 8 MiB together.")
    return read_upload([(f.name or "", f.read()) for f in files]) if files else None


def _typed(request: HttpRequest, name: str, most: int) -> str:
    return " ".join(str(request.POST.get(name, "")).split())[:most]


@require_POST
@writers
def improve(request: HttpRequest) -> HttpResponse:
    """The texts of a gpt as a board of one's own, for those who may change gpts."""
    if not request.user.has_perm("gpts.change_gpt"):
        raise PermissionDenied
    try:
        row = store.keep_gpt(request.user, _typed(request, "gpt", 80))
    except NoSuchGpt:
        raise Http404 from None
    if row.server_id is None:
        _choose_first(request, row)
    return HttpResponseRedirect(reverse("chat:board", args=[row.pk]))


def _choose_first(request: HttpRequest, row: KeptBoard) -> None:
    usable = (s.pk for s in visible_to(request.user) if not s.unreadable)
    row.server_id = next(usable, None)
    row.save(update_fields=["server"])


@require_POST
@writers
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Its owner deletes it for everybody."""
    row = board_or_404(request, pk)
    if row.owner_id != request.user.pk:
        raise Http404
    waiting = running_round(row)
    if waiting and waiting.turn_id:
        engine().cancel(waiting.turn_id)
    row.delete()
    return HttpResponseRedirect(reverse("chat:boards"))


@require_POST
@writers
def choose(request: HttpRequest, pk: int) -> HttpResponse:
    """Whom the board's messages go to: a kept server, or a Claude session."""
    row = board_or_404(request, pk)
    session = _typed(request, "claude", 64)
    if session:
        if not may_ask_claude(request.user):
            raise Http404
        try:
            row.claude_session = chosen_session(session).session_id
        except ChatError as error:
            return _done(request, row, str(error))
    else:
        wanted = number(str(request.POST.get("server", ""))) or 0
        known = [s.pk for s in visible_to(request.user) if not s.unreadable]
        row.server_id = wanted if wanted in known else None
        row.model = _typed(request, "model", 300)
        row.claude_session = ""
    row.code_root = _root(str(request.POST.get("code", "")))
    row.save(update_fields=["server", "model", "claude_session", "code_root"])
    store.touch(row.pk)
    return _done(request, row)


def _root(chosen: str) -> str:
    """A declared root by its place in the settings; a client names no path."""
    roots = settings.LLMHUB_CONTEXT_ROOTS
    at = number(chosen)
    return str(roots[at]) if at is not None and at < len(roots) else ""


# --- talking -----------------------------------------------------------------------


@require_POST
@writers
def say_it(request: HttpRequest, pk: int) -> HttpResponse:
    row = board_or_404(request, pk)
    message = str(request.POST.get("message", "")).strip()[:MESSAGE_CHARACTERS]
    if not message:
        return _refused(request, row, not_sent(_("Write a message first.")))
    try:
        to = addressee_of(request.user, row)
        found = say(request.user, row, message, _confirmations(request, to))
    except NobodyToAsk as error:
        return _refused(request, row, not_sent(str(error)))
    except Busy:
        return _refused(request, row, busy())
    if isinstance(found, Refused):
        typed = str(request.POST.get("retype", ""))
        return _refused(request, row, by_gate(found, to.destination, typed))
    return _done(request, row)


def _confirmations(request: HttpRequest, to: Addressee) -> Confirmations:
    if request.POST.get("retype"):
        confirm(request.session, to.destination, str(request.POST["retype"]))
    return Confirmations(
        confirmed_keys(request.session, to.destination),
        request.POST.get("confirmed") == "1",
    )


def _refused(request: HttpRequest, row: KeptBoard, refusal: Refusal) -> HttpResponse:
    """The message stays in its box, and why it was not sent stands above."""
    if wants_json(request):
        html = render_to_string("chat/_refusal.html", {"refusal": refusal}, request)
        return JsonResponse({"refused": html})
    typed = request.POST.get("message", "")
    return board_page(request, row, refusal=refusal, typed=typed)


@require_POST
@writers
def stop(request: HttpRequest, pk: int) -> HttpResponse:
    row = board_or_404(request, pk)
    waiting = running_round(row)
    if waiting and waiting.turn_id:
        engine().cancel(waiting.turn_id)
    return _done(request, row)


@require_POST
@writers
def clear(request: HttpRequest, pk: int) -> HttpResponse:
    row = board_or_404(request, pk)
    store.clear(request.user, row.pk)
    return _done(request, row)


# --- deciding ----------------------------------------------------------------------


@require_POST
@writers
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """`accept`, `refuse` or `reopen` name proposals by key, parted by spaces."""
    row = board_or_404(request, pk)
    accepted = _keys(request, "accept")
    problems = store.accept(request.user, row.pk, accepted) if accepted else []
    if refused := _keys(request, "refuse"):
        store.refuse(request.user, row.pk, refused)
    for key in _keys(request, "reopen"):
        store.reopen(request.user, row.pk, key)
    return _done(request, row, " ".join(dict.fromkeys(problems)))


def _keys(request: HttpRequest, name: str) -> list[int]:
    typed = str(request.POST.get(name, "")).split()[:1_000]
    return [key for key in map(number, typed) if key is not None]


@require_POST
@writers
def undo(request: HttpRequest, pk: int) -> HttpResponse:
    row = board_or_404(request, pk)
    return _done(request, row, store.undo(request.user, row.pk))


# --- editing by hand ---------------------------------------------------------------


@require_POST
@writers
def state(request: HttpRequest, pk: int) -> HttpResponse:
    """A person marks a function built, or ordered again: `mark` is card and title."""
    row = board_or_404(request, pk)
    card_id, _space, title = str(request.POST.get("mark", "")).partition(" ")

    def changed(board: Board) -> Board:
        card = _card(board, card_id)
        functions = tuple(
            replace(one, state=_other(one.state)) if one.title == title else one
            for one in card.functions
        )
        return board.with_card(replace(card, functions=functions))

    return _changed(request, row, card_id, changed, f"{title} / {_('state')}")


def _other(now: State) -> State:
    return State.ORDERED if now is State.BUILT else State.BUILT


@require_http_methods(["GET", "HEAD", "POST"])
@writers
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """A card as its Markdown: replaced, or new where the board has none of that id."""
    row = board_or_404(request, pk)
    if request.method != "POST":
        return edit_page(request, row, str(request.GET.get("card", "")))
    try:
        card, is_vision = import_card(str(request.POST.get("text", "")))
    except BoardError as error:
        return _done(request, row, str(error))
    card_id = VISION if is_vision else str(request.POST.get("card", ""))

    was = str(request.POST.get("was", ""))

    def changed(board: Board) -> Board:
        if is_vision:
            _refuse_other(board.vision_card, was)
            return replace(board, title=card.title, vision=card.goal)
        if card_id:
            _refuse_other(_card(board, card_id), was)
            return board.with_card(replace(card, id=card_id))
        new = replace(card, id=free_id(one.id for one in board.cards))
        return replace(board, cards=(*board.cards, new))

    return _changed(request, row, card_id or "", changed, _("edited"))


@require_POST
@writers
def remove(request: HttpRequest, pk: int) -> HttpResponse:
    row = board_or_404(request, pk)
    card_id = str(request.POST.get("card", ""))

    def changed(board: Board) -> Board:
        card = _card(board, card_id)
        return replace(board, cards=tuple(one for one in board.cards if one != card))

    return _changed(request, row, card_id, changed, _("removed"))


def _refuse_other(card: Card, was: str) -> None:
    """What somebody else changed meanwhile is not overwritten."""
    if mark_of(card) != was:
        raise Stale(_("This card was changed meanwhile; your edit was not taken."))


def _card(board: Board, card_id: str) -> Card:
    found = board.card(card_id)
    if found is None:
        raise Stale(_("The card is not there any more."))
    return found


def _changed(
    request: HttpRequest,
    row: KeptBoard,
    card_id: str,
    changed: Callable[[Board], Board],
    what: str,
) -> HttpResponse:
    try:
        store.change_card(request.user, row.pk, card_id, changed, what)
    except Stale as error:
        return _done(request, row, str(error))
    return _done(request, row)

"""From what the composer's form says to what a turn asks: text, gpt, confirmations.

Blocking (ORM, files of the catalogue). Sends nothing and decides nothing: the gate
judges what is put together here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from chat.claude import choosing
from chat.claude.sessions import Session
from chat.confirmed import confirm, confirmed_keys
from chat.destinations import announced
from chat.models import Turn
from chat.target import Target
from chat.transcript import Asking, asking_of, turns_of
from gpts import catalogue
from gpts.document import Document, Input
from gpts.errors import DoesNotFit, GptsError
from gpts.fitting import Place, Use, place_of, use
from gpts.gate import Destination, Finding, Message, Payload
from gpts.gathering import Prepared, prepared
from gpts.private import private_of
from gpts.protected import names
from gpts.redact import redact

INPUT_PREFIX = "input_"


class NotComposed(Exception):
    """The message cannot be sent as it is; the text says what is missing."""


@dataclass(frozen=True, slots=True)
class GptField:
    """An input of a gpt as the composer asks for it."""

    name: str
    label: str
    help: str
    kind: str
    required: bool
    value: str
    choices: tuple[str, ...] = ()

    @property
    def field_name(self) -> str:
        return INPUT_PREFIX + self.name


def document_of(stem: str) -> Document | None:
    """The gpt, or None without one. Raises NotComposed for one that is gone."""
    if not stem:
        return None
    try:
        return catalogue.find(stem).document
    except GptsError as error:
        raise NotComposed(str(error)) from None


def fields_of(
    target: Target, form: Mapping[str, Any], *, begun: bool
) -> list[GptField]:
    """What the gpt wants to know before its first question."""
    try:
        document = None if begun else document_of(target.gpt)
    except NotComposed:
        return []
    language = (get_language() or "en")[:2]
    inputs = document.inputs if document else ()
    defaults = private_of(target.gpt).inputs if inputs else {}
    return [_field(item, language, form, defaults) for item in inputs]


def _field(
    item: Input, language: str, form: Mapping[str, Any], defaults: Mapping[str, str]
) -> GptField:
    typed = form.get(INPUT_PREFIX + item.name, defaults.get(item.name))
    return GptField(
        name=item.name,
        label=item.label_in(language) or item.name,
        help=item.help_in(language),
        kind=item.kind.value,
        required=item.required,
        value=str(item.default or "") if typed is None else str(typed),
        choices=tuple(item.choices),
    )


def lines_of(value: Any) -> str:
    """A field as it was typed: browsers send every line break of a form as CRLF."""
    return str(value).replace("\r\n", "\n")


def compose(
    target: Target,
    form: Mapping[str, Any],
    destination: Destination,
    session: Any,
    *,
    begun: bool,
) -> Asking:
    """What the form asks. Raises NotComposed with a line for the person.

    `begun`: the conversation has turns, so that its gpt has had its inputs.
    """
    typed = lines_of(form.get("question", ""))
    used = use_of(target, destination)
    also: tuple[Finding, ...] = ()
    if used is not None and not begun:
        made = _prepared(used, form)
        rendered, also = made.rendered, made.findings
        system, params = rendered.system, dict(rendered.params)
        sent = "\n\n".join(p for p in (rendered.question, typed) if p.strip())
        shown = typed if typed.strip() else _shown(used.entry.document, form)
    else:
        system, params = _as_before(target) if used else ("", {})
        sent = shown = typed
    if not sent.strip():
        raise NotComposed(_("Write a message first."))
    if form.get("retype"):
        confirm(session, destination, str(form["retype"]))
    asking = Asking(
        question=shown,
        sent_question=None if sent == shown else sent,
        system=system,
        gpt_stem=target.gpt if used else "",
        params=params,
        retyped=confirmed_keys(session, destination),
        confirmed=form.get("confirmed") == "1",
        also=also,
        originals=_originals(target),
    )
    return replaced(asking) if form.get("replace") == "1" else asking


def replaced(asking: Asking) -> Asking:
    """The same with placeholders for everything private in what is sent."""
    sent = asking.question if asking.sent_question is None else asking.sent_question
    found = redact([asking.system, sent], names(), asking.originals)
    system, sent = found.texts
    return replace(asking, system=system, sent_question=sent, originals=found.originals)


def _originals(target: Target) -> Mapping[str, str]:
    """What the placeholders of this conversation stand for until now."""
    turns = turns_of(target.conversation, last=1) if target.conversation else []
    return asking_of(turns[0]).originals if turns else {}


def use_of(target: Target, destination: Destination) -> Use | None:
    """The gpt for this destination. Raises NotComposed where it may not go there."""
    if not target.gpt:
        return None
    try:
        return use(target.gpt, _place(target, destination))
    except GptsError as error:
        raise NotComposed(str(error)) from None


def _place(target: Target, destination: Destination) -> Place:
    if target.server is None:
        return Place(destination.hosting)
    return place_of(target.server, target.model, destination.hosting)


def _allow(stem: str, target: Target, destination: Destination) -> None:
    """A gpt that is gone asks again as it did; one that is there keeps its bounds."""
    try:
        use(stem, _place(target, destination))
    except DoesNotFit as error:
        raise NotComposed(str(error)) from None
    except GptsError:
        return


def _prepared(used: Use, form: Mapping[str, Any]) -> Prepared:
    document = used.entry.document
    made = prepared(used, _inputs(document, form) if document else {})
    for name, problem in made.rendered.problems.items():
        item = document.input(name) if document else None
        label = item.label_in((get_language() or "en")[:2]) if item else name
        raise NotComposed(f"{label}: {problem}")
    return made


def _as_before(target: Target) -> tuple[str, dict[str, Any]]:
    """The gpt's part of the last turn: its inputs were filled in then."""
    turns = turns_of(target.conversation, last=1) if target.conversation else []
    if not turns:
        return "", {}
    before = asking_of(turns[0])
    return before.system, dict(before.params)


def _inputs(document: Document, form: Mapping[str, Any]) -> dict[str, str]:
    return {
        item.name: lines_of(form[INPUT_PREFIX + item.name])
        for item in document.inputs
        if INPUT_PREFIX + item.name in form
    }


def _shown(document: Document | None, form: Mapping[str, Any]) -> str:
    """What stands for a question that a gpt asks alone."""
    if document is None:
        return ""
    filled = [f"{k}: {v.strip()}" for k, v in _inputs(document, form).items()]
    return "\n".join([document.name_in((get_language() or "en")[:2]), *filled])


def compose_again(
    turn: Turn,
    target: Target,
    form: Mapping[str, Any],
    destination: Destination,
    session: Any,
) -> Asking:
    """The same question, with the confirmations of now and not of then.

    Raises NotComposed where its gpt may not go there.
    """
    if turn.gpt_stem:
        _allow(turn.gpt_stem, target, destination)
    if form.get("retype"):
        confirm(session, destination, str(form["retype"]))
    return replace(
        asking_of(turn),
        retyped=confirmed_keys(session, destination),
        confirmed=form.get("confirmed") == "1",
    )


def destination_of(target: Target) -> Destination | None:
    """Where it would go as far as is known without waiting."""
    conversation = target.conversation
    if conversation is not None and conversation.claude_session:
        session = Session(session_id=conversation.claude_session)
        return choosing.destination_of(session)
    return announced(target.server) if target.server else None


def payload_alone(asking: Asking) -> Payload:
    """What a first message sends, before there is a conversation."""
    system = [Message("system", asking.system)] if asking.system.strip() else []
    sent = asking.question if asking.sent_question is None else asking.sent_question
    return Payload((*system, Message("user", sent)))

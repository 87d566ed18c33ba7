"""Boards as rows: found by who may work on them, changed under a lock, with history.

Blocking (ORM). What a decision does to a board is `decide.py`'s; asking a model is
`talk.py`'s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from chat.cards import stored
from chat.cards.board import Board, Card, card_json, read_board, read_card
from chat.cards.decide import Stale, apply
from chat.cards.gpt_board import board_of_gpt, write_back
from chat.cards.models import (
    BoardChange,
    Decision,
    KeptBoard,
    KeptProposal,
    RoundState,
)
from chat.cards.proposals import Proposal
from chat.models import LIVE_STATES, Conversation
from gpts.catalogue import find
from gpts.document import Document
from gpts.errors import NoSuchGpt
from gpts.models import Gpt
from gpts.reading import read_document
from llmhub.encryption import Unreadable

REMARK_CHARACTERS = 2_000


# --- finding: owner and group alone ------------------------------------------------


def boards_of(user: Any) -> QuerySet[KeptBoard]:
    """Those this person may work on, the last changed first."""
    theirs = Q(owner=user) | Q(group__in=user.groups.all())
    pks = KeptBoard.objects.filter(theirs).values("pk")
    return KeptBoard.objects.filter(pk__in=pks).select_related("server", "group")


def board_of(user: Any, pk: int) -> KeptBoard:
    """Raises KeptBoard.DoesNotExist for everybody else."""
    return boards_of(user).get(pk=pk)


def value_of(row: KeptBoard) -> Board:
    """The board of a row; one that no key opens is empty, and cannot be saved."""
    return Board() if isinstance(row.content, Unreadable) else read_board(row.content)


def keep(user: Any, board: Board, group: Group | None = None) -> KeptBoard:
    return KeptBoard.objects.create(owner=user, group=group, content=board.as_json())


def keep_gpt(user: Any, stem: str) -> KeptBoard:
    """This person's board of that gpt, as the gpt reads now. Raises NoSuchGpt."""
    document = _gpt(stem)
    row = KeptBoard.objects.filter(owner=user, gpt_stem=stem).first()
    if row is None:
        row = KeptBoard(owner=user, gpt_stem=stem)
    row.content = board_of_gpt(stem, document).as_json()
    row.save()
    touch(row.pk)
    return row


def write_gpt(user: Any, row: KeptBoard, board: Board) -> None:
    """The board of a gpt is its text: a change is a revision. Raises Stale."""
    if not row.gpt_stem:
        return
    if not user.has_perm("gpts.change_gpt"):
        raise Stale(_("Only a curator changes a gpt."))
    try:
        write_back(row.gpt_stem, _gpt(row.gpt_stem), board, user)
    except NoSuchGpt as error:
        raise Stale(str(error)) from None


def _gpt(stem: str) -> Document:
    """As its last revision reads, reviewed or not; else as the catalogue has it."""
    stored = Gpt.objects.filter(stem=stem).select_related("current").first()
    if stored is not None and stored.current is not None:
        document = read_document(stored.current.source).document
    else:
        document = find(stem).document
    if document is None:
        raise NoSuchGpt(_("That gpt cannot be read."))
    return document


def touch(pk: int) -> None:
    """Something that pages show has changed."""
    KeptBoard.objects.filter(pk=pk).update(
        version=F("version") + 1, updated=timezone.now()
    )


# --- changing ----------------------------------------------------------------------


def change_card(
    user: Any, pk: int, card_id: str, changed: Callable[[Board], Board], what: str
) -> None:
    """A person's own change of one card, with its history. Raises Stale."""
    with transaction.atomic():
        row = _locked(user, pk)
        _save(user, row, card_id, changed(value_of(row)), what)


def accept(user: Any, pk: int, proposals: list[int]) -> list[str]:
    """Accept these open proposals in order; gives back why some no longer fit."""
    problems = []
    with transaction.atomic():
        row = _locked(user, pk)
        for proposal in _open(row, proposals):
            try:
                _accept(user, row, proposal)
            except Stale as error:
                problems.append(str(error))
        touch(pk)
    return problems


def _accept(user: Any, row: KeptBoard, kept: KeptProposal) -> None:
    proposal = stored.from_json(kept.content)
    board = value_of(row)
    changed = apply(board, proposal, accepted_beside(kept))
    card_id = proposal.card
    if board.card(card_id) is None:
        new = [card.id for card in changed.cards if board.card(card.id) is None]
        card_id = new[0] if new else card_id
    remark = str(kept.round.message or "")[:REMARK_CHARACTERS]
    what = " / ".join(part for part in (proposal.function, proposal.field) if part)
    _save(user, row, card_id, changed, what, remark=remark, proposal=kept)
    _decide(user, kept, Decision.ACCEPTED)


def accepted_beside(kept: KeptProposal) -> list[Proposal]:
    """What was accepted of the same answer before."""
    rows = kept.round.proposals.filter(decision=Decision.ACCEPTED)
    return [stored.from_json(row.content) for row in rows]


def refuse(user: Any, pk: int, proposals: list[int]) -> None:
    with transaction.atomic():
        row = _locked(user, pk)
        for proposal in _open(row, proposals):
            _decide(user, proposal, Decision.REFUSED)
        touch(pk)


def reopen(user: Any, pk: int, proposal: int) -> None:
    """Take a refusal back."""
    with transaction.atomic():
        row = _locked(user, pk)
        KeptProposal.objects.filter(
            pk=proposal, round__board=row, decision=Decision.REFUSED
        ).update(decision=Decision.OPEN, decided_by=None, decided=None)
        touch(pk)


def undo(user: Any, pk: int) -> str:
    """Take the last change back; why not, or nothing."""
    with transaction.atomic():
        row = _locked(user, pk)
        last = row.changes.filter(undone=False).first()
        if last is None:
            return _("There is nothing to undo.")
        board = value_of(row)
        if not _same(_document(board, str(last.card)), last.after):
            return _("That card was changed since.")
        changed = _with(board, str(last.card), last.before)
        try:
            write_gpt(user, row, changed)
        except Stale as error:
            return str(error)
        row.content = changed.as_json()
        row.save(update_fields=["content", "updated"])
        last.undone = True
        last.save(update_fields=["undone"])
        if last.proposal is not None:
            _decide(user, last.proposal, Decision.OPEN)
        touch(pk)
    return ""


def clear(user: Any, pk: int) -> None:
    """Forget what was said, with the proposals; the cards and their history stay."""
    with transaction.atomic():
        row = _locked(user, pk)
        row.rounds.exclude(state=RoundState.RUNNING).delete()
        over = row.conversations.exclude(turns__state__in=LIVE_STATES)
        Conversation.objects.filter(
            pk__in=list(over.values_list("pk", flat=True))
        ).delete()
        touch(pk)


def _locked(user: Any, pk: int) -> KeptBoard:
    """The board's row, for this transaction alone."""
    board_of(user, pk)
    return KeptBoard.objects.select_for_update().get(pk=pk)


def _open(row: KeptBoard, proposals: list[int]) -> list[KeptProposal]:
    rows = KeptProposal.objects.filter(
        round__board=row, pk__in=proposals, decision=Decision.OPEN
    )
    return list(rows.select_related("round"))


def _decide(user: Any, proposal: KeptProposal, decision: Decision) -> None:
    decided = decision is not Decision.OPEN
    proposal.decision = decision
    proposal.decided_by = user if decided else None
    proposal.decided = timezone.now() if decided else None
    proposal.save(update_fields=["decision", "decided_by", "decided"])


def _save(  # noqa: PLR0913  what a line of history says
    user: Any,
    row: KeptBoard,
    card_id: str,
    changed: Board,
    what: str,
    *,
    remark: str = "",
    proposal: KeptProposal | None = None,
) -> None:
    before = _document(value_of(row), card_id)
    write_gpt(user, row, changed)
    row.content = changed.as_json()
    row.save(update_fields=["content", "updated"])
    BoardChange.objects.create(
        board=row,
        person=user,
        proposal=proposal,
        remark=remark,
        card=card_id,
        what=what,
        before=before,
        after=_document(changed, card_id),
    )
    touch(row.pk)


def _document(board: Board, card_id: str) -> dict[str, Any] | None:
    """A card with its place, so that undoing puts it back where it was."""
    card = board.card(card_id)
    if card is None:
        if card_id != board.vision_card.id:
            return None
        card = board.vision_card
        return {"at": -1, **card_json(card)}
    return {"at": board.cards.index(card), **card_json(card)}


def _same(one: dict[str, Any] | None, other: dict[str, Any] | None) -> bool:
    """The same card, wherever it stands by now."""
    if one is None or other is None:
        return one is other
    return {**one, "at": 0} == {**other, "at": 0}


def _with(board: Board, card_id: str, document: dict[str, Any] | None) -> Board:
    """The board with that card as it was; without it where it was not there."""
    cards = [card for card in board.cards if card.id != card_id]
    if document is None:
        return Board(board.title, board.vision, tuple(cards))
    if document["at"] < 0:
        return Board(document["title"], document["goal"], board.cards)
    card: Card = read_card(document, "card")
    cards.insert(document["at"], card)
    return Board(board.title, board.vision, tuple(cards))

"""A board as its page shows it: what was said, what is open, the cards.

Owns the passage from rows to what templates print; decides nothing.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from chat.cards import stored
from chat.cards.board import VISION, Board, Card, Function, State
from chat.cards.decide import is_stale
from chat.cards.models import (
    BoardChange,
    Decision,
    KeptBoard,
    KeptProposal,
    Round,
    RoundState,
)
from chat.cards.proposals import Change, Proposal
from chat.cards.store import value_of
from chat.cards.words import Segment, word_diff
from chat.engine.base import Place
from chat.engine.current import engine
from chat.models import State as TurnState

SHOWN_ROUNDS = 30
_UNREAD = ("question", "sent", "answer", "reasoning", "earlier", "tools", "notes")


@dataclass(frozen=True, slots=True)
class ShownLine:
    """One line of a list: `kind` is same, removed, added or changed."""

    kind: str
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class ShownProposal:
    """`whole` is a new or removed function or card; `stale` says why it is."""

    pk: int
    change: str
    heading: str
    about: str
    segments: tuple[Segment, ...] = ()
    lines: tuple[ShownLine, ...] = ()
    whole: Any = None
    reason: str = ""
    stale: str = ""
    decision: str = Decision.OPEN.value


@dataclass(frozen=True, slots=True)
class CardProposals:
    """All that is open about one card."""

    title: str
    proposals: tuple[ShownProposal, ...]

    @property
    def fitting(self) -> str:
        """The keys of those that still fit, for one button."""
        return " ".join(str(one.pk) for one in self.proposals if not one.stale)

    @property
    def several(self) -> bool:
        return " " in self.fitting


@dataclass(frozen=True, slots=True)
class ShownRound:
    """One message and its answer. `words` say where an unfinished one stands."""

    pk: int
    person: str
    mine: bool
    message: str
    answer: str
    asked_of: str
    state: str
    words: str
    facts: str
    error: str
    reply: str = ""
    waits_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class ShownBoard:
    board: Board
    counts: str
    rounds: tuple[ShownRound, ...]
    running: bool
    groups: tuple[CardProposals, ...]
    refused: tuple[ShownProposal, ...]
    last: BoardChange | None


def show_board(row: KeptBoard, user: Any) -> ShownBoard:
    """Everything of the page that may change under the eye."""
    board = value_of(row)
    # Without the board as it was sent, and what the turns hold: that is much to open.
    rounds = list(
        row.rounds.select_related("person", "turn")
        .defer("base", *(f"turn__{name}" for name in _UNREAD))
        .order_by("-pk")[:SHOWN_ROUNDS]
    )
    kept = _kept(row, rounds)
    counts = _proposal_counts(rounds)
    shown = tuple(_round(one, user, counts) for one in reversed(rounds))
    return ShownBoard(
        board=board,
        counts=counts_of(board),
        rounds=shown,
        running=any(one.state == RoundState.RUNNING for one in rounds),
        groups=_groups(board, kept),
        refused=_refused(board, kept, rounds),
        last=row.changes.filter(undone=False).select_related("person").first(),
    )


def counts_of(board: Board) -> str:
    """E.g. `9 cards, 31 functions, 4 ordered`."""
    functions = [f for card in board.cards for f in card.functions]
    ordered = sum(1 for one in functions if one.state is State.ORDERED)
    return _("%(cards)s, %(functions)s, %(ordered)d ordered") % {
        "cards": ngettext("%d card", "%d cards", len(board.cards)) % len(board.cards),
        "functions": ngettext("%d function", "%d functions", len(functions))
        % len(functions),
        "ordered": ordered,
    }


# --- what was said -----------------------------------------------------------------


def _kept(row: KeptBoard, rounds: list[Round]) -> list[KeptProposal]:
    """Those of rounds with something open, and of the last round."""
    mine = KeptProposal.objects.filter(round__board=row)
    opened = mine.filter(decision=Decision.OPEN).values_list("round_id", flat=True)
    wanted = {*opened, *(one.pk for one in rounds[:1])}
    return list(mine.filter(round_id__in=wanted).order_by("round_id", "number"))


def _proposal_counts(rounds: list[Round]) -> dict[int, int]:
    found = KeptProposal.objects.filter(round__in=[one.pk for one in rounds])
    counted = found.order_by().values("round_id").annotate(count=Count("pk"))
    return {row["round_id"]: row["count"] for row in counted}


def _round(one: Round, user: Any, counts: dict[int, int]) -> ShownRound:
    name = one.person.get_username() if one.person else _("somebody")
    attempt = one.attempt or {}
    turn = one.turn
    limited = turn is not None and turn.state == TurnState.RATE_LIMITED
    return ShownRound(
        pk=one.pk,
        person=name,
        mine=one.person_id == user.pk,
        message=str(one.message or ""),
        answer=str(one.answer or ""),
        asked_of=one.asked_of,
        state=one.state,
        words=_standing(one),
        facts=_facts(one, counts.get(one.pk, 0)),
        error=str(one.error or ""),
        reply=str(attempt.get("reply", "")) if one.state == RoundState.FAILED else "",
        waits_until=turn.resets_at if turn and limited and one.ended is None else None,
    )


def _standing(one: Round) -> str:
    if one.state != RoundState.RUNNING or one.turn is None:
        return ""
    if one.turn.state == TurnState.RATE_LIMITED:
        return _("Limited for now; it goes on by itself.")
    if one.turn.state == TurnState.QUEUED:
        return _ahead(engine().place(one.turn.pk))
    if one.calls > 1:
        return (
            _("The answer could not be read; asking once more (call %d).") % one.calls
        )
    return _("Answering. You may close this page; the answer will be here.")


def _ahead(place: Place | None) -> str:
    if place is None or not place.ahead:
        return _("Waiting for its turn.")
    words = ngettext("%d is ahead of it.", "%d are ahead of it.", place.ahead)
    return words % place.ahead


def _facts(one: Round, proposals: int) -> str:
    if one.state != RoundState.DONE:
        return ""
    parts = [
        ngettext("%d proposal", "%d proposals", proposals) % proposals
        if proposals
        else _("no changes proposed"),
        ngettext("read in %d attempt", "read in %d attempts", one.calls) % one.calls,
    ]
    if one.ignored:
        parts.append(_("fields ignored: %s") % ", ".join(map(str, one.ignored)))
    return " · ".join(parts)


# --- what is proposed --------------------------------------------------------------


def _groups(board: Board, kept: list[KeptProposal]) -> tuple[CardProposals, ...]:
    accepted = _accepted(kept)
    grouped: dict[str, list[ShownProposal]] = {}
    titles: dict[str, str] = {}
    for one in kept:
        if one.decision != Decision.OPEN:
            continue
        proposal = stored.from_json(one.content)
        stale = is_stale(board, proposal, accepted.get(one.round_id, ()))
        titles.setdefault(proposal.card, _title(board, proposal))
        grouped.setdefault(proposal.card, []).append(
            _shown(board, one, proposal, stale)
        )
    return tuple(
        CardProposals(titles[card], tuple(found)) for card, found in grouped.items()
    )


def _accepted(kept: list[KeptProposal]) -> dict[int, list[Proposal]]:
    found: dict[int, list[Proposal]] = {}
    for one in kept:
        if one.decision == Decision.ACCEPTED:
            found.setdefault(one.round_id, []).append(stored.from_json(one.content))
    return found


def _refused(
    board: Board, kept: list[KeptProposal], rounds: list[Round]
) -> tuple[ShownProposal, ...]:
    """Those of the last round, to take a refusal back."""
    last = rounds[0].pk if rounds else None
    return tuple(
        _shown(board, one, stored.from_json(one.content), "")
        for one in kept
        if one.decision == Decision.REFUSED and one.round_id == last
    )


def _title(board: Board, proposal: Proposal) -> str:
    if isinstance(proposal.proposed, Card):
        return proposal.proposed.title
    card = board.card(proposal.card)
    if card is None and proposal.card == VISION:
        return _("Vision")
    return card.title if card else proposal.card


def _shown(
    board: Board, one: KeptProposal, proposal: Proposal, stale: str
) -> ShownProposal:
    segments: tuple[Segment, ...] = ()
    lines: tuple[ShownLine, ...] = ()
    whole = None
    if isinstance(proposal.proposed, Card | Function):
        whole = proposal.proposed
    elif isinstance(proposal.original, Function):
        whole = proposal.original
    elif proposal.change is Change.REMOVED_LINE:
        segments = (Segment("removed", proposal.original),)
    elif isinstance(proposal.proposed, tuple):
        lines = line_diff(proposal.original, proposal.proposed)
    else:
        segments = word_diff(str(proposal.original), str(proposal.proposed))
    return ShownProposal(
        pk=one.pk,
        change=proposal.change.value,
        heading=_title(board, proposal),
        about=_about(proposal),
        segments=segments,
        lines=lines,
        whole=whole,
        reason=proposal.reason,
        stale=stale,
        decision=one.decision,
    )


def _about(proposal: Proposal) -> str:
    """What of the card it is about, in words."""
    words = {
        Change.NEW_CARD: _("new card"),
        Change.NEW_FUNCTION: _("new function, ordered"),
        Change.REMOVED_FUNCTION: _("remove this function"),
    }
    if proposal.change in words:
        return words[proposal.change]
    fields = {
        "title": _("title"),
        "kind": _("kind"),
        "goal": _("goal"),
        "rules": _("rules"),
        "tests": _("tests"),
        "functions": _("functions"),
    }
    parts = [proposal.function, fields.get(proposal.field, proposal.field)]
    more = {
        Change.ORDER: _("another order"),
        Change.REMOVED_LINE: _("remove this line"),
    }
    parts.append(more.get(proposal.change, ""))
    return " · ".join(part for part in parts if part)


def line_diff(
    original: Sequence[str], proposed: Sequence[str]
) -> tuple[ShownLine, ...]:
    """Line by line, a changed line word by word."""
    matcher = difflib.SequenceMatcher(None, original, proposed, autojunk=False)
    found: list[ShownLine] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        old, new = original[a:b], proposed[c:d]
        if tag == "equal":
            found += [ShownLine("same", (Segment("same", line),)) for line in old]
            continue
        both = min(len(old), len(new)) if tag == "replace" else 0
        found += [
            ShownLine("changed", word_diff(one, other))
            for one, other in zip(old[:both], new[:both], strict=True)
        ]
        found += [ShownLine("removed", (Segment("removed", x),)) for x in old[both:]]
        found += [ShownLine("added", (Segment("added", x),)) for x in new[both:]]
    return tuple(found)

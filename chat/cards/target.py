"""What an answer would change on a board, as proposals. Pure.

Cards are matched by id, and by title where they bring none; functions by title, or by
likeness where one was renamed. What the answer does not mention stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from chat.cards.answer import Answer, CardDraft, FunctionDraft
from chat.cards.board import (
    VISION,
    Board,
    BoardError,
    Card,
    Function,
    Kind,
    free_id,
    key_of,
)
from chat.cards.likeness import likeness, pairs
from chat.cards.lines import line_proposals, ordered_after
from chat.cards.proposals import Change, Proposal

BY_TITLE = "Matched by its title: the answer gave no id of this board."
SAME_TITLE = "Another card has this title already."
NO_TESTS = "It has no test yet."
RENAMED = "Taken for a renaming: the rest of the function is alike."
_ALIKE = 0.5


@dataclass(frozen=True, slots=True)
class _Match:
    draft: CardDraft
    card: Card
    guessed: bool


def proposals_of(board: Board, answer: Answer) -> tuple[Proposal, ...]:
    """The proposals in the answer's order. Raises BoardError where a card is not
    clear, in words for the model."""
    matched, new = _matched(board, answer.cards)
    found = [p for match in matched for p in _card_proposals(match)]
    used = {card.id for card in board.cards} | {draft.id for draft in new}
    cards = _new_cards(new, used)
    for at, card in enumerate(cards):
        found.append(_whole(card, tuple(later.id for later in cards[at + 1 :])))
    return tuple(_with_warnings(board, found))


# --- which card is meant -----------------------------------------------------------


def _matched(
    board: Board, drafts: Iterable[CardDraft]
) -> tuple[list[_Match], list[CardDraft]]:
    matched: list[_Match] = []
    new: list[CardDraft] = []
    taken: set[str] = set()
    for draft in drafts:
        card = board.card(draft.id) if draft.id else None
        if card is None and draft.id == VISION:
            card, draft = board.vision_card, _only_vision(draft)
        guess = None if card else _by_title(board, draft)
        found = card or guess
        if found is None:
            new.append(draft)
        elif found.id in taken:
            raise BoardError(f"The card {found.id!r} stands there twice.")
        else:
            taken.add(found.id)
            matched.append(_Match(draft, found, guessed=card is None))
    return matched, new


def _only_vision(draft: CardDraft) -> CardDraft:
    """The vision has a title and a goal, and nothing else."""
    return CardDraft(VISION, draft.title, goal=draft.goal)


def _by_title(board: Board, draft: CardDraft) -> Card | None:
    key = key_of(draft.title or "")
    found = [card for card in board.cards if key and key_of(card.title) == key]
    if len(found) > 1:
        raise BoardError(f"Several cards are called {draft.title!r}: give the id.")
    return found[0] if found else None


# --- a card that is there ----------------------------------------------------------


def _card_proposals(match: _Match) -> Iterator[Proposal]:
    draft, card = match.draft, match.card
    title = None if match.guessed else draft.title
    reason = BY_TITLE if match.guessed else ""
    fields = (("title", card.title, title), ("goal", card.goal, draft.goal))
    for name, original, proposed in fields:
        yield from _text(card.id, "", name, original, proposed, reason)
    if draft.kind not in {None, card.kind}:
        kind = draft.kind or Kind.CORE
        yield Proposal(
            Change.TEXT, card.id, "kind", card.kind.value, kind.value, reason=reason
        )
    yield from line_proposals(card.id, "", "rules", card.rules, draft.rules, reason)
    if draft.functions is not None:
        yield from _function_proposals(card, draft.functions, reason)


def _text(  # noqa: PLR0913  what a proposal is made of
    card: str,
    function: str,
    name: str,
    original: str,
    proposed: str | None,
    reason: str,
) -> Iterator[Proposal]:
    if proposed is not None and proposed != original:
        yield Proposal(
            Change.TEXT, card, name, original, proposed, function, reason=reason
        )


def _function_proposals(
    card: Card, drafts: tuple[FunctionDraft, ...], reason: str
) -> Iterator[Proposal]:
    """Fields of those that stay, then new ones, removed ones, and their order."""
    stays, renames = _pairing(card.functions, drafts)
    new_titles = {function.title: key for key, function in stays.items()}
    for draft in drafts:
        if key_of(draft.title) in stays:
            function = stays[key_of(draft.title)]
            yield from _fields(card.id, function, draft, reason, renames)
    old = [function.title for function in card.functions]
    target = [
        stays[key_of(draft.title)].title
        if key_of(draft.title) in stays
        else draft.title
        for draft in drafts
    ]
    order = ordered_after(old, target)
    for draft in drafts:
        if key_of(draft.title) not in stays:
            before = order[: order.index(draft.title)][::-1]
            near = _both_titles(before, new_titles)
            yield _new_function(card.id, draft, near, reason)
    for function in card.functions:
        if function.title not in target:
            yield Proposal(
                Change.REMOVED_FUNCTION,
                card.id,
                "function",
                function,
                None,
                function.title,
                reason,
            )
    kept = [title for title in target if title in old]
    if kept != [title for title in old if title in kept]:
        order = _both_titles(ordered_after(target, old), new_titles)
        yield _order(card.id, old, order, reason)


def _both_titles(titles: list[str], new_titles: dict[str, str]) -> list[str]:
    """Each title, and beside it the one that the function may have by then."""
    return [
        either
        for title in titles
        for either in dict.fromkeys((title, new_titles.get(title, title)))
    ]


def _order(card: str, old: list[str], order: list[str], reason: str) -> Proposal:
    there = tuple(title for title in order if title in old)
    return Proposal(
        Change.ORDER,
        card,
        "functions",
        tuple(old),
        there,
        reason=reason,
        near=tuple(order),
    )


def _pairing(
    functions: tuple[Function, ...], drafts: tuple[FunctionDraft, ...]
) -> tuple[dict[str, Function], set[str]]:
    """Key of a draft's title to the function it is; and the keys of renamed ones."""
    by_key: dict[str, Function] = {}
    for function in functions:
        by_key.setdefault(key_of(function.title), function)
    stays = {
        key_of(d.title): by_key[key_of(d.title)]
        for d in drafts
        if key_of(d.title) in by_key
    }
    there = list(stays.values())
    gone = [function for function in functions if function not in there]
    new = [draft for draft in drafts if key_of(draft.title) not in stays]
    renames = pairs(gone, new, _alike, _ALIKE)
    for function, draft in renames:
        stays[key_of(draft.title)] = function
    return stays, {key_of(draft.title) for _, draft in renames}


def _alike(function: Function, draft: FunctionDraft) -> float:
    """How far a draft says what the function says; the title counts once more."""
    said = (function.goal, *function.rules, *function.tests)
    would = (draft.goal or "", *(draft.rules or ()), *(draft.tests or ()))
    body = likeness("\n".join(said), "\n".join(would)) if any(said) else 0.0
    return max(body, likeness(function.title, draft.title))


def _fields(
    card: str,
    function: Function,
    draft: FunctionDraft,
    reason: str,
    renames: set[str],
) -> Iterator[Proposal]:
    title, renamed = function.title, ""
    if key_of(draft.title) in renames:
        renamed = draft.title
        said = " ".join(part for part in (reason, RENAMED) if part)
        yield from _text(card, title, "title", title, draft.title, said)
    elif draft.title != title:
        renamed = draft.title
        yield from _text(card, title, "title", title, draft.title, reason)
    found = [
        *_text(card, title, "goal", function.goal, draft.goal, reason),
        *line_proposals(card, title, "rules", function.rules, draft.rules, reason),
        *line_proposals(card, title, "tests", function.tests, draft.tests, reason),
    ]
    yield from (replace(proposal, renamed=renamed) for proposal in found)


def _new_function(
    card: str, draft: FunctionDraft, near: list[str], reason: str
) -> Proposal:
    function = _function(draft)
    reasons = (reason, "" if function.tests else NO_TESTS)
    return Proposal(
        Change.NEW_FUNCTION,
        card,
        "function",
        None,
        function,
        draft.title,
        " ".join(part for part in reasons if part),
        near=tuple(near),
    )


def _function(draft: FunctionDraft) -> Function:
    return Function(draft.title, draft.goal or "", draft.rules or (), draft.tests or ())


# --- a card that is new ------------------------------------------------------------


def _new_cards(drafts: Iterable[CardDraft], used: set[str]) -> list[Card]:
    cards = []
    for draft in drafts:
        if not draft.title:
            raise BoardError(
                f"No card has the id {draft.id!r}; a new one needs a title."
            )
        card = _new_card(draft, draft.title, draft.id or free_id(used))
        used.add(card.id)
        cards.append(card)
    return cards


def _new_card(draft: CardDraft, title: str, card_id: str) -> Card:
    return Card(
        id=card_id,
        title=title,
        kind=draft.kind or Kind.CORE,
        goal=draft.goal or "",
        rules=draft.rules or (),
        functions=tuple(map(_function, draft.functions or ())),
    )


def _whole(card: Card, behind: tuple[str, ...]) -> Proposal:
    untested = any(not function.tests for function in card.functions)
    return Proposal(
        Change.NEW_CARD,
        card.id,
        "card",
        None,
        card,
        reason=NO_TESTS if untested else "",
        near=behind,
    )


def _with_warnings(board: Board, found: list[Proposal]) -> Iterator[Proposal]:
    """Says where a new title would be another card's."""
    titles = {key_of(card.title): card.id for card in board.cards}
    for proposal in found:
        title = _title_given(proposal)
        there = titles.get(key_of(title)) if title else None
        if there not in {None, proposal.card}:
            reason = " ".join(part for part in (proposal.reason, SAME_TITLE) if part)
            proposal = replace(proposal, reason=reason)
        yield proposal


def _title_given(proposal: Proposal) -> str:
    """The title that a card would get by this proposal."""
    if isinstance(proposal.proposed, Card):
        return proposal.proposed.title
    if proposal.field == "title" and not proposal.function:
        return str(proposal.proposed)
    return ""

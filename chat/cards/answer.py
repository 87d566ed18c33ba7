"""What a model answered to a round, as a value: a text, and the cards it changes.

Pure. Finds the one JSON document in the reply that is an answer, whatever stands
around it; where two could be meant, or one is broken, the model is asked again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from chat.cards.board import (
    MOST_CARDS,
    MOST_FUNCTIONS,
    BoardError,
    Kind,
    key_of,
    read_id,
    read_kind,
    read_line,
    read_lines,
    read_text,
)
from chat.cards.loose_json import LooseError, parse_at, place_of

_STARTS = re.compile(r'\{\s*(?:["“„”}/]|$)|\[\s*(?:[\[{"“„\]\d/-]|$)')
_OURS = re.compile(r'[{\[]\s*(?:\{\s*)?["“„”](?:answer|cards|id|title)["”“]\s*:')
_FENCE = re.compile(r"^[ \t]*```[\w-]*[ \t]*$", re.M)
_MEANS_JSON = re.compile(
    r"```\s*json|[\"'“{,]\s*(?:cards|answer)\s*[\"'”]?\s*:|\{\s*[\"'“]", re.I
)
_LETTERS = re.compile(r"[^\W\d_]{2}")
_CARD_FIELDS = {"id", "title", "kind", "goal", "rules", "functions", "state"}
_FUNCTION_FIELDS = {"title", "goal", "rules", "tests", "state"}
_MOST_FAULTS = 2_000


@dataclass(frozen=True, slots=True)
class FunctionDraft:
    """A function as the model would have it; None is a field that it left out."""

    title: str
    goal: str | None = None
    rules: tuple[str, ...] | None = None
    tests: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class CardDraft:
    """A card as the model would have it; None is a field that it left out."""

    id: str = ""
    title: str | None = None
    kind: Kind | None = None
    goal: str | None = None
    rules: tuple[str, ...] | None = None
    functions: tuple[FunctionDraft, ...] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The text for the person, the cards that change, and fields that were ignored."""

    text: str
    cards: tuple[CardDraft, ...] = ()
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a reply is no answer, in words for the model and the person.

    `prose`: the reply is plain text, without any JSON; it may be an answer after all.
    """

    reason: str
    prose: bool = False


@dataclass(slots=True)
class _Found:
    """What a scan over a reply came to."""

    values: list[tuple[Any, int]] = field(default_factory=list)
    fault: LooseError | None = None  # of something that was meant as an answer


def read_answer(reply: str) -> Answer | Unreadable:
    """The answer that a reply holds, or why it holds none."""
    if not reply.strip():
        return Unreadable("The answer was empty.")
    text = _decoded(reply)
    found = _scan(text)
    if found.fault:
        return _broken(found.fault, text)
    answers = _distinct([item for item in found.values if _is_answer(*item, text)])
    if not answers:
        return _none(text, found)
    if len(answers) > 1:
        return Unreadable("There is more than one answer: send exactly one object.")
    value, start = answers[0]
    try:
        return _read(value, prose=text[:start])
    except BoardError as error:
        return Unreadable(str(error))


def _decoded(text: str) -> str:
    """A reply that is one JSON string holds the JSON: decoded once."""
    stripped = text.strip()
    if not stripped.startswith('"'):
        return text
    try:
        value, end = parse_at(stripped, 0)
    except LooseError:
        return text
    return value if isinstance(value, str) and not stripped[end:].strip() else text


def _scan(text: str) -> _Found:
    """Every JSON document outside another one, with its position.

    Brackets of the prose fail to be JSON and are passed over. A document that begins
    like an answer and fails is a fault, unless a whole answer follows it (a form that
    was repeated, a draft); nothing within it is taken.
    """
    found = _Found()
    position = faults = 0
    while (start := _STARTS.search(text, position)) and faults < _MOST_FAULTS:
        try:
            value, position = parse_at(text, start.start())
        except LooseError as error:
            if error.ended or _OURS.match(text, start.start()):
                found.fault = error
            if error.ended:
                return found
            position = start.start() + 1
            faults += 1
        else:
            found.values.append((value, start.start()))
            if isinstance(value, dict) and _inner(value) is not None:
                found.fault = None
    return found


def _is_answer(value: Any, start: int, text: str) -> bool:
    if isinstance(value, list):
        # A list behind a colon is part of something that was no JSON.
        part = text[:start].rstrip().endswith((":", ",", "[", "{", "="))
        return bool(value) and not part and all(map(_is_card, value))
    return isinstance(value, dict) and _inner(value) is not None


def _is_card(value: Any) -> bool:
    return isinstance(value, dict) and ("title" in value or "id" in value)


def _inner(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The object with `answer` or `cards`: this one, or the one wrapped in it."""
    if "cards" in value or "answer" in value:
        return value
    wrapped = [item for item in value.values() if isinstance(item, dict)]
    inner = [item for item in wrapped if "cards" in item or "answer" in item]
    return inner[0] if len(inner) == 1 and len(value) == 1 else None


def _distinct(found: list[tuple[Any, int]]) -> list[tuple[Any, int]]:
    kept: list[tuple[Any, int]] = []
    for value, start in found:
        if all(value != other for other, _ in kept):
            kept.append((value, start))
    return kept


def _broken(fault: LooseError, text: str) -> Unreadable:
    if fault.ended:
        return Unreadable("The JSON breaks off before its end.")
    place = place_of(text, fault.position)
    return Unreadable(
        f"The JSON is broken at line {place.line}, column {place.column}: "
        f"{fault.message}."
    )


def _none(text: str, found: _Found) -> Unreadable:
    if _MEANS_JSON.search(text) and not any(_is_dict(v) for v, _ in found.values):
        return Unreadable("The JSON cannot be read: keys need double quotes.")
    if text.strip() in {"null", "true", "false"} or _is_document(text, found):
        return Unreadable("The JSON is no object with answer and cards.")
    return Unreadable("There is no JSON in it.", prose=bool(_LETTERS.search(text)))


def _is_dict(value: Any) -> bool:
    return isinstance(value, dict)


def _is_document(text: str, found: _Found) -> bool:
    """Whether the reply is JSON of another shape, and not prose that cites [1]."""
    objects = any(value and _is_dict(value) for value, _ in found.values)
    return objects or (bool(found.values) and not _LETTERS.search(text))


# --- an answer's fields ------------------------------------------------------------


def _read(value: Any, *, prose: str) -> Answer:
    if isinstance(value, list):
        value = {"cards": value}
    value = _inner(value) or value
    said = value.get("answer")
    rows = _rows(value.get("cards"))
    ignored: dict[str, None] = {}
    cards = tuple(_card(row, f"cards[{at}]", ignored) for at, row in enumerate(rows))
    _refuse_twice(cards)
    aside = " ".join(_FENCE.sub("", prose).split())
    text = read_text(said, "answer") if said is not None else aside
    return Answer(text, cards, tuple(ignored))


def _rows(value: Any) -> list[Any]:
    """The cards; a string that holds the list is decoded once more."""
    if isinstance(value, str):
        try:
            value, _ = parse_at(value, 0)
        except LooseError as error:
            raise BoardError(f"cards: {error.message}.") from None
    if value is None:
        return []
    if not isinstance(value, list):
        raise BoardError("cards: a list is needed.")
    if len(value) > MOST_CARDS:
        raise BoardError(f"cards: at most {MOST_CARDS}.")
    return value


def _card(row: Any, where: str, ignored: dict[str, None]) -> CardDraft:
    row = _object(row, where, _CARD_FIELDS, ignored)
    draft = CardDraft(
        id=read_id(row.get("id"), f"{where}.id"),
        title=_given(row, "title", where, read_line),
        kind=read_kind(row["kind"]) if row.get("kind") is not None else None,
        goal=_given(row, "goal", where, read_text),
        rules=_given(row, "rules", where, read_lines),
        functions=_functions(row.get("functions"), f"{where}.functions", ignored),
    )
    if not draft.id and not draft.title:
        raise BoardError(f"{where}: a title is needed.")
    if draft.title == "":
        raise BoardError(f"{where}.title: it is empty.")
    return draft


def _functions(
    value: Any, where: str, ignored: dict[str, None]
) -> tuple[FunctionDraft, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) > MOST_FUNCTIONS:
        raise BoardError(f"{where}: a list of at most {MOST_FUNCTIONS} is needed.")
    drafts = tuple(
        _function(row, f"{where}[{at}]", ignored) for at, row in enumerate(value)
    )
    keys = [key_of(draft.title) for draft in drafts]
    for draft in drafts:
        if keys.count(key_of(draft.title)) > 1:
            raise BoardError(f"{where}: {draft.title!r} stands there twice.")
    return drafts


def _function(row: Any, where: str, ignored: dict[str, None]) -> FunctionDraft:
    row = _object(row, where, _FUNCTION_FIELDS, ignored)
    title = _given(row, "title", where, read_line)
    if not title:
        raise BoardError(f"{where}: a title is needed.")
    return FunctionDraft(
        title=title,
        goal=_given(row, "goal", where, read_text),
        rules=_given(row, "rules", where, read_lines),
        tests=_given(row, "tests", where, read_lines),
    )


def _object(
    row: Any, where: str, known: set[str], ignored: dict[str, None]
) -> dict[str, Any]:
    """The known fields of a row. A yes or no is no value of any of them."""
    if not isinstance(row, dict):
        raise BoardError(f"{where}: an object is needed.")
    for name, value in row.items():
        if isinstance(value, bool):
            raise BoardError(f"{where}.{name}: true or false is no value here.")
        if name not in known:
            ignored[name] = None
    return {name: _as_text(value) for name, value in row.items() if name in known}


def _as_text(value: Any) -> Any:
    """Numbers as their digits, also within a list of lines."""
    if isinstance(value, list):
        return [_as_text(item) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value


def _given(row: Mapping[str, Any], name: str, where: str, read: Any) -> Any:
    """The field, or None where it was left out."""
    return read(row[name], f"{where}.{name}") if row.get(name) is not None else None


def _refuse_twice(cards: tuple[CardDraft, ...]) -> None:
    for name, keys in (("id", list(_ids(cards))), ("title", list(_titles(cards)))):
        for key in keys:
            if keys.count(key) > 1:
                raise BoardError(f"cards: the {name} {key!r} stands on two of them.")


def _ids(cards: tuple[CardDraft, ...]) -> Iterator[str]:
    return (card.id for card in cards if card.id)


def _titles(cards: tuple[CardDraft, ...]) -> Iterator[str]:
    """Of those that are told apart by nothing else."""
    return (key_of(card.title) for card in cards if card.title and not card.id)

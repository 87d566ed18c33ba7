"""Which request parameter a refusal names, and what it wants in its place. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from chat.backends.bodies import Said

# These make the request what it is: never left out, never named as the culprit.
_ESSENTIAL = {"model", "messages", "body", "input", "request_body", "prompt"}
_REFUSAL = re.compile(
    r"unsupported|not supported|not support|unrecogni[sz]ed|unknown|unexpected"
    r"|not permitted|not allowed|not accept|extra[ _](?:inputs?|fields?|forbidden)"
    r"|no such (?:parameter|field|argument)|only the default|not available",
    re.IGNORECASE,
)
_NAME = r"[`'\"‘“{\[(]{0,3}([A-Za-z_][\w.]{0,60})"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"'loc': \(?\[?'body', '(\w{1,60})'",
        rf"(?:unsupported|unknown|unrecogni[sz]ed|unexpected|invalid) (?:request )?"
        rf"(?:value|parameter|argument|field|key|keyword argument|property|input)s?"
        rf"(?: supplied| in the request| name)?:? {_NAME}",
        rf"(?:parameter|argument|field|property|option) {_NAME}[`'\"’”)\]]{{0,2}}"
        r" (?:is|are|was) (?:not|un)",
        r"[`'\"‘“](\w{1,60})[`'\"’”] (?:is|are|does) (?:not|un)",
        rf"does not (?:support|accept|allow)(?: the)?(?: parameter| option)? {_NAME}",
    )
)
_INSTEAD = re.compile(r"use [`'\"‘“]?(\w{1,60})[`'\"’”]? instead", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RefusedParameter:
    """The parameter's name, and the one the server wants instead ("" for none)."""

    name: str
    instead: str = ""


def read_refused(said: Said, sent: Collection[str]) -> RefusedParameter | None:
    """The parameter this 400 or 422 refuses, None where it is about another thing.

    `sent` are the names of the request's own parameters: one of them named in a
    refusing sentence is believed even where no pattern knows the wording.
    """
    if not _REFUSAL.search(f"{said.words} {said.sentence}"):
        return None
    for name in _named(said, sent):
        if name not in _ESSENTIAL:
            return RefusedParameter(name, _instead(said.sentence, name))
    return None


def _named(said: Said, sent: Collection[str]) -> Iterable[str]:
    yield from _locations(said.payload)
    if said.param:
        yield said.param.split(".")[0]
    text = said.sentence[:4000]
    for pattern in _PATTERNS:
        if match := pattern.search(text):
            yield match[1].split(".")[0]
    for name in sent:
        if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
            yield name


def _locations(payload: Any) -> Iterable[str]:
    """The fields that a validating framework (FastAPI) points at."""
    detail = payload.get("detail") if isinstance(payload, dict) else None
    for item in detail if isinstance(detail, list) else ():
        loc = item.get("loc") if isinstance(item, dict) else None
        if isinstance(loc, list) and len(loc) > 1 and loc[0] == "body":
            yield str(loc[1])


def _instead(sentence: str, name: str) -> str:
    match = _INSTEAD.search(sentence)
    return match[1] if match and match[1] != name else ""

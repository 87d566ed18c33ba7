"""A text longer than the context window, in the dialects of many servers. Pure.

There is no common code: the sentence decides, and its numbers are worth showing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from chat.backends.bodies import Said

_WORDS = re.compile(
    r"context_?(?:length|window)_?exceed|exceed_context|contextwindowexceeded"
    r"|max_prompt_tokens_exceeded|prompt_too_long"
)
_SENTENCES = re.compile(
    r"maximum context length|contextwindowexceeded|context the overflows"
    r"|context[ _-]?(?:length|size|window|limit).{0,40}(?:exceed|overflow|too small)"
    r"|(?:exceed\w*|(?:greater|longer|larger) than|overflow\w*|too (?:long|large))"
    r".{0,60}(?:context|max_seq_len|max(?:imum)? (?:model|input|sequence) length"
    r"|maximum number of tokens)"
    r"|(?:prompt|inputs?|messages?|conversation) (?:is |are )?too (?:long|large)\b"
    r"|too many (?:input |prompt )?tokens"
    r"|tokens?.{0,40} must (?:be <=|have less)|must have less than \d+ tokens",
    re.IGNORECASE | re.DOTALL,
)

_N = r"(\d[\d,]{0,15})"
_LIMITS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"maximum context length (?:is|of) {_N}",
        rf"n_ctx:? ?{_N}",
        rf"{_N} maximum context length",
        rf"context (?:size|length|window)(?: of)?(?: only)? \(?(?:is )?{_N}",
        rf"maximum model length (?:is|of) {_N}",
        rf"tokens allowed \({_N}",
        rf"max_seq_len(?: of|:)? \(?{_N}",
        rf"(?:must be <=|have less than|cannot exceed|at most|limit (?:is|of)) {_N}",
        rf"> {_N}",
    )
)
_ASKED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_N} (?:tokens )?(?:in|from) the (?:input )?(?:messages|prompt)",
        rf"resulted in {_N} tokens",
        rf"n_keep: {_N}",
        rf"(?:request|input|prompt) \((?:length )?{_N}",
        rf"requested (?:a total of )?{_N} tokens",
        rf"(?:contains|has|have|first|received|given:|too long:) {_N}",
        rf"token count \({_N}",
        rf"length:? \(?{_N}\)? is (?:longer|greater|larger)",
        rf"{_N}(?: tokens)? >",
    )
)
_RESERVED = re.compile(
    rf"{_N} (?:tokens )?(?:in|for) the completion|and {_N} `?max_new_tokens",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Overflow:
    """Tokens asked for, the limit, and those reserved for the answer; None unknown."""

    asked: int | None
    limit: int | None
    reserved: int | None


def read_overflow(said: Said) -> Overflow | None:
    """The overflow this error speaks of, None where it speaks of something else."""
    if not (_WORDS.search(said.words) or _SENTENCES.search(said.sentence[:4000])):
        return None
    text = said.sentence[:4000]
    return Overflow(
        asked=_field(said.payload, "n_prompt_tokens") or _first(_ASKED, text),
        limit=_field(said.payload, "n_ctx") or _first(_LIMITS, text),
        reserved=_first((_RESERVED,), text),
    )


def _field(payload: Any, name: str) -> int | None:
    layers = (payload, payload.get("error")) if isinstance(payload, dict) else ()
    for layer in layers:
        value = layer.get(name) if isinstance(layer, dict) else None
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> int | None:
    for pattern in patterns:
        if match := pattern.search(text):
            found = next(group for group in match.groups() if group)
            return int(found.replace(",", ""))
    return None

"""Exactly what would be sent, taken apart for the eye: messages with findings marked.

Pure: callers bring the payload and the gate's verdict.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gpts.detectors.names import Names
from gpts.gate import Cleared, Finding, Payload, Refused, judge
from gpts.gate import Destination as Destination

# About so many characters make a token; said with "about".
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a message; `kind` of what was found in it, or empty."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class LookedAt:
    role_words: str
    size: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """`verdict` is ok, warn or block, `reason` the gate's own sentence."""

    messages: tuple[LookedAt, ...]
    words: str
    verdict: str = "ok"
    reason: str = ""
    params: str = ""


def look_at(
    payload: Payload, verdict: Cleared | Refused, destination: Destination, names: Names
) -> Look:
    judged = judge(verdict.findings, destination.hosting, names)
    reason = verdict.reason if isinstance(verdict, Refused) else judged.reason
    return Look(
        messages=_messages(payload, verdict.findings),
        words=_words(payload, destination.name),
        verdict=judged.verdict.value,
        reason=reason,
    )


def look_back(payload: Payload, params: Mapping[str, Any], server: str) -> Look:
    """What a turn sent, without judging it again."""
    said = json.dumps(params, ensure_ascii=False, sort_keys=True) if params else ""
    return Look(_messages(payload, ()), _words(payload, server), params=said)


def _messages(payload: Payload, findings: Iterable[Finding]) -> tuple[LookedAt, ...]:
    by_source: dict[str, list[Finding]] = {}
    for finding in findings:
        by_source.setdefault(finding.source, []).append(finding)
    return tuple(
        LookedAt(
            _role_words(message.role),
            size_words(len(message.content)),
            tuple(_parts(message.content, by_source.get(payload.source(index), []))),
        )
        for index, message in enumerate(payload.messages)
    )


def _parts(text: str, findings: list[Finding]) -> Iterable[Part]:
    done = 0
    for finding in sorted(findings, key=lambda one: one.start):
        if finding.start < done:
            continue
        if finding.start > done:
            yield Part(text[done : finding.start])
        yield Part(text[finding.start : finding.end], finding.kind)
        done = finding.end
    if done < len(text):
        yield Part(text[done:])


def _role_words(role: str) -> str:
    words = {
        "system": _("System prompt"),
        "user": _("You"),
        "assistant": _("Model"),
    }
    return words.get(role, role)


def _words(payload: Payload, server: str) -> str:
    count = len(payload.messages)
    messages = ngettext("%(count)s message", "%(count)s messages", count)
    return _("%(messages)s to %(server)s, %(size)s") % {
        "messages": messages % {"count": count},
        "server": server,
        "size": size_words(payload.characters),
    }


def tokens_in(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)


def size_words(characters: int) -> str:
    count = tokens_in(characters)
    words = ngettext("about %(count)s token", "about %(count)s tokens", count)
    return words % {"count": number_format(count, force_grouping=True)}

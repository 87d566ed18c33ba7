"""Exactly what a gpt would send, source by source, and what the gate thinks of it.

Blocking (disk, allowed commands). Sends nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gpts.allowed import Allowed
from gpts.context import Gathered, gather
from gpts.document import Document
from gpts.gate import Finding, Judgement, Message, Payload, find, judge
from gpts.opening import Root
from gpts.protected import names
from gpts.rendering import Rendered, read_values, render
from servers.hosting import Hosting


@dataclass(frozen=True, slots=True)
class Source:
    """A declared file or command. `refused` says why it is not sent, else empty."""

    label: str
    bytes: int
    truncated: bool
    refused: str

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "refused": self.refused or None}


@dataclass(frozen=True, slots=True)
class Preview:
    messages: tuple[Message, ...]
    sources: tuple[Source, ...]
    findings: tuple[Finding, ...]
    judged: Judgement

    def as_json(self) -> dict[str, Any]:
        return {
            "messages": [asdict(message) for message in self.messages],
            "sources": [source.as_json() for source in self.sources],
            "findings": [asdict(finding) for finding in self.findings],
            "verdict": self.judged.verdict.value,
            "reason": self.judged.reason,
        }


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where the text would go, and what may be read for it."""

    hosting: Hosting
    roots: Sequence[Root] = ()
    allowed: Sequence[Allowed] = ()


def missing(document: Document, inputs: Mapping[str, str]) -> Mapping[str, str]:
    """What keeps these inputs from being used, by name."""
    return read_values(document, inputs).problems


def preview(
    document: Document,
    inputs: Mapping[str, str],
    bounds: Bounds,
    *,
    question: str = "",
    private_addition: str = "",
) -> Preview:
    """What would be sent for these inputs; `question` is what a person adds."""
    known = names()
    gathered = gather(
        document.context,
        read_values(document, inputs).by_name,
        roots=bounds.roots,
        allowed=bounds.allowed,
        names=known,
    )
    rendered = render(
        document,
        inputs,
        private_addition=private_addition,
        context_pieces=gathered.pieces,
        context_left=gathered.left,
    )
    messages = _with_question(rendered, question)
    findings = (*find(Payload(messages), known), *gathered.findings)
    judged = judge(findings, bounds.hosting, known)
    return Preview(messages, tuple(_sources(gathered)), findings, judged)


def _with_question(rendered: Rendered, question: str) -> tuple[Message, ...]:
    *before, last = rendered.messages
    parts = [part for part in (last.content, question) if part.strip()]
    return (*before, Message(last.role, "\n\n".join(parts)))


def _sources(gathered: Gathered) -> list[Source]:
    read = [
        Source(piece.label, piece.bytes, piece.truncated, "")
        for piece in gathered.pieces
    ]
    return read + [Source(left.label, 0, False, left.reason) for left in gathered.left]

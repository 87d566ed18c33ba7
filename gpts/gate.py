"""The privacy gate: what a turn may send, to whom, and what was found in it.

Pure. `Cleared` is the only thing a turn accepts, and `clear` its only maker.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from servers.hosting import Hosting


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the payload: `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Destination:
    """Who receives: what is shown (`name`), what is typed to confirm, and its rung.

    `key` identifies it for confirmations, e.g. `https://host:443` or `claude`;
    `host` is the word a person retypes; `name` carries no address.
    """

    key: str
    name: str
    host: str
    hosting: Hosting


@dataclass(frozen=True, slots=True)
class Finding:
    """Something private in the payload. `start` and `end` are character offsets
    within the text named by `source`; `excerpt` is shortened for the eye."""

    kind: str
    source: str
    start: int
    end: int
    excerpt: str


class Verdict(StrEnum):
    OK = "ok"
    WARN = "warn"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class Payload:
    """Everything one turn sends: messages in order, system first if there is one."""

    messages: tuple[Message, ...]

    @property
    def characters(self) -> int:
        return sum(len(message.content) for message in self.messages)


@dataclass(frozen=True, slots=True)
class Cleared:
    """A payload that may go to this one destination. Made by `clear` alone."""

    payload: Payload
    destination: Destination
    findings: tuple[Finding, ...] = ()
    names_checked: bool = False
    _made_by_gate: object = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self._made_by_gate is not _SEAL:
            raise TypeError("Only gpts.gate.clear makes a Cleared.")


@dataclass(frozen=True, slots=True)
class Refused:
    """A payload that may not go, why in one line, and what would change that.

    `needs` is `confirm` (a person may confirm the findings), `retype` (the host
    must be typed first) or empty (nothing makes it pass).
    """

    reason: str
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    needs: str = ""


_SEAL = object()


def clear(
    payload: Payload,
    destination: Destination,
    *,
    retyped: bool = False,
    confirmed: bool = False,
) -> Cleared | Refused:
    """Decide whether `payload` may go to `destination`.

    `retyped`: the person typed the destination's host in this session.
    `confirmed`: the person saw the findings and sends anyway (never to global).
    """
    if destination.hosting is Hosting.GLOBAL and not retyped:
        return Refused(
            reason=f"This leaves your network: type {destination.host} to confirm.",
            verdict=Verdict.BLOCK,
            needs="retype",
        )
    return Cleared(payload, destination, _made_by_gate=_SEAL)

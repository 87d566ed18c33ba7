"""The privacy gate: what a turn may send, to whom, and what was found in it.

Pure: callers bring the protected names (gpts.protected.names). `Cleared` is the
only thing a turn accepts, and `clear` its only maker.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from django.utils.translation import gettext, ngettext

from gpts.detectors.hits import Hit
from gpts.detectors.names import NOT_CHECKED, Names
from gpts.detectors.scan import scan
from servers.hosting import Hosting

_EXCERPT = 48  # characters of a finding that are shown


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
    within the text named by `source`; `excerpt` is folded and shortened for the eye."""

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

    def source(self, index: int) -> str:
        """What findings call the message at `index`: `system`, `question` (the last
        one of the person), or role and place, e.g. `assistant 3`."""
        role = self.messages[index].role
        if role == "system" and index == 0:
            return "system"
        if role == "user" and index == len(self.messages) - 1:
            return "question"
        return f"{role} {index + 1}"


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


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the gate thinks of findings at a rung, and why in one line."""

    verdict: Verdict
    reason: str


def clear(
    payload: Payload,
    destination: Destination,
    *,
    retyped: bool = False,
    confirmed: bool = False,
    names: Names = NOT_CHECKED,
    also: tuple[Finding, ...] = (),
) -> Cleared | Refused:
    """Decide whether `payload` may go to `destination`.

    `retyped`: the person typed the destination's host in this session.
    `confirmed`: the person saw the findings and sends anyway (never to global).
    `names`: the protected names; without them nothing goes to a third party.
    `also`: findings outside the messages (a secret across a context piece's cut).
    """
    findings = (*find(payload, names), *also)
    judged = judge(findings, destination.hosting, names)
    if judged.verdict is Verdict.BLOCK:
        return Refused(judged.reason, judged.verdict, findings)
    if judged.verdict is Verdict.WARN and not confirmed:
        return Refused(judged.reason, judged.verdict, findings, needs="confirm")
    if destination.hosting is Hosting.GLOBAL and not retyped:
        return Refused(
            reason=gettext("This leaves your network: type %(host)s to confirm.")
            % {"host": destination.host},
            verdict=Verdict.BLOCK,
            needs="retype",
        )
    return Cleared(payload, destination, findings, names.checked, _made_by_gate=_SEAL)


def find(payload: Payload, names: Names) -> tuple[Finding, ...]:
    """Everything private in the messages, each located in its own message."""
    return tuple(
        finding
        for index, message in enumerate(payload.messages)
        for finding in find_in(message.content, payload.source(index), names)
    )


def find_in(text: str, source: str, names: Names) -> tuple[Finding, ...]:
    return tuple(locate(hit, text, source) for hit in scan(text, names.matcher))


def locate(hit: Hit, text: str, source: str) -> Finding:
    return Finding(hit.kind, source, hit.start, hit.end, _excerpt(text, hit))


def _excerpt(text: str, hit: Hit) -> str:
    """One line, without control characters, cut in the middle when long."""
    shown = text[hit.start : min(hit.end, hit.start + 4 * _EXCERPT)]
    folded = " ".join("".join(c if c.isprintable() else " " for c in shown).split())
    if len(folded) <= _EXCERPT and hit.end - hit.start <= 4 * _EXCERPT:
        return folded
    return folded[: _EXCERPT - 1] + "…"


def judge(findings: tuple[Finding, ...], hosting: Hosting, names: Names) -> Judgement:
    """The verdict by who receives. To a third party anything found blocks, and so
    does a list of names that is empty or unread: nothing found proves nothing."""
    if hosting is Hosting.GLOBAL:
        return _judge_global(findings, names)
    if findings:
        return Judgement(Verdict.WARN, _sentence(findings, hosting.words))
    return Judgement(Verdict.OK, _clean(names))


def _judge_global(findings: tuple[Finding, ...], names: Names) -> Judgement:
    if findings:
        return Judgement(
            Verdict.BLOCK, _sentence(findings, gettext("it may not leave your network"))
        )
    if not names.checked:
        reason = gettext(
            "The protected names could not be checked, so nothing may leave "
            "your network."
        )
        return Judgement(Verdict.BLOCK, reason)
    if not names.entered:
        reason = gettext(
            "No protected name is entered yet, so nothing may leave your network: "
            "a curator enters the names of clients, hosts and databases first."
        )
        return Judgement(Verdict.BLOCK, reason)
    return Judgement(Verdict.OK, _clean(names))


def _sentence(findings: tuple[Finding, ...], where: str) -> str:
    """E.g. `2 private things found (email, host): stays on your network.`"""
    kinds = ", ".join(dict.fromkeys(finding.kind for finding in findings))
    found = ngettext(
        "%(count)d private thing found (%(kinds)s)",
        "%(count)d private things found (%(kinds)s)",
        len(findings),
    )
    return f"{found % {'count': len(findings), 'kinds': kinds}}: {where}."


def _clean(names: Names) -> str:
    """A clean verdict always says which names were not checked."""
    if not names.checked:
        return gettext("Nothing private found; protected names were not checked.")
    if not names.entered:
        return gettext("Nothing private found; no protected name is entered yet.")
    return gettext("Nothing private found.")

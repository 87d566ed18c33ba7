"""One question from the command line, and what every road makes of it.

A road turns an `Asked` into a `Ready`: found, cleared by the gate, not yet sent.
Values and errors alone; the roads are `asking_url`, `asking_claude` and others.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from chat.errors import ChatError
from chat.turn import Ending, Outcome, Sink, Stop
from gpts.gate import Finding, Message, Payload, Refused

Run = Callable[[Sink, Stop], Awaitable[Outcome]]


class Unusable(ChatError):
    """The arguments cannot be used as they are: exit code 2."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was typed. `target` is the handle, URL or session after its option.

    `system` and `params` come from a gpt, `doubt` is what could not be checked of its
    requirements, `also` what was found across the cuts of its context. `confirmed` is
    --yes, `retyped` the host of --confirm-destination, `user` the person of --user.
    """

    target: str
    question: str
    timeout_seconds: float
    model: str = ""
    system: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    confirmed: bool = False
    retyped: str = ""
    user: str = ""
    gpt_stem: str = ""
    doubt: str = ""
    also: tuple[Finding, ...] = ()

    @property
    def payload(self) -> Payload:
        system = (Message("system", self.system),) if self.system else ()
        return Payload((*system, Message("user", self.question)))


@dataclass(frozen=True, slots=True)
class Ready:
    """A question that may go. `where` is what the person reads before it goes."""

    where: str
    run: Run


def refused(reason: str) -> Ready:
    """A question that may not go: its outcome is known without sending."""
    return _known(Outcome(Ending.REFUSED, error=reason))


def failed(error: str, fault: str) -> Ready:
    return _known(Outcome(Ending.FAILED, error=error, fault=fault))


def refused_by_gate(verdict: Refused) -> Ready:
    """The gate's reason, and the option that would make it pass."""
    hint = _("--yes sends it all the same.") if verdict.needs == "confirm" else ""
    return refused(f"{verdict.reason} {hint}".strip())


def _known(outcome: Outcome) -> Ready:
    async def run(sink: Sink, stop: Stop) -> Outcome:
        return outcome

    return Ready("", run)

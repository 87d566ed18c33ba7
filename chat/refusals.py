"""What stands above the composer when a message was not sent, and why."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from chat.commands import Unknown
from gpts.gate import Destination, Finding, Refused, Verdict


@dataclass(frozen=True, slots=True)
class Refusal:
    """`needs` is `confirm`, `retype` (then `host` is the word to type) or empty.

    `replaced`: placeholders stood in what was refused, and stay when it is confirmed.
    """

    what: str
    means: str = ""
    tone: str = "wait"
    needs: str = ""
    host: str = ""
    findings: tuple[Finding, ...] = ()
    replaced: bool = False

    @property
    def replaceable(self) -> bool:
        """Placeholders can be sent instead; what was said before stays as it is."""
        return any(one.source in ("question", "system") for one in self.findings)


def by_gate(
    refused: Refused,
    destination: Destination,
    typed: str = "",
    *,
    replaced: bool = False,
) -> Refusal:
    """`typed` is what was retyped and was not the host."""
    if refused.needs == "retype":
        what = _("This leaves your network")
        means = _("You confirm each third party once per login, by typing its host.")
        if typed.strip():
            means = _("That is not the host. Nothing was sent.")
        host = destination.host
        return Refusal(what, means, needs="retype", host=host, replaced=replaced)
    tone = "danger" if refused.verdict is Verdict.BLOCK else "wait"
    means = (
        _("Nothing was sent. You may replace these, or send them as they are.")
        if refused.needs == "confirm"
        else _("Nothing was sent. You may replace these by placeholders.")
    )
    if not refused.findings:
        means = _("Nothing was sent.")
    return Refusal(
        refused.reason, means, tone, needs=refused.needs, findings=refused.findings
    )


def unknown_command(found: Unknown) -> Refusal:
    return Refusal(
        _("/%(name)s is no command here") % {"name": found.name},
        _("Nothing was sent. Type / for the commands; a second slash makes it text."),
    )


def not_sent(what: str) -> Refusal:
    return Refusal(what, _("Nothing was sent."))


def busy() -> Refusal:
    return Refusal(
        _("An answer is still on its way here"),
        _("Stop it, or wait for its end; your message stays in the box."),
    )

"""Whether a server's model fits what a gpt requires: ok, unknown or no, and why.

Pure. Only a value that was really read, and contradicts, says no; an unknown or an
estimated one never does. Hosting is never unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext as _

from gpts.requirements import Requirements
from servers.claims import Claim, Claims
from servers.hosting import Hosting


class Fit(StrEnum):
    """How well one requirement, or all of them, are met; best first."""

    OK = "ok"
    UNKNOWN = "unknown"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Match:
    """The verdict, the requirement that decides it, and the sentence with both values.

    `requirement` is a key of `requires`, or empty where nothing is asked for.
    """

    verdict: Fit
    requirement: str
    reason: str

    def as_json(self) -> dict[str, Any]:
        return {"verdict": self.verdict.value, "reason": self.reason}


def match(requires: Requirements, claims: Claims | None, hosting: Hosting) -> Match:
    """The deciding requirement: the first no, else the first unknown, else all fit.

    `claims` None: nothing was read of this server yet.
    """
    judged = list(_judged(requires, claims, hosting))
    for verdict in (Fit.NO, Fit.UNKNOWN):
        for one in judged:
            if one.verdict is verdict:
                return one
    return Match(Fit.OK, judged[0].requirement, _fits(judged))


def _fits(judged: list[Match]) -> str:
    """`fits: stays on your network, context 8k`."""
    return _("fits: %(what)s") % {"what": ", ".join(one.reason for one in judged)}


def _judged(
    requires: Requirements, claims: Claims | None, hosting: Hosting
) -> Iterator[Match]:
    """Each requirement in the order in which ties are decided."""
    claims = claims or Claims("")
    yield _hosting(requires.hosting, hosting)
    if requires.context_window is not None:
        yield _window(requires.context_window, claims)
    if requires.parameters is not None:
        yield _parameters(requires.parameters, claims.parameters_billions)
    if requires.tool_calling:
        yield _ability("tool_calling", _("tool calling"), claims.tools)
    if requires.vision:
        yield _ability("vision", _("vision"), claims.vision)
    if requires.json_output:
        yield _ability("json_output", _("JSON output"), claims.json_output)
    if requires.unknown_keys:
        yield Match(
            Fit.UNKNOWN,
            requires.unknown_keys[0],
            _('its requirement "%(key)s" is not understood, so it cannot be checked')
            % {"key": requires.unknown_keys[0]},
        )


def _hosting(asked: Hosting, found: Hosting) -> Match:
    if found.rank <= asked.rank:
        return Match(Fit.OK, "hosting", found.words)
    reasons = {
        Hosting.LOOPBACK: _(
            "asks to stay on this machine; with this server a text %(where)s"
        ),
        Hosting.LAN: _(
            "asks to stay on your network; with this server a text %(where)s"
        ),
    }
    return Match(Fit.NO, "hosting", reasons[asked] % {"where": found.words})


def _window(asked: int, claims: Claims) -> Match:
    claim = claims.context_tokens
    values = {"asked": tokens(asked)}
    found = _number(claim)
    if found is None:
        trained = _number(claims.context_trained)
        if trained is not None:
            sentence = _(
                "asks for %(asked)s of context; trained for %(trained)s, "
                "what is in force is not announced"
            )
            values["trained"] = tokens(trained)
        else:
            sentence = _(
                "asks for %(asked)s of context; this server's could not be read"
            )
        return Match(Fit.UNKNOWN, "context_window", sentence % values)
    values["found"] = tokens(found)
    verdict = _verdict(claim, found >= asked)
    sentence = {
        Fit.OK: _("context %(found)s"),
        Fit.UNKNOWN: _(
            "asks for %(asked)s of context, this server has about %(found)s"
        ),
        Fit.NO: _("asks for %(asked)s of context, this server announces %(found)s"),
    }[verdict]
    return Match(verdict, "context_window", sentence % values)


def _parameters(asked: float, claim: Claim) -> Match:
    values = {"asked": billions(asked)}
    found = _number(claim)
    if found is None:
        sentence = _("asks for %(asked)s parameters; this model's could not be read")
        return Match(Fit.UNKNOWN, "parameters", sentence % values)
    values["found"] = billions(found)
    verdict = _verdict(claim, found >= asked)
    sentence = {
        Fit.OK: _("%(found)s parameters"),
        Fit.UNKNOWN: _("parameters: about %(found)s by its name, asks for %(asked)s"),
        Fit.NO: _("asks for %(asked)s parameters, this model announces %(found)s"),
    }[verdict]
    return Match(verdict, "parameters", sentence % values)


def _ability(requirement: str, words: str, claim: Claim) -> Match:
    values = {"what": words}
    if not isinstance(claim.value, bool):
        sentence = _("%(what)s could not be checked on this server")
        return Match(Fit.UNKNOWN, requirement, sentence % values)
    verdict = _verdict(claim, claim.value)
    sentence = {
        Fit.OK: "%(what)s",
        Fit.UNKNOWN: _("asks for %(what)s, which this model may or may not have"),
        Fit.NO: _("asks for %(what)s, this model announces none"),
    }[verdict]
    return Match(verdict, requirement, sentence % values)


def _verdict(claim: Claim, is_met: bool) -> Fit:
    """An estimate decides nothing, whichever way it points."""
    if claim.estimated:
        return Fit.UNKNOWN
    return Fit.OK if is_met else Fit.NO


def _number(claim: Claim) -> float | None:
    """The value where it is a number; whatever else was announced says nothing."""
    if isinstance(claim.value, bool) or not isinstance(claim.value, int | float):
        return None
    return claim.value


def tokens(count: float) -> str:
    """`8k` for 8192; what is no whole number of k stays exact: `32,000`."""
    whole = int(count)
    return f"{whole // 1024}k" if whole and whole % 1024 == 0 else f"{whole:,}"


def billions(count: float) -> str:
    return f"{count:.3g} B"

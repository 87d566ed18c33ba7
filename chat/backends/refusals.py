"""What a refusing answer means for the turn. Pure: status, headers, body in.

One verdict: the server limits, it is still loading, or it refuses, with the fault
and the one line a person reads. Errors inside a stream take the same road.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext as _

from chat.backends.bodies import Said, fold, without_addresses
from chat.backends.limits import resets_at
from chat.backends.overflow import Overflow, read_overflow
from chat.backends.parameters import RefusedParameter, read_refused
from chat.errors import BackendError, Fault
from chat.events import Final, RateLimited

_LOADING = re.compile(
    r"\bloading\b|model_loading|is (?:still )?starting|starting up|warming up"
    r"|startup (?:is )?not complete|not (?:yet )?ready|\bis being loaded",
    re.IGNORECASE,
)
_LIMIT_WORDS = re.compile(r"rate_?limit|too_?many_?requests|insufficient_quota|quota_")
_LIMIT_SENTENCE = re.compile(r"rate.?limit|too many requests|quota", re.IGNORECASE)
_QUOTA = re.compile(r"insufficient_quota|billing|credit_?balance|quota_exceeded")
_TOO_LARGE = re.compile(r"limit:? (\d+).{0,80}?requested:? (\d+)", re.I | re.S)
_KEY_WORDS = re.compile(
    r"authentication_error|invalid_api_key|unauthori[sz]ed|permission_?(?:error|denied)"
    r"|missing_api_key|auth_error"
)
_MODEL_WORDS = re.compile(r"model_?not_?found|invalid_model|unknown_model")
_MODEL_SENTENCE = re.compile(
    r"\bmodel\b.{0,120}?(?:not found|does not exist|not exist|is not available"
    r"|not loaded|unknown)|(?:invalid|unknown|no such|unsupported) model"
    r"|no models? (?:is |are )?(?:currently )?(?:loaded|available)"
    r"|no running session found for model",
    re.IGNORECASE | re.DOTALL,
)
_NO_ENDPOINT = re.compile(r"unexpected endpoint|no such endpoint", re.IGNORECASE)
_STATUS = re.compile(r"(?<!\d)([45]\d\d)(?!\d)")


@dataclass(frozen=True, slots=True)
class Context:
    """What a verdict needs of the request: whom was asked, with what, and when.

    `secrets` never appear in a sentence: the key, and the server's own host.
    """

    model: str
    now: datetime
    sent: Collection[str] = ()
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Loading:
    """503: the model is being loaded, nothing was generated."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """A failed turn. `parameter` is set where leaving one out may help."""

    fault: Fault
    message: str
    parameter: RefusedParameter | None = None

    def as_error(self, facts: Final | None = None) -> BackendError:
        return BackendError(self.fault, self.message, facts=facts)


Verdict = Loading | RateLimited | Refusal


def line(context: Context, sentence: str) -> str:
    """The one line for a person: the model named, no address, at most 500 long."""
    said = fold(without_addresses(sentence[:4000], context.secrets), 2000)
    return fold(f"{context.model}: {said}" if context.model else said)


def judge(
    said: Said, status: int, headers: Mapping[str, str], context: Context
) -> Verdict:
    """The verdict on an answer whose status is an error."""
    if status == 503 and _LOADING.search(f"{said.words} {said.sentence}"):
        return Loading(line(context, said.sentence))
    if status in {429, 529} or (status == 503 and "retry-after" in headers):
        return _limited(said, headers, context)
    return _refused(said, status, context)


def judge_in_stream(said: Said, context: Context) -> Verdict:
    """The verdict on an error that came inside a stream with status 200.

    A code of 429 alone is no limit ("queue is full"): words or a reset must agree.
    """
    match = _STATUS.search(said.words)
    status = int(match[1]) if match else 0
    limit = _limited(said, {}, context)
    spoken = _LIMIT_WORDS.search(said.words) or _LIMIT_SENTENCE.search(said.sentence)
    if spoken or (status in {429, 503, 529} and limit.resets_at):
        return limit
    return _refused(said, status, context, in_stream=True)


def _limited(said: Said, headers: Mapping[str, str], context: Context) -> RateLimited:
    moment = resets_at(headers, said.payload, said.sentence, context.now)
    sentence = said.sentence or _("The server limits how much may be asked.")
    if _QUOTA.search(said.words):
        sentence = _("The quota is used up: %s") % sentence
    elif (match := _TOO_LARGE.search(said.sentence)) and int(match[2]) > int(match[1]):
        sentence = _(
            "%(asked)s tokens are above this server's limit of %(limit)s: waiting "
            "does not help, a shorter text does. %(said)s"
        ) % {"asked": match[2], "limit": match[1], "said": said.sentence}
    return RateLimited(moment, line(context, sentence))


def _refused(
    said: Said, status: int, context: Context, *, in_stream: bool = False
) -> Refusal:
    if (overflow := read_overflow(said)) or status == 413:
        text = _overflow_text(overflow or Overflow(None, None, None), said)
        return Refusal(Fault.OVERFLOW, line(context, text))
    if status in {401, 403} or _KEY_WORDS.search(said.words):
        text = _("the server wants a key, or refuses this one: ")
        return Refusal(Fault.KEY, line(context, text + _with_status(said, status)))
    if status in {400, 422} and (refused := read_refused(said, context.sent)):
        text = _("the server refuses the parameter %s: ") % refused.name
        text += _with_status(said, status)
        return Refusal(Fault.PARAMETER, line(context, text), refused)
    if _is_about_model(said, status):
        return Refusal(Fault.MODEL, line(context, _with_status(said, status)))
    return _plain(said, status, context, in_stream)


def _is_about_model(said: Said, status: int) -> bool:
    if _MODEL_WORDS.search(said.words):
        return True
    return status in {0, 400, 404, 422, 503} and bool(
        _MODEL_SENTENCE.search(said.sentence[:4000])
    )


def _plain(said: Said, status: int, context: Context, in_stream: bool) -> Refusal:
    text = _with_status(said, status)
    if status == 404 or _NO_ENDPOINT.search(said.sentence):
        text += _(" - there is no chat at this address: check it, /v1 included.")
        return Refusal(Fault.REFUSED, line(context, text))
    if 300 <= status < 400:
        text = _("the server redirects (HTTP %d); the hub follows no redirect.")
        return Refusal(Fault.PROTOCOL, line(context, text % status))
    inside = in_stream or status >= 500
    return Refusal(Fault.SERVER if inside else Fault.REFUSED, line(context, text))


def _with_status(said: Said, status: int) -> str:
    """The server's sentence, and the status where it adds something."""
    if said.page:
        source = _("HTTP %d from a proxy or web page") % status
        return f"{source} ({said.sentence})" if said.sentence else source
    if not said.sentence and not status:
        return _("the server reports an error without a message")
    if not said.sentence:
        return _("HTTP %d without a message") % status
    return f"{said.sentence} (HTTP {status})" if status else said.sentence


def _overflow_text(overflow: Overflow, said: Said) -> str:
    text = _("too long for this model")
    if overflow.asked and overflow.limit:
        text = _("too long for this model: %(asked)d tokens, limit %(limit)d") % {
            "asked": overflow.asked,
            "limit": overflow.limit,
        }
    elif overflow.limit:
        text = _("too long for this model: limit %d tokens") % overflow.limit
    if overflow.reserved:
        text += _(" (%d of them kept for the answer)") % overflow.reserved
    advice = _("Shorten the question, its context or the history.")
    return f"{text}. {advice} ({said.sentence})" if said.sentence else f"{text}."

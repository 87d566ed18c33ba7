"""What `claude -p` printed, read to the end and judged.

Pure. The output comes in many dresses: one object, an array of all messages, lines of
JSON, with noise around any of them. Only the LAST complete element of type `result`
is an answer; nothing that was cut is ever repaired.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from chat.claude.limits import Limit, from_epoch, read_limit
from chat.errors import Fault

_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_UNPRINTABLE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+"
)
# A path below a home folder names an account: only its last part is shown.
_HOME_PATH = re.compile(r"(?:/home|/Users|/root)(?:/[^\s'\":;,)]+)*/([^\s/'\":;,)]+)")
# What the start of an envelope looks like, beside "[WARN]" and "{your note}".
_ENVELOPE = re.compile(r'\[?\s*\{\s*"(?:type|subtype|session_id|is_error|result)"')
_SESSION = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)
_NO_RESULT = re.compile(r'\{\s*"type"\s*:\s*"(?!result")')
_DECODER = json.JSONDecoder()
_MOST_FAULTS = 5_000  # places tried in vain before the rest counts as noise
_EXCERPT = 200  # characters of foreign output shown in an error
_CUT_TAIL = 12  # the longest beginning of a literal or escape that a cut leaves


@dataclass(frozen=True, slots=True)
class Answered:
    """A good answer. `session_id` is what the envelope names, empty if nothing."""

    text: str
    session_id: str = ""
    stop_reason: str | None = None
    models: tuple[str, ...] = ()
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    turns: int | None = None
    denied: tuple[str, ...] = ()
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class Failed:
    """No answer, and why in one line."""

    message: str
    fault: Fault = Fault.SERVER


@dataclass(frozen=True, slots=True)
class Printed:
    """What a finished process left: all it wrote, and how it ended.

    `exit_code` is negative for a signal, as `subprocess` gives it.
    """

    stdout: str
    stderr: str = ""
    exit_code: int = 0


Reading = Answered | Limit | Failed


@dataclass(slots=True)
class _Documents:
    """The JSON documents of an output in order; `cut` if one ended in the middle."""

    values: list[Any] = field(default_factory=list)
    cut: bool = False

    @property
    def answered(self) -> bool:
        return any(item.get("type") == "result" for item in _messages(self.values))


def read_envelope(printed: Printed, now: datetime) -> Reading:
    """The answer, the limit or the failure that an output is."""
    text = _ANSI.sub("", printed.stdout).lstrip("\ufeff")
    documents = _documents(text)
    if documents.cut:
        size = len(printed.stdout.encode("utf-8", "surrogateescape"))
        return Failed(_("the output was cut (%d bytes)") % size, Fault.CUT)
    messages = list(_messages(documents.values))
    results = [item for item in messages if item.get("type") == "result"]
    if results:
        return _judge(results[-1], messages, printed, now)
    if _is_envelope(documents.values):
        return Failed(_("no result in the output"), Fault.PROTOCOL)
    return _no_json(text, printed, now)


def _documents(text: str) -> _Documents:
    """Every JSON object or array that stands in `text` outside another one.

    Noise may hold brackets of its own: what is no JSON from its bracket on is passed
    over, unless it looks like an envelope; an envelope that breaks off is cut.
    """
    found = _Documents()
    position = faults = 0
    while (start := _next_bracket(text, position)) >= 0 and faults < _MOST_FAULTS:
        try:
            value, position = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as error:
            if _ENVELOPE.match(text, start) and _ran_out(error, text):
                found.cut = not (found.answered and _NO_RESULT.match(text, start))
                return found
            position = start + 1
            faults += 1
        except RecursionError:
            return found
        else:
            found.values.append(value)
    return found


def _next_bracket(text: str, position: int) -> int:
    places = [at for at in (text.find(sign, position) for sign in "{[") if at >= 0]
    return min(places, default=-1)


def _ran_out(error: json.JSONDecodeError, text: str) -> bool:
    """Whether the text ended before the document did."""
    end = len(text.rstrip())
    return error.msg.startswith("Unterminated string") or end - error.pos < _CUT_TAIL


def _messages(values: list[Any]) -> Iterator[Mapping[str, Any]]:
    """The objects of an output, arrays of them opened once."""
    for value in values:
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                yield item


def _is_envelope(values: list[Any]) -> bool:
    """Messages without an answer among them, an empty array included."""
    opened = (item for value in values if isinstance(value, list) for item in value)
    typed = any("type" in item for item in _messages(values))
    return typed or (bool(values) and values[-1] == [] and not any(opened))


def _judge(
    result: Mapping[str, Any],
    messages: list[Mapping[str, Any]],
    printed: Printed,
    now: datetime,
) -> Reading:
    """`is_error` wins over `subtype`, over the exit code and over the text."""
    subtype = str(result.get("subtype") or "")
    failed = _failed(result, subtype)
    said = _said(result)
    limit = read_limit(said, now, failed=failed)
    if limit or (failed and result.get("api_error_status") == 429):
        return _limited(limit, said, messages, now)
    if failed:
        return Failed(_failure(result, subtype, said), _fault(result))
    if not isinstance(result.get("result"), str):
        return Failed(_("no result in the output"), Fault.PROTOCOL)
    return _answered(result, messages, printed)


def _failed(result: Mapping[str, Any], subtype: str) -> bool:
    """Any of the marks of a failure: it takes a good one to be an answer."""
    status = _whole(result.get("api_error_status"))
    return (
        bool(result.get("is_error"))
        or subtype.startswith("error")
        or (status is not None and status >= 400)
        or result.get("terminal_reason") == "api_error"
    )


def _said(result: Mapping[str, Any]) -> str:
    """The text of a result; of a failure without one, its first error."""
    if isinstance(result.get("result"), str):
        return str(result["result"])
    errors = result.get("errors")
    for item in errors if isinstance(errors, list) else []:
        text = item.get("message") if isinstance(item, dict) else item
        if isinstance(text, str) and text.strip():
            return text
    return ""


def _limited(
    limit: Limit | None, said: str, messages: list[Mapping[str, Any]], now: datetime
) -> Limit:
    """The limit, with the reset of a `rate_limit_event` where its text has none."""
    limit = limit or Limit(folded(said) or _("a usage limit was reached"), None)
    if limit.resets_at is None:
        return Limit(folded(limit.message), _announced_reset(messages, now))
    return Limit(folded(limit.message), limit.resets_at)


def _announced_reset(
    messages: list[Mapping[str, Any]], now: datetime
) -> datetime | None:
    for item in reversed(messages):
        info = item.get("rate_limit_info")
        if isinstance(info, dict) and info.get("status") in {"rejected", "denied"}:
            resets_at = info.get("resetsAt")
            if isinstance(resets_at, int | float) and not isinstance(resets_at, bool):
                return from_epoch(resets_at, now)
    return None


def _failure(result: Mapping[str, Any], subtype: str, said: str) -> str:
    turns = _whole(result.get("num_turns"))
    if subtype == "error_max_turns":
        if turns is None:
            return _("stopped at its limit of turns")
        words = ngettext("stopped after %d turn", "stopped after %d turns", turns)
        return words % turns
    if subtype == "error_max_budget_usd":
        return _("budget used up")
    reason = folded(said)
    if subtype.startswith("error") and not reason:
        words = subtype.removeprefix("error").strip("_").replace("_", " ")
        return _("the session stopped: %s") % (folded(words) or _("it gave no reason"))
    status = _whole(result.get("api_error_status"))
    told = _(" (status %d)") % status if status is not None else ""
    return _("the session could not answer: %(reason)s%(status)s") % {
        "reason": reason or _("it gave no reason"),
        "status": told,
    }


def _fault(result: Mapping[str, Any]) -> Fault:
    status = _whole(result.get("api_error_status"))
    return Fault.KEY if status in {401, 403} else Fault.SERVER


def _answered(
    result: Mapping[str, Any], messages: list[Mapping[str, Any]], printed: Printed
) -> Answered:
    usage = result.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    prompt = [
        _whole(usage.get(name))
        for name in (
            "input_tokens",
            "cache_creation_input_tokens",
            "cache_read_input_tokens",
        )
    ]
    known = [number for number in prompt if number is not None]
    stop_reason = result.get("stop_reason")
    return Answered(
        text=str(result["result"]),
        session_id=session_id(result.get("session_id")),
        stop_reason=stop_reason if isinstance(stop_reason, str) else None,
        models=_models(result, messages),
        prompt_tokens=sum(known) if known else None,
        completion_tokens=_whole(usage.get("output_tokens")),
        cost_usd=_dollars(result.get("total_cost_usd")),
        turns=_whole(result.get("num_turns")),
        denied=_denied(result.get("permission_denials")),
        exit_code=printed.exit_code,
    )


def session_id(value: Any) -> str:
    """A session's identifier in its one spelling, or nothing."""
    if isinstance(value, str) and _SESSION.fullmatch(value.strip()):
        return value.strip().lower()
    return ""


def _models(
    result: Mapping[str, Any], messages: list[Mapping[str, Any]]
) -> tuple[str, ...]:
    by_model = result.get("modelUsage")
    if isinstance(by_model, dict) and by_model:
        return tuple(folded(str(name)) for name in by_model)
    for item in messages:
        if item.get("subtype") == "init" and isinstance(item.get("model"), str):
            return (folded(item["model"]),)
    return ()


def _denied(value: Any) -> tuple[str, ...]:
    """The names of refused tools in order; what they were asked to do is dropped:
    it holds paths and commands of somebody's machine."""
    rows = value if isinstance(value, list) else []
    names = (row.get("tool_name") if isinstance(row, dict) else row for row in rows)
    return tuple(folded(str(name or "?")) for name in names)


def _whole(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    return value


def _dollars(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < 1_000_000 else None


def _no_json(text: str, printed: Printed, now: datetime) -> Reading:
    limit = read_limit(text, now) or read_limit(printed.stderr, now)
    if limit:
        return limit
    if printed.exit_code in {143, -15}:
        return Failed(_("stopped by the time limit"), Fault.CUT)
    if printed.exit_code in {137, -9}:
        return Failed(_("claude was killed"), Fault.CUT)
    shown = folded(text) or folded(_ANSI.sub("", printed.stderr))
    if not shown and printed.exit_code == 0:
        return Failed(_("no output"), Fault.EMPTY)
    said = _("claude ended with exit code %d") % printed.exit_code
    return Failed(f"{said}: {shown}" if shown else said, Fault.PROTOCOL)


def folded(text: str) -> str:
    """Foreign text on one line, at most 200 characters, without account paths."""
    line = _UNPRINTABLE.sub(" ", text[: _EXCERPT * 20])
    line = _HOME_PATH.sub(r"…/\1", " ".join(line.split()))
    return line if len(line) <= _EXCERPT else line[: _EXCERPT - 1] + "…"

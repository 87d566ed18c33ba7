"""When a rate limit ends, out of every dress a server gives it. Pure.

Reads headers, fields of the body and the sentence for people. What is absurd,
negative, past or more than a year away is unknown: None, never a guess.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

_YEAR = timedelta(days=366)
# Numbers up to a year of seconds are durations, above that they are moments.
_LARGEST_DURATION = 366 * 86_400
_LONGEST = 80  # characters of an honest date or duration
_EPOCHS = ((1e9, 1e11, 1.0), (1e12, 1e14, 1e3), (1e15, 1e17, 1e6), (1e18, 1e19, 1e9))

_UNITS = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6,
    "ms": 1e-3, "msec": 1e-3, "millisecond": 1e-3,
    "s": 1.0, "sec": 1.0, "second": 1.0,
    "m": 60.0, "min": 60.0, "minute": 60.0,
    "h": 3600.0, "hr": 3600.0, "hour": 3600.0,
    "d": 86_400.0, "day": 86_400.0,
}  # fmt: skip
_NAMES = "|".join(sorted(_UNITS, key=len, reverse=True))
_STEP = rf"(?:\d{{1,12}}(?:\.\d{{1,12}})?)\s*(?:{_NAMES})s?(?![A-Za-z])"
_GLUED = rf"(?:\d{{1,12}}(?:\.\d{{1,12}})?(?:{_NAMES}))"
_DURATION = re.compile(
    rf"(?<![\w.-])(?:{_GLUED}+(?![A-Za-z])|{_STEP}(?:[\s,]+(?:and\s+)?{_STEP})*)"
)
_PART = re.compile(rf"(\d{{1,12}}(?:\.\d{{1,12}})?)\s*({_NAMES})")
_NUMBER = re.compile(r"[+-]?\d{1,25}(?:\.\d{1,12})?")
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d| ?UTC)?"
)
_PROSE = re.compile(
    r"(?:try(?:ing)? again|retry(?:ing)?|wait(?:ing)?|resets?|available again"
    r"|available|expires?)\b(?P<rest>.{0,80})",
    re.IGNORECASE | re.DOTALL,
)
_BARE_SECONDS = re.compile(r"(?:in|after|for)\s+(\d{1,9}(?:\.\d{1,9})?)(?!\.?\d|\s*\w)")

# In the order they are believed; the names end with what the limit counts.
_RETRY_HEADERS = ("retry-after-ms", "x-retry-after-ms", "retry-after", "x-retry-after")
_RESET_HEADER = re.compile(
    r"(?:x-|anthropic-)?rate-?limit-(?:(?P<kind>[a-z-]+)-)?reset(?:-(?P<tail>[a-z-]+))?"
)
_STRUCTURED = re.compile(r"(?:^|[;,\s])(?:t|reset)=(\d{1,9})")
_FIELDS_MS = ("retry_after_ms", "retryAfterMs")
_FIELDS = (
    "retry_after", "retryAfter", "retry-after", "retryDelay", "retry_delay",
    "retry_after_seconds", "resets_in_seconds", "resets_in", "reset_after",
    "resets_at", "reset_at", "reset", "reset_time", "resetsAt", "wait_seconds",
)  # fmt: skip


def resets_at(
    headers: Mapping[str, str], payload: Any, sentence: str, now: datetime
) -> datetime | None:
    """The moment (aware UTC) at which the limit ends, None where nobody says.

    `headers` have lower-case names; `payload` is the parsed body or None.
    """
    for found in (
        *_from_retry_headers(headers, now),
        *_from_fields(payload, now),
        _latest_reset(headers, now),
        _from_structured(headers.get("ratelimit", ""), now),
        _from_prose(sentence, now),
    ):
        if found is not None:
            return found
    return None


def read_moment(text: str, now: datetime, *, scale: float = 1.0) -> datetime | None:
    """One value in any notation: seconds, epoch, `6m0s`, HTTP date or ISO 8601."""
    text = text.strip().strip("\"'")
    if len(text) > _LONGEST:
        return None
    if _NUMBER.fullmatch(text):
        return _from_number(float(text) * scale, now)
    if _DURATION.fullmatch(text):
        return _ahead(timedelta(seconds=_seconds(text)), now)
    if _MOMENT.fullmatch(text):
        return _from_iso(text, now)
    return _from_http_date(text, now)


def _from_retry_headers(
    headers: Mapping[str, str], now: datetime
) -> Iterator[datetime | None]:
    for name in _RETRY_HEADERS:
        if name in headers:
            scale = 1e-3 if name.endswith("-ms") else 1.0
            yield read_moment(headers[name], now, scale=scale)


def _latest_reset(headers: Mapping[str, str], now: datetime) -> datetime | None:
    """Of several counted limits, the exhausted ones decide; else the last to end."""
    exhausted: list[datetime] = []
    others: list[datetime] = []
    for name, value in headers.items():
        match = _RESET_HEADER.fullmatch(name)
        moment = read_moment(value, now) if match else None
        if match is None or moment is None:
            continue
        left = headers.get(name.replace("reset", "remaining"), "")
        (exhausted if left.strip() == "0" else others).append(moment)
    return max(exhausted or others, default=None)


def _from_structured(header: str, now: datetime) -> datetime | None:
    """`RateLimit: "default";r=0;t=50` (IETF draft), in older drafts `reset=50`."""
    match = _STRUCTURED.search(header)
    return _from_number(float(match[1]), now) if match else None


def _from_fields(payload: Any, now: datetime) -> Iterator[datetime | None]:
    """Fields of the body, those of nested objects included (breadth first)."""
    waiting, seen = [payload], 0
    while waiting and seen < 200:
        node, seen = waiting.pop(0), seen + 1
        if isinstance(node, dict):
            yield from _from_object(node, now)
            waiting.extend(v for v in node.values() if isinstance(v, dict | list))
        elif isinstance(node, list):
            waiting.extend(v for v in node if isinstance(v, dict | list))


def _from_object(node: dict[str, Any], now: datetime) -> Iterator[datetime | None]:
    for name in _FIELDS_MS:
        yield _from_value(node.get(name), now, scale=1e-3)
    for name in _FIELDS:
        yield _from_value(node.get(name), now)
    headers = node.get("headers")
    if isinstance(headers, dict):
        lower = {str(k).lower(): str(v) for k, v in headers.items()}
        yield from _from_retry_headers(lower, now)
        yield _latest_reset(lower, now)


def _from_value(value: Any, now: datetime, *, scale: float = 1.0) -> datetime | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return read_moment(str(value)[:100], now, scale=scale)


def _from_prose(sentence: str, now: datetime) -> datetime | None:
    for match in _PROSE.finditer(sentence[:4000]):
        rest = match["rest"]
        if moment := _MOMENT.search(rest):
            return _from_iso(moment[0], now)
        if duration := _DURATION.search(rest):
            return _ahead(timedelta(seconds=_seconds(duration[0])), now)
        if bare := _BARE_SECONDS.search(rest):
            return _from_number(float(bare[1]), now)
    return None


def _seconds(duration: str) -> float:
    return sum(float(n) * _UNITS[unit] for n, unit in _PART.findall(duration))


def _from_number(number: float, now: datetime) -> datetime | None:
    if not math.isfinite(number):
        return None
    if number <= _LARGEST_DURATION:
        return _ahead(timedelta(seconds=number), now) if number > 0 else None
    for least, most, divisor in _EPOCHS:
        if least <= number < most:
            return _sensible(datetime.fromtimestamp(number / divisor, UTC), now)
    return None


def _ahead(wait: timedelta, now: datetime) -> datetime | None:
    return now + wait if timedelta(0) < wait <= _YEAR else None


def _from_iso(text: str, now: datetime) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text.replace("UTC", "").strip())
    except ValueError:
        return None
    return _sensible(moment, now)


def _from_http_date(text: str, now: datetime) -> datetime | None:
    try:
        return _sensible(parsedate_to_datetime(text), now)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _sensible(moment: datetime, now: datetime) -> datetime | None:
    """In UTC, and only if it lies ahead within a year; without a zone it is UTC."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        moment = moment.astimezone(UTC)
    except OverflowError:
        return None
    return moment if now < moment <= now + _YEAR else None

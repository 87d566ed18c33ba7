"""A usage limit as `claude` words it, and when it resets.

Pure. The words have changed with the versions ("usage limit reached|EPOCH", "5-hour
limit reached ∙ resets 3pm", "You've hit your weekly limit · resets Oct 9, 5pm
(Europe/Berlin)"); a reset that cannot be computed surely is unknown, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

# A reset further away than this is a misread number.
FURTHEST = timedelta(days=62)
_LONGEST_NOTICE = 300  # characters; a limit is one short notice, never an essay

_EPOCH = re.compile(r"\blimit reached\s*\|\s*(\d{10,13})\b", re.I)
_HEAD = (
    r"(?:(?:(?:claude|ai|your|api|error:?|5-hour|five-hour|session|weekly|daily|monthly"
    r"|opus|sonnet|haiku|fable|usage|rate|model|account)\s+)*limit reached\b"
    r"|you(?:['’]ve| have) (?:hit|reached|exceeded|used up) your\b[^.·∙•|,;]{0,60}"
    r"\blimit\b"
    r"|you(?:['’]re| are) out of (?:extra )?usage\b)"
)
# What may follow in a notice; prose that goes on is an answer about limits.
_TAIL = (
    r"\s*(?:[.!]?\s*"
    r"|\|\s*\d{10,13}\b.*"
    r"|[·∙•|–—-]\s*(?:resets?|try again|upgrade|progress|/)\b.*"
    r"|[.,;]?\s*(?:your|the) limit (?:will reset|resets)\b.*"
    r"|[.,;]?\s*\(?resets?\s+(?:at|on|in|\d)\b.*"
    r"|[.!]\s*(?:please )?(?:try again|/)\b.*)"
)
_FAILURE = re.compile(_HEAD, re.I)
_NOTICE = re.compile(_HEAD + _TAIL, re.I | re.S)
_RESETS = re.compile(r"\bresets?\s+(?:at\s+|on\s+)?(?P<when>[^·∙•\n]+)", re.I)
_ZONE = re.compile(r"\(([^()]*)\)")
_ISO = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)"
)
_SPAN = re.compile(r"in\s+((?:\d+\s*[a-z]+[\s,]*(?:and\s+)?)+)", re.I)
_PART = re.compile(r"(\d+)\s*([a-z]+)", re.I)
_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_CLOCK = re.compile(
    r"(?:(?P<month>[a-z]{3})[a-z]*\.?\s+(?P<day>\d{1,2})(?:,?\s+(?P<year>\d{4}))?"
    r"|(?P<weekday>mon|tue|wed|thu|fri|sat|sun)[a-z]*|(?P<near>today|tomorrow))?"
    r"[,\s]*(?:at\s+)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s*(?P<half>[ap])?\.?(?:m\b\.?)?",
    re.I,
)
_MONTHS = [
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
]
_WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


@dataclass(frozen=True, slots=True)
class Limit:
    """A usage limit: the notice as it came, folded, and its reset (aware UTC)."""

    message: str
    resets_at: datetime | None


def read_limit(text: str, now: datetime, *, failed: bool = False) -> Limit | None:
    """The limit that `text` IS, or None: an answer that quotes one is an answer.

    With `failed` (the envelope says so) a notice may stand behind other words.
    """
    folded = " ".join(text.split())
    if not folded or len(folded) > _LONGEST_NOTICE:
        return None
    found = _FAILURE.search(folded) if failed else _NOTICE.fullmatch(folded)
    return Limit(folded, read_reset(folded, now)) if found else None


def read_reset(text: str, now: datetime) -> datetime | None:
    """When the notice says that the limit ends; None where that is not sure."""
    epoch = _EPOCH.search(text)
    if epoch:
        return from_epoch(int(epoch[1]), now)
    clause = _RESETS.search(text)
    if clause is None:
        return None
    when = clause["when"].strip()
    if iso := _ISO.match(when):
        return _sensible(_moment(iso[0]), now)
    if span := _SPAN.match(when):
        return _sensible(_after(span[1], now), now)
    return _sensible(_by_the_clock(when, now), now)


def _moment(iso: str) -> datetime | None:
    try:
        return datetime.fromisoformat(iso)
    except ValueError:  # month 13 and the like
        return None


def from_epoch(number: float, now: datetime) -> datetime | None:
    """Seconds or milliseconds since 1970; a past or absurd time is unknown."""
    seconds = number / 1000 if number > 100_000_000_000 else number
    try:
        return _sensible(datetime.fromtimestamp(seconds, UTC), now)
    except (OverflowError, ValueError, OSError):
        return None


def _sensible(moment: datetime | None, now: datetime) -> datetime | None:
    if moment is None or not now < moment <= now + FURTHEST:
        return None
    return moment.astimezone(UTC)


def _after(span: str, now: datetime) -> datetime | None:
    seconds = 0
    for number, unit in _PART.findall(span):
        if unit[0].lower() not in _UNITS or len(number) > 7:
            return None
        seconds += int(number) * _UNITS[unit[0].lower()]
    return now + timedelta(seconds=min(seconds, 10 * FURTHEST.total_seconds()))


def _by_the_clock(when: str, now: datetime) -> datetime | None:
    """The next such time on the clock of the zone in brackets."""
    zone = _zone(when)
    clock = _CLOCK.match(when)
    if zone is None or clock is None:
        return None
    hour = _hour(clock)
    minute = int(clock["minute"] or 0)
    if hour is None or minute > 59:
        return None
    for day in _days(clock, now.astimezone(zone)):
        for fold in (0, 1):
            moment = day.replace(hour=hour, minute=minute, fold=fold).astimezone(UTC)
            if moment > now:
                return moment
    return None


def _zone(when: str) -> ZoneInfo | None:
    named = _ZONE.search(when)
    if named is None:
        return None
    try:
        return ZoneInfo(named[1].strip())
    except (KeyError, ValueError, OSError):
        # KeyError: no such zone; the others: a name that is no file name.
        return None


def _hour(clock: re.Match[str]) -> int | None:
    hour = int(clock["hour"])
    if clock["half"]:
        if not 1 <= hour <= 12:
            return None
        return hour % 12 + (12 if clock["half"].lower() == "p" else 0)
    # Without am or pm only a time with minutes is one ("17:00").
    return hour if clock["minute"] and hour <= 23 else None


def _days(clock: re.Match[str], local: datetime) -> Iterator[datetime]:
    """Midnights of the days that the words may mean, soonest first."""
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    if clock["month"]:
        yield from _dates(clock, midnight)
    elif clock["weekday"]:
        ahead = _WEEKDAYS.index(clock["weekday"].lower()) - midnight.weekday()
        yield from (midnight + timedelta(days=ahead % 7 + week) for week in (0, 7))
    elif clock["near"]:
        yield midnight + timedelta(days=clock["near"].lower() == "tomorrow")
    else:
        yield from (midnight + timedelta(days=ahead) for ahead in (0, 1))


def _dates(clock: re.Match[str], midnight: datetime) -> Iterator[datetime]:
    name = clock["month"].lower()
    if name not in _MONTHS:
        return
    years = (
        [int(clock["year"])] if clock["year"] else [midnight.year, midnight.year + 1]
    )
    for year in years:
        try:
            yield midnight.replace(
                year=year, month=_MONTHS.index(name) + 1, day=int(clock["day"])
            )
        except ValueError:
            continue

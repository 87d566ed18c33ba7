"""Usage limits in the words of several versions."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from chat.claude.limits import from_epoch, read_limit

NOW = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)


def utc(month, day, hour, minute=0):
    year = 2027 if month < 11 else 2026
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


KNOWN = [
    ("Claude AI usage limit reached|1796097600", utc(12, 1, 4)),
    ("Claude AI usage limit reached|1796097600000", utc(12, 1, 4)),
    (
        "You've hit your session limit · resets 12:50am (America/Los_Angeles)",
        utc(12, 1, 8, 50),
    ),
    ("You've hit your limit · resets 11:45pm (UTC)", utc(11, 30, 23, 45)),
    ("You've hit your limit · resets 11:30pm (UTC)", utc(12, 1, 23, 30)),
    ("You’ve hit your limit · resets 12pm (UTC)", utc(12, 1, 12)),
    (
        "You've hit your weekly limit · resets Dec 4 at 10am (Europe/London)"
        " · progress saved",
        utc(12, 4, 10),
    ),
    ("Weekly limit reached ∙ resets Jan 2, 5pm (UTC)", utc(1, 2, 17)),
    ("You've hit your Opus limit · resets Mon 9am (UTC)", utc(12, 7, 9)),
    ("You've hit your limit · resets tomorrow at 9am (UTC)", utc(12, 1, 9)),
    ("5-hour limit reached ∙ resets 17:30 (Europe/Paris)", utc(12, 1, 16, 30)),
    (
        "Claude usage limit reached. Your limit will reset at 7pm (Asia/Tokyo).",
        utc(12, 1, 10),
    ),
    ("You've hit your limit · resets in 2h 5m", utc(12, 1, 1, 35)),
    ("You're out of extra usage · resets 2026-12-01T04:00:00Z", utc(12, 1, 4)),
]
UNKNOWN = [
    "You've hit your limit · resets 10pm (Nowhere/Invalid)",
    "You've hit your limit · resets 10pm (../../../etc/passwd)",
    "You've hit your limit · resets 10pm (America)",
    "You've hit your limit · resets 13pm (UTC)",
    "You've hit your limit · resets 10:75pm (UTC)",
    "You've hit your limit · resets Feb 30 at 10am (UTC)",
    "5-hour limit reached ∙ resets 3pm",
    "Weekly limit reached",
    "Claude AI usage limit reached|1700000000",
    "Claude AI usage limit reached|9999999999",
    "You've hit your limit · resets in 9999999 days",
    "You've hit your limit · resets soon",
    "You've hit your limit · resets 2026-13-41T04:00:00Z",
]
ANSWERS = [
    "The docs say: 'usage limit reached|1' is a message.",
    "You've hit your limit when the counter is full.",
    "Rate limit reached means that the server asks you to wait.",
    "You have reached your limit, so what now?",
    "Yes.",
    "",
    "You've hit your limit · resets 10pm (UTC). " * 20,
]


class LimitTests:
    @pytest.mark.parametrize(("text", "resets_at"), KNOWN)
    def test_it_computes_the_next_such_time(self, text, resets_at):
        limit = read_limit(text, NOW)
        assert limit is not None
        assert limit.resets_at == resets_at

    @pytest.mark.parametrize("text", UNKNOWN)
    def test_it_invents_no_time(self, text):
        limit = read_limit(text, NOW)
        assert limit is not None
        assert limit.resets_at is None
        assert limit.message == text

    @pytest.mark.parametrize("text", ANSWERS)
    def test_it_leaves_answers_about_limits_alone(self, text):
        assert read_limit(text, NOW) is None

    def test_it_finds_a_notice_behind_other_words_of_a_failure(self):
        text = "API Error: Claude AI usage limit reached|1796097600"
        found = read_limit(text, NOW, failed=True)
        assert found is not None
        assert found.resets_at == utc(12, 1, 4)

    def test_it_respects_summer_time(self):
        text = "You've hit your limit · resets 3am (Europe/Berlin)"
        before = datetime(2027, 3, 27, 12, 0, tzinfo=UTC)  # the night clocks go forward
        limit = read_limit(text, before)
        assert limit is not None
        assert limit.resets_at == datetime(2027, 3, 28, 1, 0, tzinfo=UTC)

    @pytest.mark.parametrize("number", [-1, 0, 1e300, float("inf")])
    def test_it_calls_an_absurd_number_unknown(self, number):
        assert from_epoch(number, NOW) is None

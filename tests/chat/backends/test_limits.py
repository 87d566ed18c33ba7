"""When a rate limit ends, in every dress that was seen."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.backends.limits import read_moment, resets_at

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def wait(
    headers: dict[str, str] | None = None, payload: Any = None, sentence: str = ""
) -> float | None:
    found = resets_at(headers or {}, payload, sentence, NOW)
    return (found - NOW).total_seconds() if found else None


class HeaderTests:
    @pytest.mark.parametrize(
        ("value", "seconds"),
        [
            ("30", 30),
            ("2.5", 2.5),
            ("10800", 10_800),
            (" 7 ", 7),
            ("20s", 20),
            ("6m0s", 360),
            ("1h2m3s", 3723),
            ("820ms", 0.82),
            ("1m0.5s", 60.5),
            ("Mon, 30 Nov 2026 12:02:30 GMT", 150),
            ("Mon, 30 Nov 2026 13:02:30 +0100", 150),
            ("2026-11-30T12:00:10Z", 10),
            ("2026-11-30T13:00:10+01:00", 10),
            ("1796040010", 10),
            ("1796040010000", 10),
        ],
    )
    def test_it_reads_the_wait(self, value, seconds):
        assert wait({"retry-after": value}) == pytest.approx(seconds)

    @pytest.mark.parametrize(
        "value",
        [
            "", "soon", "0", "-3", "-0.1", "nan", "inf", "1e5", "--5", "5;7",
            "99999999999999999999", "31708800", "99999999",
            "Mon, 30 Nov 2026 11:59:59 GMT", "Mon, 99 Nov 2026 12:00:00 GMT",
            "Thu, 01 Jan 1970 00:00:00 GMT", "2026-11-30T11:00:00Z",
            "2199-01-01T00:00Z", "0001-01-01T00:00:00+23:59", "1796039990",
            "9" * 5000, "1m" * 3000,
        ],
    )  # fmt: skip
    def test_it_takes_nonsense_for_unknown(self, value):
        assert wait({"retry-after": value}) is None

    @pytest.mark.parametrize(
        ("headers", "seconds"),
        [
            ({"retry-after-ms": "1500"}, 1.5),
            ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
            ({"retry-after": "soon", "x-ratelimit-reset": "4"}, 4),
            ({"x-ratelimit-reset-requests": "1.5s", "x-ratelimit-reset-tokens": "6m0s",
              "x-ratelimit-remaining-tokens": "0"}, 360),
            ({"x-ratelimit-reset-requests": "1.5s", "x-ratelimit-reset-tokens": "6m0s",
              "x-ratelimit-remaining-requests": "0",
              "x-ratelimit-remaining-tokens": "9"}, 1.5),
            ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "2s"}, 2),
            ({"ratelimit-reset": "50"}, 50),
            ({"x-rate-limit-reset": "1796040010"}, 10),
            ({"anthropic-ratelimit-tokens-reset": "2026-11-30T12:01:00Z",
              "anthropic-ratelimit-requests-reset": "2026-11-30T12:00:01Z"}, 60),
            ({"ratelimit": '"default";r=0;t=50'}, 50),
            ({"ratelimit": "limit=10, remaining=0, reset=5"}, 5),
            ({"x-ratelimit-limit-requests": "30"}, None),
        ],
    )  # fmt: skip
    def test_it_reads_every_header_that_says_it(self, headers, seconds):
        assert wait(headers) == seconds


class BodyTests:
    @pytest.mark.parametrize(
        ("payload", "seconds"),
        [
            ({"error": {"retry_after": 12}}, 12),
            ({"retry_after_ms": 500}, 0.5),
            ({"error": {"details": [{"retryDelay": "34s"}]}}, 34),
            ({"metadata": {"headers": {"X-RateLimit-Reset": "1796040005000"}}}, 5),
            ({"error": {"resets_at": 1796040060}}, 60),
            ({"error": {"resets_in_seconds": 8}}, 8),
            ({"reset": True}, None),
            ({"retry_after": None}, None),
            ({"retry_after": [1]}, None),
            ([1, {"retry_after": 3}], 3),
        ],
    )  # fmt: skip
    def test_it_reads_the_fields_of_a_body(self, payload, seconds):
        assert wait(payload=payload) == seconds

    @pytest.mark.parametrize(
        ("sentence", "seconds"),
        [
            ("Limit 7000, Used 6100. Please try again in 1m0.363142857s.", 60.363143),
            ("Please try again in 1.234s", 1.234),
            ("Try again in 20 seconds.", 20),
            ("Please retry after 7 seconds.", 7),
            ("Please retry after 30", 30),
            ("retry in 5 minutes and 3 seconds", 303),
            ("try again in 2 hours, 5 minutes", 7500),
            ("Your limit resets in 2 hours", 7200),
            ("Quota resets at 2026-11-30T13:00:00Z.", 3600),
            ("Please wait 820ms before trying again", 0.82),
            ("available again in 3 h", 10_800),
            ("Please try again later.", None),
            ("Please wait for 2 more minutes", None),
            ("Limit 30 per minute reached", None),
            ("try again in -5s", None),
            ("try again " * 500, None),
        ],
    )
    def test_it_reads_the_sentence_at_last(self, sentence, seconds):
        assert wait(sentence=sentence) == pytest.approx(seconds)

    def test_it_believes_the_header_before_the_sentence(self):
        assert wait({"retry-after": "9"}, sentence="try again in 20 seconds") == 9


ODD = st.text(alphabet="0123456789.-+eE:smhdTZ ,GMTNov", max_size=40)


KEYS = st.sampled_from(["reset", "retry_after", "headers", "a"])
BODIES = st.recursive(
    st.none() | st.floats() | ODD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner),
)


class AnyTextTests:
    @given(ODD | st.text(max_size=40))
    def test_it_gives_a_sensible_moment_or_none(self, text):
        found = read_moment(text, NOW)

        assert found is None or NOW < found <= NOW + timedelta(days=366)

    @given(BODIES)
    def test_it_takes_any_body(self, payload):
        found = resets_at({}, payload, json.dumps(payload), NOW)

        assert found is None or found > NOW

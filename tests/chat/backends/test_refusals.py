"""What a refusing answer means: status, headers and body to one verdict."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from chat.backends.bodies import read_body
from chat.backends.refusals import (
    Context,
    Loading,
    Refusal,
    Verdict,
    judge,
    judge_in_stream,
)
from chat.errors import Fault
from chat.events import RateLimited

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
CONTEXT = Context("m-test", NOW, ("top_k", "stream_options", "temperature"), ("sk-1",))


def verdict(body: Any, status: int = 400, **headers: str) -> Verdict:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return judge(read_body(raw), status, names, CONTEXT)


def in_stream(body: Any) -> Verdict:
    return judge_in_stream(read_body(json.dumps(body).encode()), CONTEXT)


def refusal(found: Verdict) -> Refusal:
    assert isinstance(found, Refusal)
    return found


class FaultTests:
    @pytest.mark.parametrize(
        ("body", "status", "fault"),
        [
            ({"error": {"message": "Invalid API Key"}}, 401, Fault.KEY),
            ({"error": "Unauthorized"}, 401, Fault.KEY),
            (b"", 403, Fault.KEY),
            (b"<html><title>Forbidden</title></html>", 403, Fault.KEY),
            ({"error": {"message": "No", "code": "invalid_api_key"}}, 400, Fault.KEY),
            ({"error": {"message": "The model `x` does not exist."}}, 404, Fault.MODEL),
            ({"error": {"message": "model 'x' not found"}}, 400, Fault.MODEL),
            ({"error": 'model "x" not found, try pulling it first'}, 404, Fault.MODEL),
            ({"error": {"message": "/chat/completions: Invalid model name passed in "
              "model=x."}}, 400, Fault.MODEL),
            ({"detail": "No models are currently loaded."}, 503, Fault.MODEL),
            ({"error": {"message": "x", "code": "model_not_found"}}, 404, Fault.MODEL),
            ({"detail": "Not Found"}, 404, Fault.REFUSED),
            ({"error": "Unexpected endpoint or method. (POST /x)"}, 404, Fault.REFUSED),
            ({"error": {"message": "'messages' is required"}}, 400, Fault.REFUSED),
            ({"detail": "bad body"}, 422, Fault.REFUSED),
            (b"", 413, Fault.OVERFLOW),
            ({"error": "disk full"}, 500, Fault.SERVER),
            (b"<html><h1>502 Bad Gateway</h1></html>", 502, Fault.SERVER),
            (b"", 504, Fault.SERVER),
            ({"error": "server busy, please try again."}, 503, Fault.SERVER),
            (b"", 307, Fault.PROTOCOL),
        ],
    )  # fmt: skip
    def test_it_names_the_fault(self, body, status, fault):
        assert refusal(verdict(body, status)).fault is fault

    @pytest.mark.parametrize(
        ("body", "status", "line"),
        [
            ({"error": "disk full"}, 500, "m-test: disk full (HTTP 500)"),
            (b"", 500, "m-test: HTTP 500 without a message"),
            (["x"], 500, 'm-test: ["x"] (HTTP 500)'),
            ({"error": {"message": None, "code": "X1"}}, 500, "m-test: X1 (HTTP 500)"),
            (b"<html><h1>502 Bad Gateway</h1></html>", 502,
             "m-test: HTTP 502 from a proxy or web page (502 Bad Gateway)"),
            ({"error": "bad key sk-1 at http://10.0.0.5/x"}, 500,
             "m-test: bad key […] at [address] (HTTP 500)"),
        ],
    )  # fmt: skip
    def test_it_says_it_in_one_line(self, body, status, line):
        context = Context("m-test", NOW, secrets=("sk-1",))
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        if "sk-1" in str(body):
            context = Context("m-test", NOW, secrets=("sk-1", ""))

        found = judge(read_body(raw), status, {}, context)

        assert refusal(found).message == line

    def test_it_bounds_the_longest_sentence(self):
        found = refusal(verdict({"error": "long \n" * 9_000}, 500))

        assert len(found.message) <= 500
        assert "\n" not in found.message

    def test_it_says_so_where_a_stream_reports_an_error_and_no_more(self):
        found = refusal(in_stream({"error": {"message": ""}}))

        assert found.message == "m-test: the server reports an error without a message"


class LoadingTests:
    @pytest.mark.parametrize(
        "body",
        [
            {"error": {"message": "Loading model", "type": "unavailable_error"}},
            {"status": "loading model"},
            {"error": {"code": "model_loading", "message": "please wait"}},
            {"reason": "startup preload in progress", "status": "starting up"},
            {"detail": "Startup not complete"},
            {"error": "The model is still being loaded: loading 30 %"},
        ],
    )
    def test_it_knows_a_server_that_loads(self, body):
        assert isinstance(verdict(body, 503), Loading)
        assert isinstance(verdict(body, 503, retry_after="5"), Loading)

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            ({"detail": "No models are currently loaded."}, 503),
            ({"error": "overloaded"}, 503),
            ({"error": "Failed while loading model"}, 500),
        ],
    )
    def test_it_takes_no_other_answer_for_loading(self, body, status):
        assert not isinstance(verdict(body, status), Loading)


class LimitTests:
    def test_it_reads_the_reset_of_a_429(self):
        found = verdict({"error": {"message": "slow down"}}, 429, retry_after="30")

        assert found == RateLimited(NOW + timedelta(seconds=30), "m-test: slow down")

    @pytest.mark.parametrize("body", [b"", b"<html>429</html>", {"error": "limit"}])
    def test_it_leaves_a_reset_that_nobody_names_unknown(self, body):
        found = verdict(body, 429)

        assert isinstance(found, RateLimited)
        assert found.resets_at is None

    @pytest.mark.parametrize(
        ("status", "headers"), [(529, {}), (503, {"retry_after": "9"})]
    )
    def test_it_takes_an_overloaded_server_for_a_limit(self, status, headers):
        assert isinstance(verdict({"error": "busy"}, status, **headers), RateLimited)

    def test_it_says_when_the_quota_is_gone(self):
        error = {"message": "You have no quota left", "code": "insufficient_quota"}
        found = verdict({"error": error}, 429)

        assert isinstance(found, RateLimited)
        assert "quota is used up" in found.message

    def test_it_says_when_waiting_cannot_help(self):
        text = "Limit 7000, Used 6100, Requested 7900. Please try again in 1m0.3s."
        found = verdict({"error": {"message": text}}, 429)

        assert isinstance(found, RateLimited)
        assert "waiting does not help" in found.message

    @pytest.mark.parametrize(
        "body",
        [
            {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}},
            {"error": {"message": "slow down", "type": "rate_limit_error"}},
            {"error": {"message": "Too many requests", "code": 429}},
            {"error": {"message": "busy", "code": 429, "retry_after": 3}},
        ],
    )
    def test_it_knows_a_limit_inside_a_stream(self, body):
        assert isinstance(in_stream(body), RateLimited)

    @pytest.mark.parametrize(
        "body",
        [
            {"error": {"message": "queue is full", "type": "overloaded", "code": 429}},
            {"error": {"message": "compute failed", "code": 500}},
        ],
    )
    def test_it_takes_a_code_alone_for_no_limit(self, body):
        assert refusal(in_stream(body)).fault is Fault.SERVER

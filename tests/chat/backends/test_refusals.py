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


def overflow(text: str, **more: Any) -> str:
    found = refusal(verdict({"error": {"message": text, **more}}, 400))
    assert found.fault is Fault.OVERFLOW
    return found.message


class OverflowTests:
    @pytest.mark.parametrize(
        "text",
        [
            "This model's maximum context length is 4096 tokens. However, your "
            "messages "
            "resulted in 5120 tokens.",
            "request (5120 tokens) exceeds the available context size (4096 tokens), "
            "try "
            "increasing it",
            "The number of tokens to keep from the initial prompt is greater than the "
            "context length (n_keep: 5120 >= n_ctx: 4096).",
            "This model's maximum context length is 4096 tokens. However, you "
            "requested "
            "5632 tokens (5120 in the messages, 512 in the completion).",
            "Prompt contains 5120 tokens and 0 draft tokens, too large for model with "
            "4096 maximum context length",
            "prompt is too long: 5120 tokens > 4096 maximum",
            "The decoder prompt (length 5120) is longer than the maximum model "
            "length of "
            "4096.",
            "The input (5120 tokens) is longer than the model's context length (4096 "
            "tokens).",
            "The input token count (5120) exceeds the maximum number of tokens allowed "
            "(4096).",
            "Requested token count exceeds the model's maximum context length of 4096 "
            "tokens. You requested a total of 5632 tokens: 5120 tokens from the input "
            "messages and 512 tokens for the completion.",
            "Trying to keep the first 5120 tokens when context the overflows. However, "
            "the model is loaded with context length of only 4096 tokens",
            "Prompt length 5120 is greater than max_seq_len 4096",
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= "
            "4096. "
            "Given: 5120 `inputs` tokens and 512 `max_new_tokens`",
            "too many tokens: total number of tokens in the prompt cannot exceed "
            "4096 - "
            "received 5120.",
            "litellm.ContextWindowExceededError: OpenAIException - request (5120 "
            "tokens) "
            "exceeds the available context size (4096 tokens)",
            "This model's maximum context length is 4,096 tokens. However, your "
            "request "
            "has 5,120 input tokens.",
        ],
    )  # fmt: skip
    def test_it_speaks_every_dialect(self, text):
        said = overflow(text)

        assert "5120 tokens, limit 4096" in said
        assert "Shorten" in said

    def test_it_names_what_is_kept_for_the_answer(self):
        said = overflow(
            "This model's maximum context length is 4096 tokens. However, you "
            "requested "
            "5632 tokens (5120 in the messages, 512 in the completion)."
        )

        assert "512 of them kept for the answer" in said

    def test_it_believes_fields_before_the_sentence(self):
        said = overflow(
            "too big", type="exceed_context_size_error", n_prompt_tokens=7, n_ctx=3
        )

        assert "7 tokens, limit 3" in said

    @pytest.mark.parametrize(
        "body",
        [
            {"error": "the input length exceeds the context length"},
            {"error": {"message": "Input is too long for requested model."}},
            {"error": {"message": "no", "code": "context_length_exceeded"}},
            {"error": {"message": "outer", "metadata": {"raw": json.dumps({"error": {
                "message": "maximum context length is 9 tokens"}})}}},
        ],
    )  # fmt: skip
    def test_it_knows_an_overflow_without_numbers(self, body):
        assert refusal(verdict(body, 400)).fault is Fault.OVERFLOW

    @pytest.mark.parametrize(
        "text",
        [
            "max_tokens is too large: 100000. This model supports at most 16384 "
            "completion tokens",
            "'messages' must contain the word 'json'",
            "context_length is not supported",
        ],
    )
    def test_it_takes_no_other_refusal_for_one(self, text):
        found = refusal(verdict({"error": {"message": text}}, 400))

        assert found.fault is not Fault.OVERFLOW


class ParameterTests:
    @pytest.mark.parametrize(
        ("body", "name"),
        [
            ({"error": {"message": "Unsupported parameter: 'top_k'", "param": "top_k"}},
             "top_k"),
            ({"error": {"message": "Unknown parameter: 'top_k'."}}, "top_k"),
            ({"error": {"message": "Unrecognized request argument supplied: top_k"}},
             "top_k"),
            ({"detail": "Unexpected fields in the request: {'num_ctx'}"}, "num_ctx"),
            ({"detail": [{"type": "extra_forbidden", "loc": ["body", "top_k"],
                          "msg": "Extra inputs are not permitted"}]}, "top_k"),
            ({"message": "[{'type': 'extra_forbidden', 'loc': ('body', "
                         "'stream_options'), 'msg': 'Extra inputs'}]"},
             "stream_options"),
            ({"error": {"message": "Unsupported value: 'temperature' does not support "
              "0.2 with this model. Only the default (1) value is supported.",
              "param": "temperature", "code": "unsupported_value"}}, "temperature"),
            ({"error": "'stream' is not supported"}, "stream"),
            ({"error": {"message": "unexpected keyword argument 'min_p'"}}, "min_p"),
            ({"error": {"message": 'json: unknown field "min_p"'}}, "min_p"),
            ({"error": {"message": "this backend does not support temperature"}},
             "temperature"),
            ({"error": {"message": "property 'min_p' is unsupported"}}, "min_p"),
        ],
    )  # fmt: skip
    def test_it_names_the_refused_parameter(self, body, name):
        found = refusal(verdict(body, 400))

        assert found.fault is Fault.PARAMETER
        assert found.parameter is not None
        assert found.parameter.name == name
        assert name in found.message

    def test_it_reads_what_the_server_wants_instead(self):
        text = (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead."
        )
        found = refusal(
            verdict({"error": {"message": text, "param": "max_tokens"}}, 400)
        )

        assert found.parameter is not None
        assert found.parameter.instead == "max_completion_tokens"

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            ({"error": {"message": "temperature must be at most 2",
                        "param": "temperature"}}, 400),
            ({"error": {"message": "unknown", "param": "messages"}}, 400),
            ({"error": {"message": "Unsupported parameter: 'top_k'"}}, 500),
            ({"error": {"message": "Field 'max_tokens': type must be number"}}, 400),
        ],
    )  # fmt: skip
    def test_it_names_none_where_it_is_about_another_thing(self, body, status):
        assert refusal(verdict(body, status)).parameter is None

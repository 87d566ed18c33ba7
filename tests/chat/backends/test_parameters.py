"""Which parameter a refusal names, and what it wants in its place."""

from __future__ import annotations

import pytest

from chat.errors import Fault
from tests.chat.backends.test_refusals import refusal, verdict


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

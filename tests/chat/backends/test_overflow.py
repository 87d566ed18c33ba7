"""A text longer than the context window, in every dialect that was seen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chat.errors import Fault
from tests.chat.backends.test_refusals import refusal, verdict


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

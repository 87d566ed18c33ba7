"""One object of an answer: every field may be missing, null, empty or odd."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.backends.chunks import (
    Chunk,
    ToolDelta,
    _any_chunk,
    _plain_delta,
    read_chunk,
    read_chunks,
)
from chat.events import Usage


def of_delta(delta: Any, **choice: Any) -> Chunk:
    return read_chunk({"choices": [{"index": 0, "delta": delta, **choice}]})


class ContentTests:
    @pytest.mark.parametrize(
        ("content", "text", "reasoning"),
        [
            ("Hi", "Hi", ""),
            ("", "", ""),
            ("0", "0", ""),
            (None, "", ""),
            (0, "", ""),
            ([{"type": "text", "text": "Hal"}, {"type": "text", "text": "lo"}],
             "Hallo", ""),
            ([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}],
             "", "hm"),
            ([{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "Hi"}],
             "Hi", "hm"),
            ([{"type": "output_text", "text": {"value": "Hi"}}], "Hi", ""),
            ({"type": "text", "text": "Hi"}, "Hi", ""),
            (["H", "i", None, 3], "Hi", ""),
            ([{"type": "image_url", "image_url": {"url": "data:"}}], "", ""),
            ([], "", ""),
        ],
    )  # fmt: skip
    def test_it_reads_content_of_any_shape(self, content, text, reasoning):
        chunk = of_delta({"content": content})

        assert (chunk.text, chunk.reasoning) == (text, reasoning)

    @pytest.mark.parametrize(
        ("delta", "reasoning"),
        [
            ({"reasoning_content": "hm"}, "hm"),
            ({"reasoning": "hm"}, "hm"),
            ({"thinking": "hm"}, "hm"),
            ({"reasoning": "hm", "reasoning_content": "hm"}, "hm"),
            ({"reasoning": "", "reasoning_content": "hm"}, "hm"),
            ({"reasoning": {"text": "hm"}}, "hm"),
            ({"reasoning": None, "reasoning_details": [{"text": "hm"}]}, "hm"),
            ({"reasoning": "hm", "reasoning_details": [{"text": "hm"}]}, "hm"),
            ({"reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]}, ""),
            ({"reasoning_content": None}, ""),
        ],
    )
    def test_it_reads_reasoning_once_under_any_name(self, delta, reasoning):
        assert of_delta(delta).reasoning == reasoning

    def test_it_shows_a_refusal_as_what_the_model_says(self):
        chunk = of_delta({"content": None, "refusal": "I cannot help."})

        assert (chunk.text, chunk.is_refusal) == ("I cannot help.", True)

    def test_it_reads_the_text_of_old_completions(self):
        assert read_chunk({"choices": [{"index": 0, "text": "Hi"}]}).text == "Hi"


class ChoiceTests:
    @pytest.mark.parametrize(
        "choices",
        [[], None, "x", 3, {}, [None], [[]], ["x"], [{}], [{"delta": None}],
         [{"delta": "x"}], [{"delta": []}], [{"index": 1, "delta": {"content": "B"}}],
         [{"index": [], "delta": {"content": "B"}}]],
    )  # fmt: skip
    def test_it_takes_choices_that_say_nothing_for_nothing(self, choices):
        chunk = read_chunk({"choices": choices})

        assert (chunk.text, chunk.finish, chunk.error) == ("", None, None)

    def test_it_takes_a_missing_list_of_choices_for_nothing(self):
        assert not read_chunk({"usage": None}).is_answer

    def test_it_reads_the_first_answer_of_several(self):
        both = [
            {"index": 1, "delta": {"content": "B"}, "finish_reason": "length"},
            {"index": 0, "delta": {"content": "A"}},
        ]

        chunk = read_chunk({"choices": both})

        assert (chunk.text, chunk.finish) == ("A", None)

    @pytest.mark.parametrize(
        ("finish", "word"), [("stop", "stop"), ("", None), (None, None), (3, None)]
    )
    def test_it_knows_an_end_only_by_a_word(self, finish, word):
        assert of_delta({}, finish_reason=finish).finish == word

    def test_it_reads_a_whole_answer_on_the_same_road(self):
        message = {"role": "assistant", "content": "Hi", "reasoning_content": "hm"}
        chunk = read_chunk(
            {
                "object": "chat.completion",
                "choices": [{"message": message, "finish_reason": "stop"}],
            }
        )

        assert (chunk.text, chunk.reasoning, chunk.finish) == ("Hi", "hm", "stop")
        assert chunk.is_whole

    def test_it_reads_a_line_of_the_ollama_api(self):
        assert read_chunk({"message": {"content": "Hi"}, "done": False}).text == "Hi"
        assert read_chunk({"message": {"content": ""}, "done": True}).finish == "stop"


class UsageTests:
    @pytest.mark.parametrize(
        ("payload", "usage"),
        [
            ({"usage": {"prompt_tokens": 5, "completion_tokens": 1}}, Usage(5, 1)),
            ({"usage": {"input_tokens": 5, "output_tokens": 1}}, Usage(5, 1)),
            ({"usage": {"prompt_tokens": 5}}, Usage(5, None)),
            ({"usage": {"prompt_tokens": 5.0, "completion_tokens": 0}}, Usage(5, 0)),
            ({"x_groq": {"usage": {"completion_tokens": 2}}}, Usage(None, 2)),
            ({"choices": [{"usage": {"completion_tokens": 2}}]}, Usage(None, 2)),
            ({"timings": {"cache_n": 2, "prompt_n": 3, "predicted_n": 4}}, Usage(5, 4)),
            ({"usage": None}, None),
            ({"usage": {}}, None),
            ({"usage": []}, None),
            ({"usage": {"prompt_tokens": -1, "completion_tokens": True}}, None),
            ({"usage": {"prompt_tokens": "5", "completion_tokens": 1e300}}, None),
            ({"usage": {"prompt_tokens": float("inf")}}, None),
            ({"usage": {"prompt_tokens": float("nan")}}, None),
        ],
    )
    def test_it_counts_only_what_is_a_count(self, payload, usage):
        assert read_chunk(payload).usage == usage


class ToolTests:
    @pytest.mark.parametrize(
        ("calls", "deltas"),
        [
            ([{"index": 0, "id": "t", "function": {"name": "f", "arguments": "{"}}],
             [ToolDelta(0, "t", "f", "{")]),
            ([{"id": "t", "function": {"name": "f", "arguments": {"a": 1}}}],
             [ToolDelta(None, "t", "f", '{"a": 1}')]),
            ([{"index": None, "function": {"name": None, "arguments": None}}],
             [ToolDelta(None, "", "", "")]),
            ([{"index": True, "function": None}], [ToolDelta(None, "", "", "")]),
            ({"index": 1, "name": "f", "arguments": "{"}, [ToolDelta(1, "", "f", "{")]),
            ([None, "x", 3], []),
            (None, []),
        ],
    )  # fmt: skip
    def test_it_reads_calls_of_any_shape(self, calls, deltas):
        assert list(of_delta({"tool_calls": calls}).tools) == deltas

    def test_it_reads_the_function_call_of_old(self):
        delta = {"function_call": {"name": "f", "arguments": "{}"}}

        assert of_delta(delta).tools == (ToolDelta(0, "", "f", "{}"),)


class ErrorTests:
    @pytest.mark.parametrize(
        "payload",
        [
            {"error": {"message": "boom"}},
            {"error": "boom"},
            {"error": ["boom"]},
            {"errors": ["boom"]},
            {"object": "error", "message": "boom"},
            {"type": "error", "error": {"message": "boom"}},
            {"message": "boom", "code": 500},
            {"detail": "boom"},
            {"choices": [{"error": {"message": "boom"}}]},
            {"choices": [], "error": {"message": "boom"}},
        ],
    )
    def test_it_finds_an_error_wherever_it_stands(self, payload):
        assert read_chunk(payload).error is not None

    @pytest.mark.parametrize(
        "payload",
        [
            {"error": None, "choices": []},
            {"error": {}, "choices": []},
            {"error": "", "choices": []},
            {"error": False, "choices": []},
            {"choices": [{"error": None, "delta": {}}]},
            {"choices": [], "message": "ok"},
            {"message": {"content": "Hi"}},
            {"type": "ping"},
            {},
        ],
    )
    def test_it_sees_no_error_in_a_field_that_is_empty(self, payload):
        assert read_chunk(payload).error is None


class BytesTests:
    @pytest.mark.parametrize(
        "raw", [b"", b"null", b"3", b'"x"', b"[]", b"[1]", b"{", b": ping", b"\xff\xfe"]
    )
    def test_it_finds_no_chunk_in_what_is_no_object(self, raw):
        assert read_chunks(raw) is None

    def test_it_takes_a_list_of_objects_for_several_chunks(self):
        rows: list[dict[str, Any]] = [{"choices": []}, {"choices": []}]

        assert len(read_chunks(json.dumps(rows).encode()) or ()) == 2

    def test_it_survives_nesting_that_no_parser_takes(self):
        assert read_chunks(b'{"a":' * 100_000) is None
        assert read_chunks(b"[" * 100_000 + b"]" * 100_000) is None

    def test_it_reads_bytes_that_are_no_utf_8_as_far_as_they_go(self):
        raw = b'{"choices": [{"delta": {"content": "a\xff"}}]}'

        assert (read_chunks(raw) or [Chunk()])[0].text == "a\ufffd"


KEYS = st.sampled_from(
    ["choices", "delta", "message", "content", "usage", "error", "index", "tool_calls",
     "function", "text", "type", "reasoning", "finish_reason", "timings", "loc"]
)  # fmt: skip
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner),
    max_leaves=12,
)


class AnyPayloadTests:
    @given(st.dictionaries(KEYS, ANY))
    def test_it_reads_any_object(self, payload):
        chunk = read_chunk(payload)

        assert isinstance(chunk.text, str)
        assert isinstance(chunk.reasoning, str)


PLAIN = {
    "id": "chatcmpl-1",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "tiny",
    "system_fingerprint": "b1",
    "choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": None}],
}


class PlainDeltaTests:
    """The short road must say what the long one says, or nothing."""

    @pytest.mark.parametrize(
        "change",
        [
            {},
            {"usage": None},
            {"usage": {"prompt_tokens": 1, "completion_tokens": 2}},
            {"error": {"message": "no"}},
            {"object": "error"},
            {"choices": []},
            {"choices": [{"delta": {"content": "a"}}, {"delta": {"content": "b"}}]},
            {"choices": [{"index": 1, "delta": {"content": "b"}}]},
            {"choices": [{"delta": {"content": ""}, "finish_reason": ""}]},
            {"choices": [{"delta": {"content": "x"}, "finish_reason": "stop"}]},
            {"choices": [{"delta": {"content": ["x"]}, "finish_reason": None}]},
            {"choices": [{"delta": {"content": "x", "reasoning": "y"}}]},
            {"choices": [{"delta": {"content": "x"}, "error": "no"}]},
            {"choices": [{"message": {"content": "x"}}]},
            {"model": 7},
        ],
    )
    def test_it_reads_the_same_by_the_short_road(self, change):
        payload = {**PLAIN, **change}
        short = _plain_delta(payload)
        assert short in (None, _any_chunk(payload))

    def test_it_takes_the_short_road_for_a_plain_delta(self):
        assert _plain_delta(PLAIN) is not None

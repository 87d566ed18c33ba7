"""The answer put together in process: what is text, and when it ended well."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.backends.answer import ANSWER_LIMIT_CHARACTERS, Answer
from chat.backends.eventstream import Decoder, ServerEvent
from chat.backends.refusals import Context
from chat.errors import Fault
from chat.events import Body, Final, RateLimited, Reasoning, Text, ToolCall, Usage
from tests.chat.backends.asking import DONE, chunk, sse
from tests.chat.backends.recorded import chat

CONTEXT = Context("m-test", datetime(2026, 11, 30, 12, tzinfo=UTC))


def read(stream: bytes, cut: str = "", size: int = 0) -> tuple[list[Body], Answer]:
    """A stream in pieces of `size` bytes (0: at once), to its end or cut."""
    decoder, answer, bodies = Decoder(), Answer(CONTEXT), []
    for start in range(0, len(stream), size or len(stream) or 1):
        piece = stream[start : start + (size or len(stream))]
        bodies += answer.take_all(decoder.feed(piece))
    bodies += answer.take_all(decoder.finish())
    return bodies + answer.end(bytes(decoder.stray), cut), answer


def text_of(bodies: list[Body]) -> str:
    return "".join(body.text for body in bodies if isinstance(body, Text))


def final_of(bodies: list[Body]) -> Final:
    assert isinstance(bodies[-1], Final)
    return bodies[-1]


def fault_of(answer: Answer) -> Fault:
    assert answer.error is not None
    return answer.error.fault


class EndTests:
    @pytest.mark.parametrize(
        "stream",
        [
            chunk("Hi") + chunk(finish="stop") + DONE,
            chunk("Hi") + chunk(finish="stop"),
            chunk("Hi") + DONE,
            chunk("Hi", "stop"),
            chunk("Hi") + b"data: [DONE]",
            chunk("Hi") + b"data:  [DONE] \n\n",
            chunk("Hi") + b"data: [done]\n\n",
            chunk("Hi") + DONE + b"data: {garbage\n\n",
            chunk("Hi", "stop") + b'data: {"usa',
            chunk("Hi", "stop") + sse({"error": "too late"}),
            chunk("H", "stop") + chunk("i"),
            chunk("Hi", "length") + DONE,
            chunk("Hi", "eos"),
            chunk("Hi", "content_filter"),
        ],
    )
    def test_it_ends_well_with_a_reason_or_done(self, stream):
        bodies, answer = read(stream)

        assert answer.error is None
        assert text_of(bodies) == "Hi"
        assert isinstance(final_of(bodies), Final)

    @pytest.mark.parametrize(
        ("stream", "cut", "fault"),
        [
            (chunk("Hi"), "", Fault.CUT),
            (chunk("Hi"), "lost", Fault.CUT),
            (chunk("Hi") + b'data: {"cho', "lost", Fault.CUT),
            (chunk("Hi") + b'data: {"cho', "", Fault.PROTOCOL),
            (chunk("Hi") + b"data: {'error': 'x'}\n\n" + DONE, "", Fault.PROTOCOL),
            (chunk("Hi") + sse({"error": "boom"}) + DONE, "", Fault.SERVER),
            (
                chunk("Hi") + sse({"error": "boom"}) + chunk("x", "stop"),
                "",
                Fault.SERVER,
            ),
            (
                chunk("Hi") + b'event: error\ndata: {"message": "x"}\n\n',
                "",
                Fault.SERVER,
            ),
            (chunk("Hi") + b"event: error\ndata: boom\n\n", "", Fault.SERVER),
            (chunk("Hi") + b'{"error": "raw line"}\n', "", Fault.SERVER),
            (chunk("Hi") + b'{\n "error": "pretty"\n}\n', "", Fault.SERVER),
            (chunk("Hi", "error"), "", Fault.SERVER),
        ],
    )
    def test_it_fails_and_keeps_the_text_otherwise(self, stream, cut, fault):
        bodies, answer = read(stream, cut)

        assert text_of(bodies) == "Hi"
        assert fault_of(answer) is fault
        assert not any(isinstance(body, Final) for body in bodies)

    @pytest.mark.parametrize("stream", [b"", b"\n\n", b": ping\n\n", b"data:\n\n"])
    def test_it_takes_no_silence_for_an_answer(self, stream):
        assert fault_of(read(stream)[1]) is Fault.PROTOCOL

    @pytest.mark.parametrize(
        "stream",
        [b"data: : PROCESSING\n\n", b"data: ping\n\n", b"data: [PING]\n\n",
         b"data: null\n\n", b"data: 3\n\n", b"data:\n\n", b"event: ping\ndata: {}\n\n"],
    )  # fmt: skip
    def test_it_passes_over_frames_that_lost_nothing(self, stream):
        bodies, answer = read(stream + chunk("ok", "stop"))

        assert (text_of(bodies), answer.error) == ("ok", None)


class EmptyTests:
    @pytest.mark.parametrize("finish", ["stop", "eos", "end_turn", "tool_calls"])
    def test_it_takes_no_text_for_an_answer_that_stopped(self, finish):
        bodies, answer = read(chunk("", finish) + DONE)

        assert answer.error is None
        assert "no text" in final_of(bodies).notes[0]

    @pytest.mark.parametrize(
        ("stream", "said"),
        [
            (chunk("", "length") + DONE, "token limit"),
            (chunk(" \n", "length") + DONE, "token limit"),
            (chunk("<think>plan", "length") + DONE, "used up by thinking"),
            (chunk(None, "length", reasoning="plan") + DONE, "used up by thinking"),
            (chunk("", "content_filter") + DONE, "content_filter"),
            (chunk("") + DONE, "no reason"),
            (DONE, "no reason"),
        ],
    )
    def test_it_names_why_no_text_came(self, stream, said):
        _, answer = read(stream)

        assert fault_of(answer) is Fault.EMPTY
        assert said in str(answer.error)

    def test_it_keeps_reason_and_counts_of_a_failure(self):
        usage = sse({"choices": [], "usage": {"completion_tokens": 512}})
        _, answer = read(chunk("<think>plan", "length") + usage + DONE)

        assert answer.error is not None
        assert answer.error.facts is not None
        assert answer.error.facts.finish_reason == "length"
        assert answer.error.facts.usage == Usage(None, 512)
        assert "(512)" in answer.error.message

    def test_it_completes_with_tools_and_no_text(self):
        call = {"id": "t", "function": {"name": "look", "arguments": "{}"}}
        bodies, answer = read(chunk(None, "tool_calls", tool_calls=[call]) + DONE)

        assert answer.error is None
        assert final_of(bodies).tools == (ToolCall("look", "{}"),)
        assert final_of(bodies).notes == ()


class LimitTests:
    LIMIT = sse({"error": {"message": "slow down", "code": "rate_limit_exceeded"}})

    def test_it_ends_without_a_final_after_a_limit(self):
        bodies, answer = read(chunk("Hi") + self.LIMIT + DONE)

        assert answer.error is None
        assert isinstance(bodies[-1], RateLimited)
        assert text_of(bodies) == "Hi"

    def test_it_lets_a_later_final_win(self):
        bodies, _ = read(self.LIMIT + chunk("Hi", "stop") + DONE)

        assert final_of(bodies).finish_reason == "stop"


class WholeTests:
    ANSWER: dict[str, Any] = {
        "object": "chat.completion",
        "model": "m-real",
        "choices": [{"index": 0, "message": {"content": "<think>a</think>Hi"}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    }

    @pytest.mark.parametrize("indent", [None, 2])
    @pytest.mark.parametrize("end", [b"", b"\n"])
    def test_it_reads_a_whole_answer_where_a_stream_was_asked_for(self, indent, end):
        bodies, answer = read(json.dumps(self.ANSWER, indent=indent).encode() + end)

        assert answer.error is None
        assert text_of(bodies) == "Hi"
        assert final_of(bodies) == Final(None, "m-real", Usage(3, 2))

    def test_it_takes_no_cut_whole_answer(self):
        raw = json.dumps(self.ANSWER).encode()

        assert fault_of(read(raw[:-3])[1]) is Fault.PROTOCOL
        assert read(raw[:-3], "lost")[1].error is not None

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            (b'{"error": "Unexpected endpoint or method. (POST /x)"}', "Unexpected"),
            (b'{"detail": "Not Found"}', "Not Found"),
            (b"<!doctype html><title>Sign in</title>", "web page (Sign in)"),
            (b"<html>\n<body>\n", "web page"),
            (b"plain words", "plain words"),
            (b'{"id": 3}', "nothing"),
            (b"[]", "[]"),
        ],
    )
    def test_it_says_what_came_in_place_of_an_answer(self, body, said):
        bodies, answer = read(body)

        assert said in str(answer.error)
        assert text_of(bodies) == ""


class CharacterTests:
    def test_it_joins_a_character_that_was_escaped_in_two_chunks(self):
        halves = b'data: {"choices": [{"delta": {"content": "%s"}}]}\n\n'
        stream = halves % b"\\ud83c" + halves % b"\\udf0d!" + DONE

        assert text_of(read(stream)[0]) == "\U0001f30d!"

    @pytest.mark.parametrize("lone", [b"\\ud83c", b"\\udf0d", b"a\\ud83cb"])
    def test_it_replaces_half_a_character(self, lone):
        raw = b'data: {"choices": [{"delta": {"content": "%s"}}]}\n\n' % lone
        text = text_of(read(raw + DONE)[0])

        assert "\ufffd" in text
        assert text.encode()

    def test_it_keeps_equal_neighbours(self):
        bodies, _ = read(chunk("ha") * 3 + chunk(" end.", "stop") + chunk("", "stop"))

        assert text_of(bodies) == "hahaha end."

    def test_it_stops_an_answer_without_end(self):
        decoder, answer = Decoder(), Answer(CONTEXT)
        piece = chunk("x" * 1_000_000)
        for _ in range(ANSWER_LIMIT_CHARACTERS // 1_000_000 + 1):
            answer.take_all(decoder.feed(piece))

        assert fault_of(answer) is Fault.PROTOCOL

    def test_it_stops_a_tool_call_without_end(self):
        answer = Answer(CONTEXT)
        call = {"index": 0, "function": {"name": "f", "arguments": "x" * 1_000}}
        events = Decoder().feed(chunk(tool_calls=[call]))
        for _ in range(ANSWER_LIMIT_CHARACTERS // 1_000 + 1):
            answer.take_all(events)

        assert fault_of(answer) is Fault.PROTOCOL

    def test_it_shortens_a_name_without_end(self):
        endless = sse({"model": "m" * 100_000, "choices": []})

        assert len(final_of(read(chunk("Hi", "stop") + endless)[0]).model) == 300

    def test_it_keeps_the_model_that_an_empty_name_follows(self):
        nameless = sse({"model": "", "choices": []})

        assert final_of(read(chunk("Hi", "stop") + nameless)[0]).model == "m-test"


STREAM = chat("b11434-stream.txt").body
PIECES = st.sampled_from(
    [chunk("Hi"), chunk("<think>"), chunk("</think>"), chunk(""), chunk(finish="stop"),
     chunk(finish="length"), chunk(None, None, reasoning="hm"), sse({"error": "x"}),
     sse({"choices": []}), b": ping\n\n", b"data: junk\n\n", b"data: {\n\n", DONE,
     b"<html>", b'{"error": "raw"}\n', b"\n"]
)  # fmt: skip


class CutTests:
    def test_it_takes_a_recorded_stream_cut_at_every_byte(self):
        whole = text_of(read(STREAM)[0])
        finish = STREAM.index(b'"finish_reason":"length"')
        ended = STREAM.index(b"\n\n", finish)
        for cut in range(len(STREAM)):
            bodies, answer = read(STREAM[:cut], "lost")
            text = text_of(bodies)
            assert whole.startswith(text)
            assert (answer.error is None) == (cut >= ended), cut
            if cut >= ended:
                assert text == whole

    def test_it_takes_the_same_stream_in_pieces_of_any_size(self):
        whole = read(STREAM)[0]
        for size in (1, 2, 3, 7, 64, 1000):
            assert read(STREAM, size=size)[0] == whole

    @given(st.lists(PIECES, max_size=8), st.integers(1, 40), st.sampled_from(["", "x"]))
    def test_it_ends_every_stream_in_one_way(self, pieces, size, cut):
        stream = b"".join(pieces)
        bodies, answer = read(stream, cut, size)

        finals = [body for body in bodies if isinstance(body, Final)]
        assert len(finals) <= 1
        assert not (finals and answer.error)
        assert bool(finals) or answer.error is not None
        assert all(b.text for b in bodies if isinstance(b, Text | Reasoning))
        again, _ = read(stream, cut)
        assert text_of(again) == text_of(bodies)

    def test_it_takes_events_after_the_end_for_nothing(self):
        answer = Answer(CONTEXT)
        answer.take(ServerEvent("", b"[DONE]"))

        assert answer.take_all([ServerEvent("", b'{"error": "x"}')]) == []

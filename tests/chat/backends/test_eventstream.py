"""The decoder of server-sent events: the examples of the standard, and worse ones.

https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.backends.eventstream import Decoder, ServerEvent, TooLong


def decode(*pieces: bytes) -> list[tuple[str, bytes]]:
    decoder = Decoder()
    events: list[ServerEvent] = []
    for piece in pieces:
        events += decoder.feed(piece)
    return [(event.name, event.data) for event in events + decoder.finish()]


class DecoderTests:
    @pytest.mark.parametrize(
        ("stream", "events"),
        [
            (b"data: a\n\ndata: b\n\n", [("", b"a"), ("", b"b")]),
            (b"data: a\r\rdata: b\r\r", [("", b"a"), ("", b"b")]),
            (b"data: a\r\n\r\ndata: b\r\n\r\n", [("", b"a"), ("", b"b")]),
            (b"data: a\ndata: b\n\n", [("", b"a\nb")]),
            (b"data:a\n\n", [("", b"a")]),
            (b"data:  a \n\n", [("", b" a ")]),
            (b"data\n\n", [("", b"")]),
            (b"data:\n\n", [("", b"")]),
            (b": comment\n\n:\n\ndata: a\n\n", [("", b"a")]),
            (b"id: 1\n: ping\n\ndata: a\n\n", [("", b"a")]),
            (b"id: 1\nretry: 9\nevent: error\ndata: a\n\n", [("error", b"a")]),
            (b"event: error\n\ndata: a\n\n", [("", b"a")]),
            (b"event:error\ndata: a\n\ndata: b\n\n", [("error", b"a"), ("", b"b")]),
            (b"\xef\xbb\xbfdata: a\n\n", [("", b"a")]),
            (b"\n\n\ndata: a\n\n\n\n", [("", b"a")]),
            (b'{"choices": []}\n', [("", b'{"choices": []}')]),
        ],
    )
    def test_it_finds_the_events_of_a_stream(self, stream, events):
        assert decode(stream) == events

    @pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c"])
    def test_it_ends_no_line_at_a_unicode_separator(self, separator):
        text = f"a{separator}b".encode()

        assert decode(b"data: " + text + b"\n\n") == [("", text)]

    def test_it_gives_out_an_event_with_its_second_carriage_return(self):
        decoder = Decoder()

        assert [event.data for event in decoder.feed(b"data: a\r\r")] == [b"a"]
        assert decoder.feed(b"\n") == []

    def test_it_gives_out_an_event_without_its_blank_line_at_the_end(self):
        assert decode(b"data: a\n\ndata: [DONE]") == [("", b"a"), ("", b"[DONE]")]

    def test_it_keeps_what_is_no_field_as_stray(self):
        decoder = Decoder()

        assert decoder.feed(b"<html>\n<body>hello</body>\n") == []
        assert bytes(decoder.stray) == b"<html>\n<body>hello</body>\n"

    @pytest.mark.parametrize(
        "line", [b"data: " + b"x" * 200, b"x" * 200, b"data: x\n" * 60, b"stray\n" * 40]
    )
    def test_it_refuses_to_grow_without_end(self, line):
        decoder = Decoder(limit_bytes=100)

        with pytest.raises(TooLong):
            for start in range(0, len(line), 7):
                decoder.feed(line[start : start + 7])

    def test_it_takes_a_long_line_in_many_pieces_without_rereading_it(self):
        decoder = Decoder()
        decoder.feed(b"data: ")
        for _ in range(4_000):
            assert decoder.feed(b"x" * 1_000) == []

        assert len(decoder.feed(b"\n\n")[0].data) == 4_000_000


LINES = st.lists(
    st.sampled_from(
        [b"data: {}", b"data:x", b"", b": c", b"event: error", b"id: 1", b"junk", b"{}"]
    ),
    max_size=12,
)
ENDS = st.sampled_from([b"\n", b"\r", b"\r\n"])


class ChunkingTests:
    @given(LINES, ENDS, st.lists(st.integers(0, 200), max_size=8))
    def test_it_reads_the_same_however_the_bytes_are_cut(self, lines, end, cuts):
        stream = end.join(lines) + end
        bounds = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
        pieces = [stream[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]

        assert decode(*pieces) == decode(stream)

    @given(LINES, ENDS)
    def test_it_reads_the_same_byte_by_byte(self, lines, end):
        stream = end.join(lines)

        assert decode(*(bytes([byte]) for byte in stream)) == decode(stream)

    @given(st.binary(max_size=300))
    def test_it_takes_any_bytes(self, stream):
        assert decode(stream) == decode(*(bytes([byte]) for byte in stream))

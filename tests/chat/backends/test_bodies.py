"""The one sentence of an error body, whatever its shape."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.backends.bodies import fold, read_body, read_payload, without_addresses
from tests.chat.backends.test_chunks import ANY


def sentence(payload: object) -> str:
    return read_body(json.dumps(payload).encode()).sentence


class SentenceTests:
    @pytest.mark.parametrize(
        ("payload", "said"),
        [
            ({"error": "disk full"}, "disk full"),
            ({"error": {"message": "disk full"}}, "disk full"),
            ({"error": {"message": None, "code": "X1"}}, "X1"),
            ({"error": {"message": "", "type": "overloaded"}}, "overloaded"),
            ({"error": {"message": {"error": {"message": "inner"}}}}, "inner"),
            ({"error": {"code": 500}}, "500"),
            ({"error": [{"message": "first"}, {"message": "second"}]}, "first; second"),
            ({"detail": "bad body"}, "bad body"),
            ({"detail": {"error": "Unauthorized", "msg": "no key"}}, "no key"),
            ({"detail": [{"loc": ["body", "top_k"], "msg": "Extra", "type": "x"}]},
             "top_k: Extra"),
            ({"object": "error", "message": "boom", "code": 500}, "boom"),
            ({"type": "error", "error": {"type": "x", "message": "boom"}}, "boom"),
            ({"error": "Not Found", "message": "No such path", "status": 404},
             "No such path"),
            ({"message": "outer", "error": {"message": "inner"}}, "inner"),
            ({"error": True, "message": "boom"}, "boom"),
            ({"errors": ["a", "b"]}, "a; b"),
            ({"errors": [{"detail": "a"}]}, "a"),
            ({"status": "loading model"}, "loading model"),
            ({"error": {"message": "outer", "metadata": {"raw": '{"error":"in"}'}}},
             "in"),
            ({"error": {"message": "outer", "metadata": {"raw": "plain"}}}, "plain"),
            ({"error": {"message": '{"error": {"message": "in"}}'}}, "in"),
            ({"error": {"message": 'Error 400 - {"error": {"message": "in"}}'}}, "in"),
            ({"error": "unbalanced { brace"}, "unbalanced { brace"),
            ({"error": {"message": "said\n\n  File \"/models/x\", line 3, in f"}},
             "said"),
            (["x"], '["x"]'),
            ([], "[]"),
            ({}, ""),
            ({"ok": True}, ""),
            ("only text", "only text"),
            (7, ""),
        ],
    )  # fmt: skip
    def test_it_finds_the_sentence(self, payload, said):
        assert sentence(payload) == said

    @pytest.mark.parametrize(
        ("body", "said", "page"),
        [
            (b"", "", False),
            (b"Internal Server Error", "Internal Server Error", False),
            (b"<html><h1>502 Bad Gateway</h1></html>", "502 Bad Gateway", True),
            (b"<!DOCTYPE html><title>Sign <b>in</b> &amp; up</title>", "Sign  in  & up",
             True),
            (b"  <HTML><body>x</body></HTML>", "", True),
            (b"\xff\xfe\x00", "\ufffd\ufffd\x00", False),
            (b'{"error": "cut', '{"error": "cut', False),
            (b"\xef\xbb\xbf" + b'{"error": "bom"}', "bom", False),
        ],
    )  # fmt: skip
    def test_it_takes_bodies_that_are_no_json(self, body, said, page):
        found = read_body(body)

        assert (found.sentence, found.page) == (said, page)

    def test_it_gathers_codes_of_every_layer(self):
        inner = json.dumps({"error": {"code": "context_length_exceeded"}})
        found = read_payload({"error": {"code": 400, "metadata": {"raw": inner}}})

        assert found.words.split() == ["400", "context_length_exceeded"]

    @pytest.mark.parametrize("param", [None, "None", "", 3, ["x"]])
    def test_it_names_no_parameter_where_none_is_named(self, param):
        assert read_payload({"error": {"message": "x", "param": param}}).param == ""

    def test_it_unwraps_what_several_routers_wrapped(self):
        text = "innermost"
        for _ in range(3):
            text = json.dumps({"error": {"message": text, "code": 400}})

        assert read_body(text.encode()).sentence == "innermost"

    def test_it_survives_an_error_that_wraps_itself_for_ever(self):
        text = "end"
        for _ in range(60):
            text = json.dumps({"error": {"message": text}})[:150_000]

        assert isinstance(read_body(text.encode()).sentence, str)

    @pytest.mark.timeout(10)
    @pytest.mark.parametrize(
        "body",
        [
            b"\n" * 250_000,
            b'{"error": "' + b"\\n" * 120_000 + b'"}',
            b"<html>" + b"<title" * 40_000,
            b"<html><h1>" + b"<" * 250_000,
            b"[" * 250_000,
            b'{"error":' * 17 + b"{}" + b"}" * 17,
            b'{"error":"' + b"{" * 250_000 + b'"}',
            b'{"message":[' * 5_000,
        ],
    )
    def test_it_spends_no_time_on_a_hostile_body(self, body):
        said = read_body(body).sentence

        assert isinstance(without_addresses(said[:4000]), str)

    @pytest.mark.timeout(10)
    @pytest.mark.parametrize(
        "text", ["[" + ":" * 4000, "[:" * 2000, "a" * 4000, "1." * 2000]
    )
    def test_it_spends_no_time_on_a_hostile_line(self, text):
        assert without_addresses(text) == text

    @given(ANY)
    def test_it_reads_any_payload(self, payload):
        assert isinstance(read_payload(payload).sentence, str)

    @given(st.binary(max_size=200))
    def test_it_reads_any_bytes(self, body):
        assert isinstance(read_body(body).sentence, str)


class LineTests:
    def test_it_folds_to_one_line_of_bounded_length(self):
        assert fold("a\n\tb\x1b[31m\u2028c\x00") == "a b [31m c"
        assert len(fold("x" * 900)) == 500

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("no route to http://10.0.0.5:8000/v1/x?key=1, sorry",
             "no route to [address] sorry"),
            ("10.0.0.5:8000 refused", "[address] refused"),
            ("at [fd00::1]:80 it hangs", "at [address] it hangs"),
            ("1.2.3 of 4096 tokens at 12:30", "1.2.3 of 4096 tokens at 12:30"),
            ("postgres://u:p@db/x failed", "[address] failed"),
        ],
    )  # fmt: skip
    def test_it_shows_no_address(self, text, shown):
        assert without_addresses(text) == shown

    def test_it_shows_no_secret(self):
        text = "Incorrect API key provided: sk-12345 for gpu.lan"

        assert without_addresses(text, ("sk-12345", "gpu.lan", "")) == (
            "Incorrect API key provided: […] for […]"
        )

"""Which model of a server's list is taken when nobody names one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chat.backends.model_list import chat_model


def body(payload: Any) -> bytes:
    return json.dumps(payload).encode()


class ListTests:
    @pytest.mark.parametrize(
        ("payload", "name"),
        [
            ({"data": [{"id": "a"}, {"id": "b"}]}, "a"),
            ({"models": [{"name": "a"}, {"model": "b"}]}, "a"),
            ({"models": [{"model": "b"}]}, "b"),
            ({"models": ["a", "b"]}, "a"),
            (["a"], "a"),
            ({"data": [None, {}, {"id": 3}, {"id": None, "name": "a"}]}, "a"),
            ({"data": []}, ""),
            ({"data": None}, ""),
            ({"error": "x"}, ""),
            ("x", ""),
        ],
    )
    def test_it_reads_lists_of_any_shape(self, payload, name):
        assert chat_model(body(payload)) == name

    def test_it_finds_nothing_in_what_is_no_json(self):
        assert chat_model(b"<html>") == ""


class ChoiceTests:
    @pytest.mark.parametrize(
        ("rows", "name"),
        [
            ([{"id": "a"}, {"id": "b"}], "a"),
            ([{"id": "text-embedding-3"}, {"id": "b"}], "b"),
            ([{"id": "x", "type": "embeddings"}, {"id": "b"}], "b"),
            ([{"id": "whisper-1"}], "whisper-1"),
            ([{"id": "a", "status": {"value": "unloaded"}},
              {"id": "b", "status": {"value": "loaded"}}], "b"),
            ([{"id": "a", "state": "not-loaded"}, {"id": "b", "state": "loaded"}], "b"),
            ([], ""),
        ],
    )  # fmt: skip
    def test_it_takes_the_first_that_is_loaded_and_chats(self, rows, name):
        assert chat_model(body({"data": rows})) == name

"""Which models a server lists, and which one is taken when nobody names one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chat.backends.model_list import chat_model, read_models


def body(payload: Any) -> bytes:
    return json.dumps(payload).encode()


class ListTests:
    @pytest.mark.parametrize(
        ("payload", "names"),
        [
            ({"data": [{"id": "a"}, {"id": "b"}]}, ["a", "b"]),
            ({"models": [{"name": "a"}, {"model": "b"}]}, ["a", "b"]),
            ({"models": ["a", "b"]}, ["a", "b"]),
            (["a"], ["a"]),
            ({"data": [{"id": None, "name": "a"}, {"id": 3}, None, {}]}, ["a"]),
            ({"data": []}, []),
            ({"data": None}, []),
            ({"error": "x"}, []),
            ("x", []),
        ],
    )
    def test_it_reads_lists_of_any_shape(self, payload, names):
        assert read_models(body(payload)) == names

    def test_it_finds_nothing_in_what_is_no_json(self):
        assert read_models(b"<html>") == []


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

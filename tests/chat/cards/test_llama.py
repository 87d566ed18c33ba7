"""A real llama.cpp server, whose model says gibberish: the schema gives it form."""

from __future__ import annotations

import asyncio
import copy
import json
from io import StringIO

import pytest
from django.core.management import call_command

from chat.backends.base import Request
from chat.backends.clients import close_clients
from chat.backends.upstream import upstream_at
from chat.cards.answer import Answer, read_answer
from chat.cards.board import Board
from chat.cards.schema import BOARD_ANSWER, params_for
from chat.cards.target import proposals_of
from chat.roads import backend_for
from chat.turn import Ending, drain
from gpts.gate import Cleared, Message, Payload, clear
from servers.hosting import Hosting, place
from tests.chat.cards.makers import NOTES
from tests.llama import llama

pytestmark = [pytest.mark.llama, pytest.mark.django_db]


def short(schema):
    """The same form with bounds, so that a random model comes to an end."""
    found = copy.deepcopy(schema)
    _bound(found)
    found["properties"]["cards"] |= {"minItems": 1, "maxItems": 1}
    return found


def _bound(node):
    if node.get("type") == "string" and "enum" not in node:
        node |= {"minLength": 1, "maxLength": 12}
    elif node.get("type") == "array":
        node |= {"maxItems": 2}
        _bound(node["items"])
    for inner in node.get("properties", {}).values():
        _bound(inner)


async def ask(origin, params):
    upstream = upstream_at(origin, name="llama")
    target = upstream.destination(Hosting.LOOPBACK)
    cleared = clear(Payload((Message("user", "Cards."),)), target)
    assert isinstance(cleared, Cleared)
    backend = backend_for(upstream, place(origin.host))
    try:
        request = Request(cleared, "", params)
        return await drain(backend, request, timeout_seconds=100)
    finally:
        await close_clients()


class SchemaTests:
    def test_it_gets_a_readable_answer_by_command(self, tmp_path):
        path = tmp_path / "board.json"
        path.write_text(json.dumps(NOTES.as_json()))
        out = StringIO()
        with llama(context=32768) as origin:
            call_command(
                *("propose", "--board", str(path), "--url", origin.url()),
                *("--json", "--timeout", "100", "More photos."),
                stdout=out,
            )
        got = json.loads(out.getvalue())
        assert got["answer"]
        assert got["attempts"] == 1

    def test_it_turns_a_forced_answer_into_proposals(self):
        with llama() as origin:
            params = {**params_for(short(BOARD_ANSWER)), "temperature": 0, "seed": 7}
            outcome = asyncio.run(ask(origin, params))
        assert outcome.ending is Ending.COMPLETED
        answer = read_answer(outcome.text)
        assert isinstance(answer, Answer)
        assert len(answer.cards) == 1
        assert proposals_of(Board(), answer)

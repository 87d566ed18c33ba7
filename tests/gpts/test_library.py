"""Every shipped gpt, filled in and sent to a real llama.cpp server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from chat.backends.base import Request
from chat.backends.clients import close_clients
from chat.backends.openai_http import OpenAIBackend
from chat.backends.upstream import upstream_at
from chat.turn import Ending, Outcome, drain
from gpts.catalogue import LIBRARY
from gpts.document import Document, InputKind
from gpts.files import read_file
from gpts.gate import Cleared, Payload, clear
from gpts.rendering import Rendered, render
from servers.addresses import Origin
from servers.hosting import Hosting
from tests.llama import llama

SHIPPED = sorted(LIBRARY.glob("*.md"))


def shipped(path) -> Document:
    found = read_file(path).document
    assert found is not None
    return found


def filled(document: Document) -> dict[str, str]:
    """A value for every input, by kind."""
    return {
        item.name: {
            InputKind.CHOICE: item.choices[0] if item.choices else "",
            InputKind.NUMBER: "3",
        }.get(item.kind, f"sample of {item.name}")
        for item in document.inputs
    }


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
class ShippedGptTests:
    def test_it_has_no_problem_and_speaks_both_languages(self, path):
        read = read_file(path)
        assert read.problems == ()
        assert read.document.name_in("fr") != read.document.name
        assert read.document.description_in("fr") != read.document.description

    def test_it_fills_every_place_of_its_text(self, path):
        document = shipped(path)
        rendered = render(document, filled(document))
        assert not rendered.problems
        for item in document.inputs:
            assert f"{{{item.name}}}" not in rendered.question
            assert f"sample of {item.name}" in rendered.question or item.choices

    def test_it_asks_for_what_is_required_and_no_more(self, path):
        document = shipped(path)
        missing = render(document, {}).problems
        assert set(missing) == {
            item.name
            for item in document.inputs
            if item.required and item.default is None
        }


@pytest.fixture(scope="module")
def server() -> Iterator[Origin]:
    with llama() as origin:
        yield origin


@pytest.mark.llama
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
class RealServerTests:
    def test_it_is_answered_with_its_system_prompt_and_parameters(self, server, path):
        document = shipped(path)
        rendered = render(document, filled(document))
        params = {**rendered.params, "max_tokens": 8}
        outcome = asyncio.run(answer(server, rendered, params))
        assert outcome.ending is Ending.COMPLETED
        assert outcome.finish_reason in {"stop", "length"}
        assert not [note for note in outcome.notes if "refused" in note]
        assert (outcome.usage.prompt_tokens or 0) > len(document.system) / 20


async def answer(origin: Origin, rendered: Rendered, params: dict) -> Outcome:
    upstream = upstream_at(origin, name="server-1 (llama-cpp)")
    target = upstream.destination(Hosting.LOOPBACK)
    cleared = clear(Payload(rendered.messages), target)
    assert isinstance(cleared, Cleared)
    try:
        return await drain(OpenAIBackend(upstream), Request(cleared, "tiny", params))
    finally:
        await close_clients()

"""What was read of a real llama.cpp server, beside what it was started with."""

from __future__ import annotations

import asyncio

import pytest

from servers.claims import Claims
from servers.reading import read_server
from tests.llama import llama, llama_router

pytestmark = pytest.mark.llama


def read(origin, key: str = "") -> Claims:
    _, (claims,) = asyncio.run(read_server(origin, key, budget_seconds=5))
    return claims


class RealClaimsTests:
    def test_it_reads_the_window_of_one_slot(self) -> None:
        with llama(context=4096, slots=2) as origin:
            found = read(origin)
        assert (found.context_tokens.value, found.slots.value) == (2048, 2)
        assert (found.loaded.value, found.vision.value) == (True, False)
        assert found.parameters_billions.known
        assert not found.parameters_billions.estimated

    def test_it_reads_a_keyed_server_with_its_key_alone(self) -> None:
        with llama(api_key="k3y", context=1024) as origin:
            identity, claims = asyncio.run(read_server(origin, budget_seconds=5))
            found = read(origin, "k3y")
        assert (identity.state, claims) == ("auth", ())
        assert found.context_tokens.value == 1024

    def test_it_says_nothing_of_a_model_that_no_router_loaded(self) -> None:
        with llama_router() as origin:
            found = read(origin)
        assert (found.loaded.value, found.context_tokens.value) == (False, None)

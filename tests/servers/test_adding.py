"""What is taken over from a server when it is kept."""

from __future__ import annotations

import pytest

from servers.adding import MOST_SLOTS, Wish, add, first_to_chat_with, slots_of
from servers.claims import Claim, Claims
from servers.errors import NotTarget
from servers.family import Kind
from servers.identity import Identity
from tests.fakes import Replay
from tests.llama import llama


def identity(*models: str) -> Identity:
    return Identity(kind=Kind.LLM, family="vllm", models=models)


class FirstModelTests:
    def test_it_passes_over_what_only_embeds(self):
        claims = (Claims("e", embeddings=Claim(True, "x")), Claims("m"))
        assert first_to_chat_with(identity("e", "m"), claims) == "m"

    def test_it_takes_an_embedding_model_where_nothing_else_is(self):
        claims = (Claims("e", embeddings=Claim(True, "x")),)
        assert first_to_chat_with(identity("e"), claims) == "e"

    def test_it_takes_none_where_none_is_listed(self):
        assert first_to_chat_with(identity(), ()) == ""


class SlotsTests:
    @pytest.mark.parametrize(
        ("value", "slots"), [(4, 4), (0, 1), (10**9, MOST_SLOTS), (None, None)]
    )
    def test_it_is_what_the_model_announces_within_bounds(self, value, slots):
        assert slots_of("m", (Claims("m", slots=Claim(value, "x")),)) == slots

    def test_it_is_unknown_for_another_model(self):
        assert slots_of("m", (Claims("n", slots=Claim(4, "x")),)) is None


@pytest.mark.django_db
class AddTests:
    @pytest.mark.llama
    def test_it_learns_the_slots_of_a_real_server(self):
        with llama(slots=2) as origin:
            kept = add(Wish(origin))
        assert (kept.default_model, kept.slots) == ("tiny", 2)

    def test_it_lets_the_curator_decide(self):
        with Replay.of_capture("real/llama.cpp/b10434-ready.json") as server:
            kept = add(Wish(server.origin, default_model="mine", slots=3))
        assert (kept.default_model, kept.slots) == ("mine", 3)

    def test_it_asks_no_address_that_is_never_a_target(self):
        with Replay({}) as server:
            origin = server.origin.__class__("http", "169.254.169.254", server.port)
            with pytest.raises(NotTarget):
                add(Wish(origin))
            assert server.seen == []

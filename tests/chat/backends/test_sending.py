"""What a turn sends, and whether it may be sent again."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from chat.backends.base import Request
from chat.backends.parameters import RefusedParameter
from chat.backends.refusals import Loading, Refusal
from chat.backends.sending import Patience, Sending
from chat.errors import BackendError, Fault
from chat.events import Heartbeat, RateLimited
from tests.chat.backends.asking import at, cleared_for

CLEARED = cleared_for(at(1))


def sending(known: dict[str, str] | None = None, **params: object) -> Sending:
    return Sending(Request(CLEARED, "m", params), known or {}, Patience(10, 2))


def refusing(name: str, instead: str = "") -> Refusal:
    return Refusal(Fault.PARAMETER, f"no {name}", RefusedParameter(name, instead))


class ReactionTests:
    def test_it_ends_at_a_limit(self):
        turn = sending()
        limit = RateLimited(datetime(2026, 11, 30, tzinfo=UTC))

        assert turn.react(limit, 0) == [limit]
        assert turn.over

    def test_it_waits_while_the_server_loads(self):
        turn = sending()

        assert turn.react(Loading("Loading model"), 4.0) == [Heartbeat(4.0, "loading")]
        assert (turn.waits, turn.over) == (True, False)

    def test_it_loses_patience(self):
        with pytest.raises(BackendError, match="Loading model") as caught:
            sending().react(Loading("Loading model"), 10.0)
        assert caught.value.fault is Fault.LOADING

    def test_it_leaves_a_refused_parameter_out_without_waiting(self):
        turn = sending(top_k=5)
        turn.waits = True

        assert turn.react(refusing("top_k"), 0) == []
        assert "top_k" not in turn.body
        assert turn.left_out == {"top_k": ""}
        assert not turn.waits

    def test_it_takes_the_name_that_the_server_wants(self):
        turn = sending(max_tokens=5)
        turn.react(refusing("max_tokens", "max_completion_tokens"), 0)

        assert turn.body["max_completion_tokens"] == 5

    @pytest.mark.parametrize("instead", ["model", "messages", "temperature"])
    def test_it_overwrites_nothing_by_a_name_that_the_server_wants(self, instead):
        turn = sending(max_tokens=5, temperature=1)
        before = turn.body[instead]
        turn.react(refusing("max_tokens", instead), 0)

        assert turn.body[instead] == before

    @pytest.mark.parametrize("name", ["min_p", "model", "messages"])
    def test_it_fails_where_nothing_can_be_left_out(self, name):
        with pytest.raises(BackendError, match=f"no {name}"):
            sending().react(refusing(name), 0)

    def test_it_leaves_out_once_and_no_more(self):
        turn = sending(top_k=5, seed=1)
        turn.react(refusing("top_k"), 0)

        with pytest.raises(BackendError, match="no seed"):
            turn.react(refusing("seed"), 0)

    def test_it_fails_with_what_the_server_said(self):
        with pytest.raises(BackendError, match="disk full"):
            sending().react(Refusal(Fault.SERVER, "disk full"), 0)


class MemoryTests:
    def test_it_leaves_out_at_once_what_this_server_refused_before(self):
        turn = sending({"top_k": ""}, top_k=5)

        assert "top_k" not in turn.body
        assert "top_k" in turn.notes[0]
        assert turn.left_out == {}

    def test_it_says_nothing_of_what_is_not_sent_anyway(self):
        assert sending({"top_k": ""}).notes == []

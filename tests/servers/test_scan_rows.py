from __future__ import annotations

from typing import Any

import pytest

from servers.addresses import Origin
from servers.discovery.search import Sighting
from servers.discovery.targets import Target
from servers.family import Kind, State
from servers.hosting import Hosting
from servers.identity import Identity, Why
from servers.retained import Kept
from servers.scan_rows import Row, rows_of

PLACE = Origin("http", "10.0.0.5", 8080)


def sighting(**facts: Any) -> Sighting:
    values = {"kind": Kind.LLM, "family": "x", "name": "X", "origin": PLACE, **facts}
    target = Target(PLACE.host, PLACE.port, "host", "box")
    return Sighting(0, target, PLACE, Identity(**values))


def row(**facts: Any) -> Row:
    (one,) = rows_of([sighting(**facts)], [])
    return one


class RowTests:
    @pytest.mark.parametrize(
        ("state", "kind", "words", "chip"),
        [
            (State.READY, Kind.LLM, "ready", "ready"),
            (State.LOADING, Kind.LLM, "loading", "loading"),
            (State.AUTH, Kind.LLM, "wants a key", "auth"),
            (State.AUTH, Kind.CHAT_UI, "wants a login", "auth"),
            (State.EMPTY, Kind.LLM, "no model yet", "empty"),
            (None, Kind.IMAGE, "unknown", "unknown"),
        ],
    )
    def test_it_says_the_state_in_words(self, state, kind, words, chip):
        one = row(state=state, kind=kind)
        assert (one.state, one.chip) == (words, chip)

    def test_it_shows_two_models_and_counts_the_rest(self):
        one = row(state=State.READY, models=("a", "b", "c", "d"))
        assert (one.models, one.more) == ("a, b", "and 2 more")
        assert row(models=("a", "b")).more == ""

    def test_it_says_why_no_model_is_shown(self):
        assert row(state=State.LOADING).models_unknown == "not known while it loads"
        assert row(state=State.AUTH).models_unknown == "not shown without a key"
        assert row(state=State.EMPTY).models_unknown == ""

    def test_it_names_what_has_no_name(self):
        nameless = {"family": None, "name": ""}
        assert row(kind=Kind.COMPATIBLE, **nameless).name == "OpenAI-compatible"
        assert row(kind=Kind.WANTS_KEY, **nameless).name == "Unknown, wants a key"

    def test_it_carries_evidence_place_and_note(self):
        one = row(why=(Why("/props", "a fact"),), hosting=Hosting.LAN)
        assert one.why == (Why("/props", "a fact"),)
        assert (one.at, one.note, one.hosting) == ("10.0.0.5:8080", "box", "lan")

    def test_it_knows_what_is_kept_already(self):
        kept = Kept(1, "server-7", "", "", "", Hosting.LAN, None, None, PLACE, "")
        (one,) = rows_of([sighting()], [kept])
        assert one.kept == "server-7"
        assert row().kept == ""

    def test_it_numbers_by_place_and_leaves_out_what_is_no_server(self):
        page = sighting(kind=Kind.HTTP, family=None, name="")
        found = rows_of([page, sighting(), sighting()], [], start=1)
        assert [one.place for one in found] == [1, 2]
        assert rows_of([page], []) == []

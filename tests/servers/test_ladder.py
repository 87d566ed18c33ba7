"""The road from questions to a conclusion, without a network."""

from __future__ import annotations

import json
from typing import Any

import pytest

from servers.evidence import Evidence
from servers.identity import Identity
from servers.ladder import FIRST, MOST, QUESTIONS, Ask, by_host, families, step
from servers.wire import Quiet, Reply, Silence
from tests.fakes import capture
from tests.servers.states import NEIGHBOURS, STATES, Responses, entry, listing


def reply(path: str, responses: Responses) -> Reply:
    found = responses.get(path) or responses.get("*") or (404, "")
    status, body, headers = (*found, {})[:3]
    raw = body if isinstance(body, str) else json.dumps(body)
    named = {name.lower(): value for name, value in (headers or {}).items()}
    return Reply(path, status, named, raw.encode())


def interview(responses: Responses, port: int = 0) -> tuple[Identity, list[str]]:
    """The conclusion about `responses`, and the paths asked on the way."""
    evidence = Evidence()
    asked: list[str] = []
    while True:
        found = step(evidence, port=port)
        if isinstance(found, Identity):
            return found, asked
        asked += found.paths
        evidence = evidence.with_reply(*(reply(p, responses) for p in found.paths))


class StatesTests:
    @pytest.mark.parametrize(
        ("responses", "slugs", "states"),
        [row[1:] for row in STATES],
        ids=[row[0] for row in STATES],
    )
    def test_it_names_other_versions_and_states(
        self, responses: Responses, slugs: set[Any], states: set[Any]
    ) -> None:
        found, _ = interview(responses)
        assert found.family in slugs
        assert found.state in states

    @pytest.mark.parametrize("name", NEIGHBOURS)
    def test_it_names_no_neighbour(self, name: str) -> None:
        found, asked = interview(NEIGHBOURS[name])
        assert found.family is None
        assert not found.is_server
        assert len(asked) <= MOST

    def test_it_says_what_a_named_server_imitates(self) -> None:
        responses = capture("source/koboldcpp/1.104-ready.json")["responses"]
        rows = {p: (a["status"], a["body"], a["headers"]) for p, a in responses.items()}
        found, _ = interview(rows, port=11434)
        assert found.family == "koboldcpp"
        assert "ollama" in found.also_answers

    def test_it_names_openai_by_its_host_alone(self) -> None:
        found = by_host("api.openai.com")
        assert found is not None
        assert (found.family, found.state) == ("openai", "auth")
        assert by_host("openai.example") is None


class QuestionTests:
    def test_it_asks_the_telling_paths_first(self) -> None:
        assert step(Evidence()) == Ask(QUESTIONS[:FIRST])

    def test_it_asks_no_more_than_its_most_of_anybody(self) -> None:
        _, asked = interview({"*": (200, "[1")})
        assert len(asked) == len(set(asked)) <= MOST

    def test_it_lets_a_port_order_the_questions_only(self) -> None:
        nobody = {"*": (404, "")}
        found, asked = interview(nobody)
        tabby, ordered = interview(nobody, port=5000)
        assert found == tabby
        assert set(asked) == set(ordered)
        assert ordered.index("/v1/internal/model/info") < asked.index(
            "/v1/internal/model/info"
        )

    def test_it_never_names_by_the_port(self) -> None:
        for family in families():
            for port in family.ports:
                assert interview({"*": (404, "")}, port=port)[0].family is None

    def test_it_concludes_at_once_when_told_that_nobody_answers(self) -> None:
        silent = Evidence().with_reply(Silence("/", Quiet.REFUSED))
        found = step(silent, done=True)
        assert isinstance(found, Identity)
        assert found.kind == "other"

    def test_it_does_not_take_a_silent_guard_for_a_no(self) -> None:
        models = listing(entry("m", "vllm", max_model_len=4096))
        evidence = Evidence().with_reply(
            reply("/v1/models", {"/v1/models": models}),
            Silence("/engines", Quiet.TIMEOUT),
            reply("/readiness", {}),
            reply("/v1/metadata", {}),
        )
        found = step(evidence, done=True)
        assert isinstance(found, Identity)
        assert found.family is None


class NamelessTests:
    def test_it_lists_the_models_of_a_nameless_server(self) -> None:
        found, _ = interview({"/v1/models": listing(entry("a", "x"), entry("b", "y"))})
        assert (found.kind, found.models) == ("openai-compatible", ("a", "b"))
        assert found.api_root == "/v1"

    def test_it_reads_a_list_under_models(self) -> None:
        body = {"models": [{"id": "x", "owned_by": "vllm"}]}
        found, _ = interview({"/v1/models": (200, body)})
        assert (found.family, found.models) == (None, ("x",))
        assert found.kind == "openai-compatible"

    def test_it_says_that_a_key_is_wanted(self) -> None:
        found, _ = interview({"/v1/models": (401, {"error": {"message": "key"}})})
        assert (found.kind, found.state) == ("wants-key", "auth")

    def test_it_takes_a_password_page_for_no_server(self) -> None:
        found, _ = interview({"*": (401, "<html><title>Router</title></html>")})
        assert found.kind == "http"

    def test_it_says_where_a_redirect_points(self) -> None:
        moved = (307, "", {"location": "https://login.example/start"})
        found, _ = interview({"/v1/models": moved})
        assert found.kind == "http"
        assert "login.example" in found.why[0].fact

    def test_it_does_not_take_an_empty_list_of_anything_for_models(self) -> None:
        found, _ = interview({"/v1/models": (200, {"data": []})})
        assert found.kind == "http"

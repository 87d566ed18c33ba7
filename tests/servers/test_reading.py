"""Claims over loopback: captures, reported faults, keys and hostile lists."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from servers.claims import Claim, Claims
from servers.identity import Identity
from servers.reading import IN_FLIGHT, read_claims, read_server
from tests.fakes import Replay, Seen

CASES = Path(__file__).parent.parent / "cases" / "capabilities"
OLLAMA = {
    "/": {"body": "Ollama is running"},
    "/api/version": {"json": {"version": "0.9.0"}},
}


def read(server: Replay, key: str = "") -> tuple[Identity, dict[str, Claims]]:
    identity, claims = asyncio.run(read_server(server.origin, key, budget_seconds=5))
    assert identity.capabilities == claims
    return identity, {one.model: one for one in claims}


def of(routes: dict[str, Any]) -> dict[str, Claims]:
    with Replay(routes) as server:
        return read(server)[1]


def listing(*entries: Any) -> dict[str, Any]:
    return {"/v1/models": {"json": {"object": "list", "data": list(entries)}}}


def case(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((CASES / f"{name}.json").read_text())["input"]
    return loaded


def gets(given: dict[str, Any]) -> dict[str, Any]:
    """A case's `GET /path` bodies as routes."""
    keys = [key for key in given if key.startswith("GET ")]
    return {key.removeprefix("GET "): {"json": given[key]} for key in keys}


def tags(*models: dict[str, Any]) -> dict[str, Any]:
    return {**OLLAMA, "/api/tags": {"json": {"models": list(models)}}}


class CaseTests:
    def test_it_leaves_unsaid_capabilities_unknown(self) -> None:
        shown = case("01-ollama-without-the-capabilities-field")["POST /api/show"]
        found = of({**tags({"name": "m"}), "POST /api/show": {"json": shown}})["m"]
        assert (found.tools.value, found.vision.value, found.reasoning.value) == (
            None,
            None,
            None,
        )
        assert found.context_trained.value == 8192
        assert found.context_tokens.value is None
        assert found.chats

    def test_it_reads_the_window_under_its_architecture(self) -> None:
        name = "02-context-length-under-the-architecture-name"
        shown = case(name)["POST /api/show"]
        found = of({**tags({"name": "m"}), "POST /api/show": {"json": shown}})["m"]
        assert found.context_tokens == Claim(4096, "POST /api/show parameters num_ctx")
        assert found.context_trained.value == 1048576
        assert (found.tools.value, found.vision.value) == (True, False)

    def test_it_takes_llama_cpps_window_as_one_slots(self) -> None:
        found = of(gets(case("04-llama-cpp-n-ctx-is-already-per-slot")))["m"]
        assert (found.context_tokens.value, found.slots.value) == (8192, 4)
        assert found.context_trained.value == 131072
        assert found.slots.source == "GET /props total_slots"

    def test_it_takes_the_served_window_over_the_trained(self) -> None:
        found = of(gets(case("05-served-window-versus-training-window")))["m"]
        assert (found.context_tokens.value, found.context_trained.value) == (
            4096,
            262144,
        )

    def test_it_takes_an_adapters_window_from_its_parent(self) -> None:
        routes = gets(case("07-vllm-adapter-card-without-length"))
        found = of(routes)["my-adapter"].context_tokens
        assert found.value == 16384
        assert "parent org/base" in found.source

    def test_it_takes_no_strangers_window_for_an_adapter(self) -> None:
        routes = gets(case("07-vllm-adapter-card-without-length"))
        routes["/v1/models"]["json"]["data"][1]["parent"] = "elsewhere"
        assert of(routes)["my-adapter"].context_tokens.value is None

    def test_it_reads_windows_under_other_names_and_types(self) -> None:
        found = of(gets(case("08-other-names-and-types-for-the-window")))
        assert {name: one.context_tokens.value for name, one in found.items()} == {
            "a": 131072,
            "b": None,
            "c": None,
            "d": 1000000,
            "e": 32768,
        }
        assert found["e"].context_trained.value == 200000

    def test_it_applies_no_routers_props_to_its_models(self) -> None:
        with Replay(gets(case("10-router-mode-unloaded-models"))) as server:
            identity, found = read(server)
        assert identity.state == "ready"
        assert [one.loaded.value for one in found.values()] == [False, True, False]
        assert [one.context_tokens.value for one in found.values()] == [
            None,
            8192,
            None,
        ]
        assert found["c"].loaded.source == "GET /v1/models status.value failed"
        assert not [seen.target for seen in server.seen if "?" in seen.target]

    def test_it_never_judges_by_a_models_name(self) -> None:
        models = case("11-embedding-only-models-in-the-list")["models"]
        entries = [{"name": name, **said} for name, said in models.items()]
        found = of(tags(*entries))
        assert {name: one.chat.value for name, one in found.items()} == {
            "text-embedder:latest": False,
            "embed-chat:7b": True,
            "plain:latest": None,
            "bge-robot:2b": None,
        }
        assert [one.chats for one in found.values()] == [False, True, True, True]


class CaptureTests:
    def test_it_reads_ollama(self) -> None:
        with Replay.of_capture("source/ollama/0.33.0-ready.json") as server:
            found = read(server)[1]
        sparrow, marten = found["sparrow:8b"], found["marten-embed:latest"]
        assert sparrow.context_tokens == Claim(32768, "GET /api/ps context_length")
        assert (sparrow.context_trained.value, sparrow.loaded.value) == (131072, True)
        assert (sparrow.parameters_billions.value, sparrow.quantization.value) == (
            8.0,
            "Q4_K_M",
        )
        assert (sparrow.tools.value, sparrow.vision.value) == (True, False)
        assert (marten.embeddings.value, marten.chats, marten.loaded.value) == (
            True,
            False,
            False,
        )

    def test_it_counts_image_as_vision_on_ollama(self) -> None:
        both = [
            {"name": word, "capabilities": ["completion", word]}
            for word in ("vision", "image")
        ]
        assert all(one.vision.value for one in of(tags(*both)).values())

    def test_it_reads_llama_cpp(self) -> None:
        with Replay.of_capture("real/llama.cpp/b10434-ready.json") as server:
            found = read(server)[1]["/models/tiny.gguf"]
        assert (found.context_tokens.value, found.slots.value) == (2048, 4)
        assert found.parameters_billions.value == 0.0001548
        assert not found.parameters_billions.estimated
        assert found.quantization.value == "all F32"
        # Its template mentions tools and supports no tool call.
        assert (found.tools.value, found.vision.value) == (False, False)
        assert (found.loaded.value, found.json_output.value) == (True, None)

    def test_it_reads_lm_studio_old_and_new(self) -> None:
        for name in ("0.3.30-old", "0.4.25-ready"):
            with Replay.of_capture(f"source/lmstudio/{name}.json") as server:
                found = read(server)[1]
            sparrow = found["acme/sparrow-8b"]
            assert (sparrow.context_tokens.value, sparrow.context_trained.value) == (
                8192,
                131072,
            )
            assert (sparrow.tools.value, sparrow.quantization.value) == (True, "Q4_K_M")
            assert found["text-embedding-marten-v1"].loaded.value is False
            assert not found["text-embedding-marten-v1"].chats

    @pytest.mark.parametrize(
        ("name", "model", "wanted"),
        [
            (
                "koboldcpp/1.104-ready",
                "koboldcpp/sparrow-8b-q4_k_m",
                {"context_tokens": 8192, "slots": 1, "vision": False, "loaded": True},
            ),
            (
                "tabbyapi/2026-08-ready",
                "sparrow-8b-exl3",
                {"context_tokens": 32768, "slots": 8, "vision": False, "loaded": True},
            ),
            (
                "sglang/0.5.23-ready",
                "acme/Inventa-8B-Instruct",
                {"context_tokens": 40960, "slots": 256, "tools": True, "vision": False},
            ),
            (
                "tgi/3.3.7-ready",
                "acme/Inventa-7B",
                {"context_tokens": 4096, "tools": None},
            ),
            (
                "tei/1.9.3-ready",
                "acme/inventa-embed",
                {"context_tokens": 512, "embeddings": True, "chat": False},
            ),
            (
                "lemonade/11.7.0-ready",
                "Inventa-4B-GGUF",
                {
                    "context_tokens": 4096,
                    "context_trained": 32768,
                    "tools": True,
                    "loaded": True,
                    "vision": None,
                },
            ),
            (
                "docker-model-runner/1.2.6-ready",
                "docker.io/ai/inventa:latest",
                {
                    "context_tokens": 32768,
                    "parameters_billions": 3.0,
                    "quantization": "IQ2_XXS/Q4_K_M",
                },
            ),
            (
                "llama-swap/v250-ready",
                "inventa-8b",
                {
                    "context_tokens": 32768,
                    "tools": True,
                    "vision": True,
                    "loaded": False,
                },
            ),
            (
                "xinference/3.2.0-ready",
                "inventa-instruct",
                {
                    "context_tokens": 32768,
                    "parameters_billions": 7,
                    "tools": True,
                    "vision": False,
                    "chat": True,
                },
            ),
            (
                "localai/4.9.0-ready",
                "sparrow-8b",
                {
                    "tools": True,
                    "vision": False,
                    "loaded": True,
                    "context_tokens": None,
                },
            ),
            (
                "exo/1.0.71-ready",
                "mlx-community/Sparrow-8B-4bit",
                {"context_tokens": 131072, "quantization": "4bit", "loaded": False},
            ),
            (
                "litellm/1.110.2-ready",
                "team-chat-long",
                {"context_tokens": 131072, "chat": True, "tools": None},
            ),
            (
                "mlx-vlm/0.6.15-ready",
                "mlx-acme/Inventa-VL-4bit",
                {"context_tokens": 32768, "tools": None, "loaded": True},
            ),
            (
                "omlx/index-01496518-ready",
                "Inventa-8B-4bit",
                {"tools": True, "vision": False},
            ),
            (
                "infinity/0.0.77-ready",
                "acme/inventa-embed",
                {"embeddings": True, "chat": False},
            ),
            ("mistralrs/0.9.2-ready", "acme/Inventa-4B", {"loaded": True}),
            (
                "chat-ui/0.20.0-ready",
                "acme/inventa",
                {"vision": False, "tools": True, "reasoning": False},
            ),
        ],
    )
    def test_it_reads_what_each_product_says(self, name, model, wanted) -> None:
        with Replay.of_capture(f"source/{name}.json") as server:
            found = read(server)[1][model]
        assert {field: getattr(found, field).value for field in wanted} == wanted

    def test_it_says_when_a_size_is_only_in_the_name(self) -> None:
        with Replay.of_capture("source/vllm/0.20.1-ready.json") as server:
            found = read(server)[1]["acme/sparrow-8b-instruct"].parameters_billions
        assert found == Claim(8.0, "the model's name", estimated=True)


class KeyTests:
    def guarded(self, key: str) -> dict[str, Any]:
        """vLLM with a key: its list only for the right one."""

        def models(seen: Seen) -> dict[str, Any]:
            if seen.headers.get("authorization") != f"Bearer {key}":
                return {"status": 401, "json": {"error": "Unauthorized"}}
            entry = {"id": "m", "owned_by": "vllm", "max_model_len": 4096}
            return {"json": {"object": "list", "data": [entry]}}

        return {
            "/version": {"json": {"version": "0.32.0"}},
            "/load": {"json": {"server_load": 0}},
            "/v1/models": models,
        }

    def test_it_reads_a_keyed_list_with_its_own_key(self) -> None:
        with Replay(self.guarded("k-1")) as server:
            identity, found = read(server, "k-1")
        assert (identity.family, identity.state) == ("vllm", "ready")
        assert identity.models == ("m",)
        assert found["m"].context_tokens.value == 4096

    def test_it_sends_the_key_to_a_named_server_only_when_reading(self) -> None:
        with Replay(self.guarded("k-1")) as server:
            read(server, "k-1")
        keyed = [seen.path for seen in server.seen if "authorization" in seen.headers]
        assert "/v1/models" in keyed
        assert server.paths.count("/v1/models") == 2

    def test_it_says_that_a_key_is_wrong(self) -> None:
        with Replay(self.guarded("k-1")) as server:
            identity, found = read(server, "k-2")
        assert (identity.state, found) == ("auth", {})

    def test_it_sends_no_key_to_what_is_no_server(self) -> None:
        with Replay({"*": {"body": "<html>hello</html>"}}) as server:
            read(server, "k-1")
        assert not [seen for seen in server.seen if "authorization" in seen.headers]

    def test_it_reads_a_nameless_server_with_its_key(self) -> None:
        def models(seen: Seen) -> dict[str, Any]:
            if "authorization" not in seen.headers:
                return {"status": 401, "json": {"error": {"message": "no key"}}}
            return {"json": {"object": "list", "data": [{"id": "m"}]}}

        with Replay({"/v1/models": models}) as server:
            identity, found = read(server, "k-1")
        assert (identity.kind, identity.models) == ("openai-compatible", ("m",))
        assert list(found) == ["m"]


class CostTests:
    def test_it_asks_no_model_of_a_list_that_says_it(self) -> None:
        entries = [
            {
                "name": f"m{number}",
                "capabilities": ["completion"],
                "details": {"context_length": 8192},
            }
            for number in range(500)
        ]
        with Replay(tags(*entries)) as server:
            found = read(server)[1]
        assert len(found) == 500
        assert not [seen for seen in server.seen if seen.method != "GET"]

    def test_it_shows_old_models_a_few_at_a_time(self) -> None:
        shown = {"capabilities": ["completion", "tools"]}
        entries = [{"name": f"m{number}"} for number in range(60)]
        with Replay(
            {**tags(*entries), "POST /api/show": {"json": shown, "delay": 0.01}}
        ) as server:
            found = read(server)[1]
        assert all(one.tools.value for one in found.values())
        assert server.connections <= IN_FLIGHT + 1

    def test_it_posts_to_nobody_but_those_who_need_it(self) -> None:
        with Replay.of_capture("source/koboldcpp/1.104-ready.json") as server:
            read(server)
        assert {seen.method for seen in server.seen} == {"GET"}

    def test_it_gives_up_on_a_server_that_falls_silent(self) -> None:
        with Replay.of_capture("source/sglang/0.5.23-ready.json") as server:
            identity, _ = read(server)
            server.routes["/server_info"] = {"silent": True}
            found = asyncio.run(read_claims(server.origin, "", identity, seconds=0.3))[
                1
            ]
        assert found[0].slots.value is None
        assert found[0].tools.value is True

    def test_it_keeps_the_identity_of_a_server_that_went_away(self) -> None:
        with Replay.of_capture("source/exo/1.0.71-ready.json") as server:
            identity, _ = read(server)
        again, claims = asyncio.run(read_claims(server.origin, "", identity))
        assert (again.family, again.models, claims) == ("exo", identity.models, ())


class HostileTests:
    @pytest.mark.parametrize(
        "body",
        [
            {"object": "list", "data": None},
            {"object": "list", "data": {"a": {"id": "a"}}},
            {"object": "list", "data": [None, 7, [], "a", {"id": 3}, {}]},
            {"object": "list", "data": [{"id": "a", "meta": None, "status": []}]},
            {"object": "list", "data": [{"id": "a", "capabilities": "tools"}]},
            {"object": "list", "data": [{"id": "a", "context_length": True}]},
            {"object": "list", "data": [{"id": "a", "context_length": -5}]},
            {"object": "list", "data": [{"id": "a", "context_length": [1]}]},
        ],
    )
    def test_it_takes_odd_shapes_for_nothing(self, body: Any) -> None:
        for one in of({"/v1/models": {"json": body}}).values():
            assert one.context_tokens.value is None
            assert one.tools.value is None

    @pytest.mark.parametrize("number", ["1e999", "NaN", "9" * 5000, "0", '""', "true"])
    def test_it_takes_odd_numbers_for_unknown(self, number: str) -> None:
        head = '{"object":"list","data":[{"id":"a","context_length":'
        body = f"{head}{number}}}]}}"
        assert of({"/v1/models": {"body": body}})["a"].context_tokens.value is None

    def test_it_survives_a_list_that_is_nested_too_deep(self) -> None:
        assert of({"/v1/models": {"body": '{"data":' + "[" * 10_000}}) == {}

    def test_it_bounds_a_list_of_20000(self) -> None:
        entries = [{"id": f"m{number}", "max_model_len": 8} for number in range(20_000)]
        found = of(listing(*entries))
        assert len(found) == 5_000

    def test_it_cleans_names(self) -> None:
        found = of(listing({"id": "a\x1b[2Jb<script>\u202e"}))
        assert list(found) == ["a[2Jb<script>"]

    def test_it_leaves_unknown_where_two_of_one_name_differ(self) -> None:
        found = of(
            listing(
                {"id": "a", "context_length": 8, "max_context_window": 9},
                {"id": "a", "context_length": 16, "max_context_window": 9},
            )
        )
        assert found["a"].context_tokens.value is None
        assert found["a"].context_trained.value == 9

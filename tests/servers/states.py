"""Answers composed from documentation and source where no capture exists.

Other versions and states of the named products, and programs that only look like
one. `STATES`: (what it is, responses, slugs that are right, states that are right).
An answer is (status, body) or (status, body, headers); a body that is no str is JSON.
"""

from __future__ import annotations

from typing import Any

from tests.fakes import capture

Responses = dict[str, tuple[Any, ...]]
UVICORN = {"server": "uvicorn"}
NOT_FOUND = (404, {"detail": "Not Found"}, UVICORN)
UNAUTHORIZED = (401, {"error": "Unauthorized"}, UVICORN)
LLAMACPP = {"server": "llama.cpp"}


def listing(*entries: Any, **more: Any) -> tuple[int, Any]:
    return 200, {"object": "list", "data": list(entries), **more}


def entry(name: str, owner: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 1, "owned_by": owner, **more}


def doc(title: str, *paths: str, version: str = "0.1.0") -> tuple[Any, ...]:
    body = {"openapi": "3.1.0", "info": {"title": title, "version": version}}
    return 200, body | {"paths": {path: {} for path in paths}}, UVICORN


def of_capture(name: str, **changes: Any) -> Responses:
    """A capture's answers, some paths replaced (None removes one)."""
    found: Responses = {}
    for path, answer in capture(name)["responses"].items():
        found[path] = (answer["status"], answer.get("body"), answer.get("headers"))
    for path, change in changes.pop("paths", {}).items():
        found.pop(path, None)
        if change is not None:
            found[path] = change
    return found


_LM_MISSING = "Unexpected endpoint or method. (GET /{})"
_KEYED_VLLM: Responses = {
    "/version": (200, {"version": "0.32.0"}, UVICORN),
    "/v1/models": UNAUTHORIZED,
    "/v1/model": UNAUTHORIZED,
    "/v1/metadata": UNAUTHORIZED,
    "/v1/cluster/auth": UNAUTHORIZED,
    "*": NOT_FOUND,
}
_LLAMACPP_401 = {
    "error": {
        "message": "Invalid API Key",
        "type": "authentication_error",
        "code": 401,
    }
}
_LOADING = {
    "error": {"message": "Loading model", "type": "unavailable_error", "code": 503}
}
_FLAT_401 = {
    "message": "Unauthorized.",
    "type": "authentication_error",
    "code": 401,
    "param": None,
    "object": "error",
}

STATES: list[tuple[str, Responses, set[str | None], set[str | None]]] = [
    (
        "vLLM with a key, its document cut",
        {
            **_KEYED_VLLM,
            "/openapi.json": (
                200,
                '{"openapi":"3.1.0","info":{"title":"FastAPI","version":"0.1.0"},'
                '"paths":{"/tokenize":{"post":{}},"/detokenize":{"post":{}},"/v1/x":{"po',
                UVICORN,
            ),
        },
        {"vllm"},
        {"auth"},
    ),
    (
        "vLLM with a key and its load",
        {**_KEYED_VLLM, "/load": (200, {"server_load": 0})},
        {"vllm"},
        {"auth"},
    ),
    (
        "vLLM with an adapter",
        {
            "/version": (200, {"version": "0.11.0.dev3+gabc"}),
            "/v1/models": listing(
                entry("base", "vllm", root="base", parent=None, max_model_len=16384),
                entry("adapter", "vllm", root="/a", parent="base"),
            ),
            "*": NOT_FOUND,
        },
        {"vllm"},
        {"ready"},
    ),
    (
        "Aphrodite with a key",
        {
            **_KEYED_VLLM,
            "/api/extra/version": (200, {"result": "KoboldCpp", "version": "1.63"}),
            "/api/v1/model": (200, {"result": "aphrodite/acme/x"}),
            "/openapi.json": doc("FastAPI", "/load", "/version", "/tokenize"),
        },
        {"aphrodite"},
        {"auth"},
    ),
    (
        "SGLang with a key",
        {"/ready": (200, "", UVICORN), "*": UNAUTHORIZED},
        {"sglang"},
        {"auth"},
    ),
    (
        "SGLang told to answer as Ollama",
        {
            "/": (200, '"Ollama is running"', UVICORN),
            "/api/version": (200, {"version": "0.5.23"}),
            "/api/tags": (
                200,
                {"models": [{"name": "a", "digest": "sha256:sglang0", "details": {}}]},
            ),
            "/v1/models": listing(entry("a", "sglang", max_model_len=4096)),
            "/model_info": (
                200,
                {"model_path": "a", "tokenizer_path": "a", "is_generation": True},
            ),
            "*": NOT_FOUND,
        },
        {"sglang"},
        {"ready"},
    ),
    (
        "SGLang of an older copy",
        {
            "/v1/models": listing(entry("a", "sglang", root="a")),
            "/get_model_info": (200, {"model_path": "a", "is_generation": True}),
            "/health": (200, ""),
            "*": NOT_FOUND,
        },
        {"sglang"},
        {"ready"},
    ),
    (
        "SGLang's router whose workers are away",
        {
            "/readiness": (
                503,
                {"status": "not ready", "healthy_workers": 0, "total_workers": 0},
            ),
            "/v1/models": (503, ""),
            "/liveness": (200, "OK"),
        },
        {"sglang_router"},
        {"loading"},
    ),
    (
        "llama.cpp with a key behind a proxy that hides its header",
        {"/v1/health": (200, {"status": "ok"}), "*": (401, _LLAMACPP_401)},
        {"llamacpp"},
        {"auth"},
    ),
    (
        "llama.cpp loading without its header",
        {"*": (503, _LOADING)},
        {"llamacpp"},
        {"loading"},
    ),
    (
        "llama.cpp loading in January 2024",
        {
            "/v1/models": (503, {"status": "loading model"}),
            "*": (404, "File Not Found"),
        },
        {"llamacpp"},
        {"loading"},
    ),
    (
        "llama.cpp asleep",
        of_capture(
            "source/llamacpp/b10573-ready.json",
            paths={
                "/props": (
                    200,
                    {
                        "build_info": "b0-unknown",
                        "default_generation_settings": {"n_ctx": 8},
                        "is_sleeping": True,
                    },
                    LLAMACPP,
                )
            },
        ),
        {"llamacpp"},
        {"ready"},
    ),
    (
        "llama.cpp without its page",
        of_capture(
            "real/llama.cpp/b10434-ready.json",
            paths={"/": (404, {"error": {"code": 404}}, LLAMACPP)},
        ),
        {"llamacpp"},
        {"ready"},
    ),
    (
        "ik_llama.cpp, which is not llama.cpp",
        {
            "/v1/models": listing(entry("m", "llamacpp")),
            "/version": (200, {"version": 4}),
            "/props": (
                200,
                {
                    "default_generation_settings": {"n_ctx": 8},
                    "chat_template_caps": {"supports_tools": True},
                    "total_slots": 1,
                },
            ),
        },
        {None},
        {"ready"},
    ),
    (
        "llamafile's classic server with its page",
        of_capture(
            "source/llamafile/0.9.3-ready.json",
            paths={"/": (200, "<html><title>llamafile</title></html>", LLAMACPP)},
        ),
        {"llamafile"},
        {"ready"},
    ),
    (
        "Ollama just installed",
        {
            "/": (200, "Ollama is running"),
            "/api/version": (200, {"version": "0.0.0"}),
            "/api/tags": (200, {"models": None}),
            "/v1/models": (200, {"object": "list", "data": None}),
            "*": (404, "404 page not found"),
        },
        {"ollama"},
        {"empty"},
    ),
    (
        "LocalAI told to answer as Ollama",
        of_capture(
            "source/localai/4.9.0-ready.json",
            paths={"/": (200, "Ollama is running")},
        ),
        {"localai"},
        {"ready"},
    ),
    (
        "LocalAI before its own document",
        of_capture(
            "source/localai/4.9.0-ready.json",
            paths={
                "/.well-known/localai.json": None,
                "/readyz": (200, "OK"),
                "/version": (200, {"version": "v2.21.1 (0893d3cbb11)"}),
            },
        ),
        {"localai"},
        {"ready"},
    ),
    (
        "LocalAI with a key that hides its reasons",
        of_capture(
            "source/localai/4.9.0-auth.json",
            paths={"/v1/models": (401, ""), "/version": (401, ""), "*": (401, "")},
        ),
        {"localai"},
        {"auth"},
    ),
    (
        "KoboldCpp with a password",
        of_capture(
            "source/koboldcpp/1.104-ready.json",
            paths={
                "/api/extra/version": (
                    200,
                    {"result": "KoboldCpp", "version": "1.76", "protected": True},
                ),
                "/.well-known/serviceinfo": (404, "Error"),
                "/v1/models": listing(entry("koboldcpp/protected-model", "koboldcpp")),
            },
        ),
        {"koboldcpp"},
        {"auth"},
    ),
    (
        "TabbyAPI with Kobold's routes and no model",
        {
            "/api/extra/version": (200, {"result": "KoboldCpp", "version": "1.74"}),
            "/.well-known/serviceinfo": (200, {"software": {"name": "TabbyAPI"}}),
            "/v1/models": listing(),
            "/v1/model": (503, {"detail": "No models are currently loaded."}),
            "*": (404, {"detail": "Not Found"}),
        },
        {"tabbyapi"},
        {"empty"},
    ),
    (
        "LM Studio with a token",
        {
            "/": (200, {"error": _LM_MISSING.format("")}),
            "*": (
                401,
                {
                    "error": {
                        "type": "invalid_request",
                        "code": "invalid_api_key",
                        "message": "An LM Studio API token is required to make "
                        "requests to this server, ...",
                    }
                },
            ),
        },
        {"lmstudio"},
        {"auth"},
    ),
    (
        "LM Studio before 0.3.6",
        {
            "/v1/models": listing(entry("a", "organization_owner")),
            "*": (200, {"error": _LM_MISSING.format("")}),
        },
        {"lmstudio"},
        {"ready"},
    ),
    (
        "LM Studio's port for its own programs",
        {"/lmstudio-greeting": (200, {"lmstudio": True}), "*": (426, "")},
        {"lmstudio"},
        {"ready"},
    ),
    (
        "text-generation-webui with a key",
        {
            "/openapi.json": doc("FastAPI", "/v1/internal/model/info", "/v1/models"),
            "/v1/models": (401, {"detail": "Unauthorized"}),
            "/v1/internal/model/info": (401, {"detail": "Unauthorized"}),
            "*": (404, {"detail": "Not Found"}),
        },
        {"textgen_webui"},
        {"auth"},
    ),
    (
        "Jan with a key",
        of_capture(
            "source/jan/0.7-ready.json",
            paths={"/v1/models": (401, "Invalid or missing authorization token")},
        ),
        {"jan"},
        {"auth"},
    ),
    (
        "exo 0.0.x",
        {
            "/v1/models": listing(
                {"id": "llama", "object": "model", "owned_by": "exo", "ready": True}
            )
        },
        {"exo"},
        {"ready"},
    ),
    (
        "GPT4All without models",
        {
            "/v1/models": listing(),
            "/v1/chat/completions": (
                405,
                {
                    "error": {
                        "code": "method_not_supported",
                        "message": "Only POST requests are accepted.",
                    }
                },
            ),
        },
        {"gpt4all"},
        {"empty"},
    ),
    (
        "Open WebUI under another name",
        of_capture(
            "source/openwebui/0.10.1-ready.json",
            paths={
                "/api/config": (
                    200,
                    {
                        "status": True,
                        "name": "Team (Open WebUI)",
                        "version": "0.5.1",
                        "features": {},
                    },
                ),
                "/api/version": (200, {"version": "0.5.1"}),
            },
        ),
        {"open_webui"},
        {"auth"},
    ),
    (
        "LiteLLM without docs, keyed",
        {
            "/v1/models": (
                401,
                {
                    "error": {
                        "message": "Authentication Error, No api key passed in.",
                        "type": "auth_error",
                        "param": "None",
                        "code": "401",
                    }
                },
            ),
            "/health/liveliness": (200, "I'm alive!".join('""')),
            "/health/readiness": (200, {"status": "healthy", "db": "connected"}),
            "*": NOT_FOUND,
        },
        {"litellm"},
        {"auth"},
    ),
    (
        "LiteLLM by its page only",
        {
            "/": (200, "<html><title>LiteLLM API - Swagger UI</title></html>"),
            "/v1/models": listing(
                {**entry("gpt-test", "openai"), "created": 1677610602},
            ),
        },
        {"litellm"},
        {"ready"},
    ),
    (
        "llama-swap with a key",
        {
            "/": (302, "", {"location": "/ui"}),
            "/health": (200, "OK"),
            "*": (
                401,
                {"src": "llama-swap", "error": {"message": "unauthorized"}},
                {"www-authenticate": 'Basic realm="llama-swap"'},
            ),
        },
        {"llama_swap"},
        {"auth"},
    ),
    (
        "llama-swap without models",
        of_capture(
            "source/llama-swap/v250-ready.json", paths={"/v1/models": listing()}
        ),
        {"llama_swap"},
        {"empty"},
    ),
    (
        "TGI 2.2.0, before it listed models",
        {
            "/": (200, ""),
            "/info": (
                200,
                {
                    "model_id": "acme/x",
                    "model_dtype": "torch.float16",
                    "max_best_of": 2,
                    "max_total_tokens": 4096,
                    "max_batch_total_tokens": 9000,
                    "validation_workers": 2,
                    "version": "1.4.0",
                },
            ),
        },
        {"tgi"},
        {"ready"},
    ),
    (
        "TEI with a key",
        of_capture("source/tei/1.9.3-ready.json", paths={"/info": (401, "")}),
        {"tei"},
        {"auth"},
    ),
    (
        "LMDeploy with a key",
        {
            "/health": (200, {"status": "healthy"}),
            "/docs": (200, "<html><title>FastAPI - Swagger UI</title></html>"),
            "*": (401, _FLAT_401),
        },
        {"lmdeploy"},
        {"auth"},
    ),
    (
        "LMDeploy still starting",
        of_capture(
            "source/lmdeploy/0.16.0-ready.json",
            paths={"/health": (503, {"status": "initializing"})},
        ),
        {"lmdeploy"},
        {"loading"},
    ),
    (
        "Xinference 4 with a key, where /v1/cluster/auth was not asked",
        {
            "/v1/address": (200, '"127.0.0.1:40707"'),
            "/v1/models": (401, {"detail": "Could not validate credentials"}),
            "/": (200, "<html><title>Xinference</title></html>"),
            "*": NOT_FOUND,
        },
        {"xinference"},
        {"auth"},
    ),
    (
        "Xinference 4 without a key and without models",
        {
            "/v1/address": (200, '"127.0.0.1:40707"'),
            "/v1/cluster/info": (
                200,
                [{"node_type": "Supervisor"}, {"node_type": "Worker"}],
            ),
            "/v1/models": listing(),
            "*": NOT_FOUND,
        },
        {"xinference"},
        {"empty"},
    ),
    (
        "GPUStack without its document",
        of_capture("source/gpustack/2.2.2-auth.json", paths={"/openapi.json": None}),
        {"gpustack"},
        {"auth"},
    ),
    (
        "Lemonade with a key",
        of_capture(
            "source/lemonade/11.7.0-no-model.json",
            paths={
                path: (401, {"error": "Invalid or missing API key"})
                for path in (
                    "/v1/models",
                    "/api/v1/health",
                    "/api/tags",
                    "/api/version",
                )
            },
        ),
        {"lemonade"},
        {"auth"},
    ),
    (
        "Docker Desktop's model runner",
        {
            "/engines/v1/models": listing(entry("ai/x", "docker")),
            "/engines/status": (200, {"llama.cpp": "running"}),
            "*": (404, "not found\n"),
        },
        {"docker_model_runner"},
        {"ready"},
    ),
    (
        "mlx-vlm with a key",
        {"*": (401, {"detail": "Unauthorized"}, {"server": "mlx_vlm/0.6.2"})},
        {"mlx_vlm"},
        {"auth"},
    ),
    (
        "mlx-lm without a model",
        of_capture(
            "source/mlx-lm/0.31.3-ready.json",
            paths={
                "/v1/models": (
                    200,
                    {"object": "list", "data": []},
                    {"server": "BaseHTTP/0.6 Python/3.12.1"},
                )
            },
        ),
        {"mlx_lm"},
        {"empty"},
    ),
    (
        "mlx-lm without a cache directory",
        of_capture(
            "source/mlx-lm/0.31.3-ready.json",
            paths={
                "/v1/models": (
                    200,
                    "",
                    {
                        "server": "BaseHTTP/0.6 Python/3.12.1",
                        "content-type": "application/json",
                    },
                )
            },
        ),
        {"mlx_lm"},
        {"empty"},
    ),
    (
        "oMLX with a key",
        {
            "/openapi.json": doc("oMLX API", version="0.3.0"),
            "/v1/models": (
                401,
                {
                    "error": {
                        "message": "API key required",
                        "type": "authentication_error",
                    }
                },
            ),
            "*": (401, {"detail": "API key required"}),
        },
        {"omlx"},
        {"auth"},
    ),
    (
        "rapid-mlx, a fork of vllm-mlx",
        {
            "/openapi.json": doc("vllm-mlx API", version="0.3.1"),
            "/v1/models": listing(entry("a", "rapid-mlx")),
            "*": NOT_FOUND,
        },
        {None},
        {"ready"},
    ),
    (
        "mlx-openai-server",
        {
            "/openapi.json": doc("OpenAI-compatible API"),
            "/v1/models": listing(entry("a", "openai")),
            "*": NOT_FOUND,
        },
        {None},
        {"ready"},
    ),
    (
        "transformers serve without a model",
        {
            "/health": (200, {"status": "ok"}),
            "/v1/models": listing(),
            "/openapi.json": doc("FastAPI", "/load_model", "/reset", "/v1/models"),
            "*": NOT_FOUND,
        },
        {"transformers_serve"},
        {"empty"},
    ),
    (
        "transformers serve pinned, its document out of reach",
        {
            "/v1/models": (
                200,
                {
                    "object": "list",
                    "data": [{**entry("m", "local"), "status": {"value": "loaded"}}],
                },
                UVICORN,
            ),
            "*": NOT_FOUND,
        },
        {"transformers_serve"},
        {"ready"},
    ),
    (
        "FastChat without workers",
        {
            "/v1/models": listing(),
            "/openapi.json": doc("FastAPI", "/api/v1/token_check", "/v1/models"),
            "*": NOT_FOUND,
        },
        {"fastchat"},
        {"empty"},
    ),
    (
        "FastChat's controller, which serves no chat",
        {"/openapi.json": doc("FastAPI", "/register_worker", "/list_models")},
        {None},
        {None},
    ),
    (
        "Infinity with a key",
        {
            "/openapi.json": doc(
                "♾️ Infinity - Embedding Inference Server", version="0.0.78"
            ),
            "/models": (401, {"detail": "Unauthorized"}),
            "*": NOT_FOUND,
        },
        {"infinity"},
        {"auth"},
    ),
    (
        "llama-cpp-python without its document",
        {
            "/v1/models": listing(
                {"id": "m", "object": "model", "owned_by": "me", "permissions": []}
            ),
            "*": NOT_FOUND,
        },
        {"llama_cpp_python"},
        {"ready"},
    ),
    (
        "NIM 2, which fronts vLLM",
        {
            "/v1/metadata": (200, {"version": "2.1.6"}),
            "/v1/version": (200, {"release": "2.1.6", "api": "1"}),
            "/version": (200, {"version": "0.11.0"}),
            "/v1/models": listing(entry("a", "vllm", max_model_len=4096)),
            "*": NOT_FOUND,
        },
        {"nim"},
        {"ready"},
    ),
    (
        "NIM not ready yet",
        of_capture(
            "source/nim/1.x-ready.json",
            paths={"/v1/health/ready": (503, {"object": "health.response"})},
        ),
        {"nim"},
        {"loading"},
    ),
    (
        "Triton still loading",
        of_capture(
            "source/triton/2.73.0-ready.json", paths={"/v2/health/ready": (400, "")}
        ),
        {"triton"},
        {"loading"},
    ),
    (
        "Triton's OpenAI front end",
        {"/v1/models": listing(entry("a", "Triton Inference Server"))},
        {"triton"},
        {"ready"},
    ),
    (
        "BentoML with its page",
        of_capture(
            "source/bentoml/1.4.38-ready.json",
            paths={
                "/docs.json": None,
                "/": (200, "<html><title>BentoML Prediction Service</title></html>"),
            },
        ),
        {"bentoml"},
        {"ready"},
    ),
    (
        "Tabby's default build",
        {
            "/v1/health": (401, ""),
            "/api-docs/openapi.json": (
                200,
                {"info": {"title": "Tabby Server", "version": "0.32.0"}},
            ),
        },
        {"tabby"},
        {"auth"},
    ),
    (
        "Nexa SDK",
        {
            "/": (200, "Nexa SDK is running"),
            "/v1/models": listing(entry("a", "NexaAI")),
        },
        {"nexa"},
        {"ready"},
    ),
    (
        "Bifrost with its dashboard open",
        {
            "/api/version": (200, '"v1.4.0"'),
            "/api/config": (
                200,
                {"client_config": {}, "framework_config": {}, "is_db_connected": True},
            ),
            "/v1/models": listing(entry("openai/gpt", "openai")),
        },
        {"bifrost"},
        {"ready"},
    ),
    (
        "Bifrost with its dashboard closed",
        {
            "/api/version": (200, '"v1.4.0"'),
            "/api/config": (401, {"error": "Unauthorized"}),
            "/health": (200, {"components": {"db_pings": "ok"}}),
        },
        {None},
        {None},
    ),
    (
        "LobeChat, as it was called",
        {"/manifest.webmanifest": (200, {"id": "lobe-chat", "name": "LobeChat"})},
        {"lobehub"},
        {"ready"},
    ),
    (
        "New API, an older one",
        {
            "/api/status": (
                200,
                {
                    "data": {
                        "version": "v0.4",
                        "system_name": "New API",
                        "quota_per_unit": 1,
                        "lark_client_id": "",
                        "self_use_mode_enabled": False,
                    }
                },
            ),
            "/v1/models": (401, {"error": {"type": "new_api_error", "message": "x"}}),
        },
        {"new_api"},
        {"auth"},
    ),
    (
        "A1111 without --api",
        {
            "/internal/ping": (200, {}),
            "/": (200, "<html><title>Stable Diffusion</title></html>"),
        },
        {"sd_webui"},
        {"ready"},
    ),
]

NEIGHBOURS: dict[str, Responses] = {
    "mlflow": {"/version": (200, "3.17.2"), "/health": (200, "OK")},
    "Ray's dashboard": {
        "/api/version": (200, {"version": "4", "ray_version": "2.60.0"}),
        "/": (200, "<html><title>Ray Dashboard</title></html>"),
    },
    "a Ray Serve application that answers everything": {
        "*": (200, {"hello": "world"}, UVICORN)
    },
    "a program with a version": {
        "/version": (200, {"version": "1.4.2"}, UVICORN),
        "/health": (200, {"status": "ok"}, UVICORN),
        "*": NOT_FOUND,
    },
    "a keyed program with a version": {
        "/version": (200, {"version": "1.4.2"}, UVICORN),
        "/openapi.json": doc("My API", "/version", "/items"),
        "*": NOT_FOUND,
    },
    "an application that shows one page everywhere": {
        "*": (200, "<!doctype html><title>App</title>")
    },
    "empty 200 everywhere": {"*": (200, "")},
    "true everywhere": {"*": (200, "true")},
    "an empty object everywhere": {"*": (200, "{}")},
    "an empty list everywhere": {"*": (200, "[]")},
    "a version everywhere": {"*": (200, {"version": "1.2.3", "status": "ok"})},
    "an answer with every common word everywhere": {
        "*": (
            200,
            {
                "status": "ok",
                "name": "x",
                "version": "v1.2.3 (0123456789abcdef)",
                "auth": True,
                "models": [],
                "error": "Unauthorized",
                "result": "x",
                "detail": "x",
            },
        )
    },
    "OK everywhere": {"*": (200, "OK")},
    "a JSON text everywhere": {"*": (200, '"success"')},
    "an empty list of models everywhere": {"*": (200, {"models": []})},
    "KServe's protocol by another server": {
        "/v2": (200, {"name": "mlserver", "version": "1.6.0", "extensions": []}),
        "/v2/health/ready": (200, {}),
    },
    "a vault that denies everything": {
        "*": (403, {"errors": ["permission denied"]}),
    },
    "a login page for every path": {
        "*": (302, "", {"location": "https://login.example/"}),
    },
    "nginx that speaks of something being away": {
        "*": (502, "<html><title>502 Bad Gateway</title></html>"),
    },
    "a page that tells of Ollama": {
        "/": (200, "<html><body>Ollama is running</body></html>"),
        "/api/version": (200, {"version": "0.9.0"}),
        "*": (404, ""),
    },
    "a program ready for Kubernetes": {
        "/readyz": (200, ""),
        "/healthz": (200, ""),
        "/version": (200, {"version": "v1.2.3"}),
        "/ready": (200, ""),
    },
    "a home-made http.server": {
        "/v1/models": (
            404,
            "<html><title>Error</title></html>",
            {"server": "BaseHTTP/0.6 Python/3.11.2"},
        ),
        "*": (404, "", {"server": "BaseHTTP/0.6 Python/3.11.2"}),
    },
    "a web shop": {
        "/status": (200, {"status": "ok", "version": "3"}),
        "/info": (200, {"name": "shop", "version": "1"}),
        "/api/status": (200, {"data": {"version": "1"}, "success": True}),
        "/api/config": (200, {"status": True, "name": "shop", "version": "1"}),
    },
}

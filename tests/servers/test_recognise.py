"""Real recognition over loopback: captures, cases, and listeners that misbehave."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from servers.addresses import Origin, parse_url
from servers.family import Kind
from servers.hosting import Hosting
from servers.identity import Identity
from servers.ladder import MOST
from servers.manners import is_forbidden
from servers.reading import read_server
from servers.recognise import recognise, recognise_many, without_api_root
from tests.fakes import Replay, captures, expected

CASES = Path(__file__).parent.parent / "cases" / "identification"
COSTLY_HEALTH = {"sglang", "litellm", None}
_404 = {"status": 404, "body": "404 page not found"}
# What the cases call the products.
NAMES = {
    "llama.cpp": "llamacpp",
    "LM Studio": "lmstudio",
    "Ollama": "ollama",
    "KoboldCpp": "koboldcpp",
    "vLLM": "vllm",
    "OpenAI": "openai",
}


def named(server: Replay, seconds: float = 5) -> Identity:
    return asyncio.run(recognise(server.origin, budget_seconds=seconds))


def rude(server: Replay, family: str | None) -> list[str]:
    """What recognition sent that it must never send."""
    wrong = []
    for seen in server.seen:
        health = family not in COSTLY_HEALTH
        if seen.method != "GET" or is_forbidden(seen.target, health=health):
            wrong.append(seen.target)
        if {"authorization", "cookie"} & seen.headers.keys() or seen.body:
            wrong.append(seen.target)
    return wrong


class CaptureTests:
    @pytest.mark.parametrize("name", captures())
    def test_it_names_each_capture_over_the_wire(self, name: str) -> None:
        with Replay.of_capture(name) as server:
            found = named(server)
        right = expected()[name]
        assert found.family in right["family"]
        assert len(server.seen) == found.asked <= MOST
        assert not rude(server, found.family)
        if found.family:
            assert right["state"] is None or found.state in right["state"]
            assert right.get("version_contains", "") in (found.version or "")
            assert found.why
        else:
            assert found.kind in {Kind.HTTP, Kind.COMPATIBLE, Kind.WANTS_KEY}


def variants() -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    found = []
    for path in sorted(CASES.glob("*.json")):
        case = json.loads(path.read_text())
        for number, asked in enumerate(case["input"].get("variants", [case["input"]])):
            found.append((f"{path.stem}-{number}", asked, case["checks"]))
    return found


def routes(asked: dict[str, Any]) -> dict[str, Any]:
    given = {}
    for path, answer in asked["GET"].items():
        headers = {"content-type": answer["content_type"], **answer.get("headers", {})}
        given[path] = {**answer, "headers": headers}
    other = asked["other"]
    if isinstance(other, dict):
        headers = {"content-type": other["content_type"]}
        return {**given, "*": {**other, "headers": headers}}
    return {**given, "*": _404}


class CaseTests:
    @pytest.mark.parametrize(
        ("asked", "checks"),
        [row[1:] for row in variants()],
        ids=[row[0] for row in variants()],
    )
    def test_it_handles_each_reported_fault(
        self, asked: dict[str, Any], checks: dict[str, Any]
    ) -> None:
        with Replay(routes(asked)) as server:
            found = named(server)
        kind = checks.get("kind", "")
        if kind is None:
            assert not found.is_server
        elif kind:
            assert found.family == NAMES[kind]
        assert found.family not in {NAMES[name] for name in checks.get("kind_not", ())}
        if checks.get("state") == "loading":
            assert found.state == "loading"
        if checks.get("state") == "needs key":
            assert (found.family, found.kind) == (None, Kind.WANTS_KEY)
        if "models" in checks:
            assert len(found.models) == checks["models"]


class ListenerTests:
    """One open port costs at most its budget, whatever the listener does."""

    @pytest.mark.parametrize(
        ("answer", "kind"),
        [
            ({"silent": True}, Kind.OTHER),
            ({"raw": b"SSH-2.0-OpenSSH_9.2\r\n"}, Kind.OTHER),
            ({"raw": b""}, Kind.OTHER),
            ({"chunks": [(0.05, b"x")] * 1000}, Kind.OTHER),
            ({"endless": b"x" * 65536}, Kind.HTTP),
            ({"body": b"[" * 200_000}, Kind.HTTP),
            ({"body": b"\xff\xfe" * 2000}, Kind.HTTP),
            ({"status": 302, "headers": {"location": "/"}}, Kind.HTTP),
            ({"status": 500, "body": "boom"}, Kind.HTTP),
        ],
        ids=[
            "silent",
            "ssh",
            "hangs-up",
            "drip",
            "endless",
            "deep",
            "bytes",
            "loop",
            "500",
        ],
    )
    def test_it_gives_up_within_its_budget(self, answer: Any, kind: Kind) -> None:
        async def run(server: Replay) -> Identity:
            async with asyncio.timeout(20):  # a hang is a failure
                return await recognise(server.origin, budget_seconds=0.4)

        with Replay({"*": answer}) as server:
            found = asyncio.run(run(server))
        assert (found.family, found.kind) == (None, kind)
        assert bool(found.problem) == (kind is Kind.OTHER)

    def test_it_names_a_server_with_one_path_that_hangs(self) -> None:
        with Replay.of_capture("source/ollama/0.33.0-ready.json") as server:
            server.routes["/openapi.json"] = {"silent": True}
            assert named(server, seconds=3).family == "ollama"

    def test_it_names_a_server_that_closes_after_every_answer(self) -> None:
        with Replay.of_capture("source/mlx-lm/0.31.3-ready.json") as server:
            for answer in server.routes.values():
                answer["headers"]["connection"] = "close"
            assert named(server).family == "mlx_lm"

    def test_it_says_that_nothing_listens(self) -> None:
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            origin = Origin("http", "127.0.0.1", closed.getsockname()[1])
        found = asyncio.run(recognise(origin))
        assert "refused" in found.problem
        assert found.kind is Kind.OTHER

    def test_it_says_that_a_name_does_not_resolve(self) -> None:
        found = asyncio.run(recognise(Origin("http", "nowhere.invalid", 80)))
        assert "no address" in found.problem
        assert found.hosting is Hosting.GLOBAL

    def test_it_asks_no_address_that_is_never_a_target(self) -> None:
        for host in ("0.0.0.0", "169.254.169.254", "::", "fe80::1"):
            found = asyncio.run(recognise(Origin("http", host, 80)))
            assert found.asked == 0
            assert found.problem


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> tuple[str, str]:
    """A self-signed certificate and its key."""
    folder = tmp_path_factory.mktemp("tls")
    files = (str(folder / "cert.pem"), str(folder / "key.pem"))
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"]
    command += ["ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=hub"]
    command += ["-days", "2", "-out", files[0], "-keyout", files[1]]
    subprocess.run(command, check=True, capture_output=True)
    return files


class TlsTests:
    def test_it_names_a_server_with_its_own_certificate(self, certificate) -> None:
        routes = {"/": {"body": "Nexa SDK is running"}}
        with Replay(routes, tls=certificate) as server:
            found = named(server)
        assert (found.family, found.origin) == ("nexa", server.origin)

    def test_it_changes_to_https_where_plain_http_meets_tls(self, certificate) -> None:
        routes = {"/": {"body": "Nexa SDK is running"}}
        with Replay(routes, tls=certificate) as server:
            found = asyncio.run(recognise(Origin("http", server.host, server.port)))
        assert found.family == "nexa"
        assert found.origin == server.origin

    def test_it_sends_no_key_past_a_certificate_nobody_vouches_for(
        self, certificate
    ) -> None:
        routes = {"/": {"body": "Nexa SDK is running"}}
        with Replay(routes, tls=certificate) as server:
            identity, claims = asyncio.run(
                read_server(server.origin, "k-1", budget_seconds=5)
            )
        assert (identity.family, claims) == ("nexa", ())
        assert not [one for one in server.seen if "authorization" in one.headers]

    def test_it_sends_no_key_where_a_typed_http_turned_out_to_be_tls(
        self, certificate
    ) -> None:
        with Replay({"/": {"body": "Nexa SDK is running"}}, tls=certificate) as server:
            plain = Origin("http", server.host, server.port)
            asyncio.run(read_server(plain, "k-1", budget_seconds=5))
        assert not [one for one in server.seen if "authorization" in one.headers]


class OriginTests:
    @pytest.mark.parametrize(
        ("typed", "prefix"),
        [
            ("http://h:1/v1", ""),
            ("http://h:1/llm/v1/", "/llm"),
            ("http://h:1/api/v1/openai", ""),
            ("http://h:1/llm", "/llm"),
            ("http://h:1", ""),
        ],
    )
    def test_it_takes_an_api_root_for_its_servers_root(self, typed, prefix) -> None:
        assert without_api_root(parse_url(typed)).prefix == prefix

    def test_it_names_a_server_below_a_prefix(self) -> None:
        with Replay({"/x/": {"body": "Nexa SDK is running"}}) as server:
            origin = Origin("http", server.host, server.port, "/x")
            assert asyncio.run(recognise(origin)).family == "nexa"


class ManyTests:
    def test_it_yields_results_as_they_come(self) -> None:
        async def run(origins: list[Origin]) -> list[tuple[int, str | None]]:
            found = recognise_many(origins, budget_seconds=2, at_once=1)
            return [(place, one.family) async for place, one in found]

        with (
            Replay({"*": {"silent": True}}) as slow,
            Replay({"/": {"body": "Nexa SDK is running"}}) as quick,
        ):
            found = asyncio.run(run([slow.origin, quick.origin]))
        assert found == [(1, "nexa"), (0, None)]

    def test_it_names_many_at_once(self) -> None:
        async def run(origins: list[Origin]) -> dict[int, str | None]:
            found = recognise_many(origins, budget_seconds=5)
            return {place: one.family async for place, one in found}

        names = captures()[:30]
        with contextlib.ExitStack() as stack:
            servers = [stack.enter_context(Replay.of_capture(name)) for name in names]
            found = asyncio.run(run([server.origin for server in servers]))
        wrong = [
            n for i, n in enumerate(names) if found[i] not in expected()[n]["family"]
        ]
        assert not wrong

"""One bounded GET, whatever the listener does."""

from __future__ import annotations

import asyncio
import gzip
import socket
from typing import Any

import pytest

from servers.addresses import Origin
from servers.manners import (
    DESIGNATED,
    FORBIDDEN,
    FORBIDDEN_BELOW,
    LIST,
    SMALL,
    is_forbidden,
)
from servers.patience import Patience
from servers.wire import Quiet, Reply, Silence, Wire
from tests.fakes import Replay

Answers = list[Reply | Silence]


def ask(server: Replay, *paths: str, seconds: float = 5, **more: Any) -> Answers:
    """The answers to `paths`, asked all together over one wire."""
    return ask_at(server.origin, [server.host], *paths, seconds=seconds, **more)


def ask_at(
    origin: Origin, addresses: list[str], *paths: str, seconds: float = 5, **more: Any
) -> Answers:
    async def run() -> Answers:
        async with (
            Patience(seconds) as patience,
            Wire(origin, addresses, patience=patience, **more) as wire,
        ):
            return list(await asyncio.gather(*(wire.get(path) for path in paths)))

    return asyncio.run(run())


def reply_to(server: Replay, path: str = "/", **more: Any) -> Reply:
    found = ask(server, path, **more)[0]
    assert isinstance(found, Reply)
    return found


class QuestionTests:
    def test_it_sends_a_bare_get(self) -> None:
        with Replay() as server:
            reply_to(server, "/v1/models")
        (request,) = server.seen
        assert (request.method, request.target, request.body) == (
            "GET",
            "/v1/models",
            b"",
        )
        assert set(request.headers) == {
            "host",
            "accept",
            "accept-encoding",
            "user-agent",
        }
        assert request.headers["host"] == f"127.0.0.1:{server.port}"

    def test_it_asks_below_the_typed_prefix(self) -> None:
        with Replay() as server:
            origin = Origin("http", server.host, server.port, "/llm")
            ask_at(origin, [server.host], "/props")
        assert server.paths == ["/llm/props"]

    def test_it_escapes_a_typed_prefix(self) -> None:
        with Replay() as server:
            origin = Origin("http", server.host, server.port, "/é|x%20y")
            ask_at(origin, [server.host], "/props")
        assert server.paths == ["/%C3%A9%7Cx%20y/props"]

    def test_it_sends_nothing_with_a_key_that_is_no_header(self) -> None:
        with Replay() as server:
            for key in ("a\r\nb: c", "ключ"):
                assert ask(server, "/", key=key) == [Silence("/", Quiet.GARBLED)]
        assert not server.seen

    def test_it_asks_everything_over_one_connection(self) -> None:
        with Replay() as server:
            ask(server, *(f"/{number}" for number in range(12)))
        assert len(server.seen) == 12
        assert server.connections == 1

    def test_it_goes_on_where_a_kept_connection_was_closed(self) -> None:
        with Replay(
            {"*": {"status": 200, "headers": {"connection": "close"}}}
        ) as server:
            found = ask(server, "/a", "/b", "/c")
        assert [reply.status for reply in found if isinstance(reply, Reply)] == [
            200
        ] * 3

    def test_it_follows_no_redirect(self) -> None:
        moved = {"status": 307, "headers": {"location": "/elsewhere"}}
        with Replay({"*": moved}) as server:
            assert reply_to(server).status == 307
        assert server.paths == ["/"]

    def test_it_ignores_the_machines_proxy(self, monkeypatch) -> None:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, "http://127.0.0.1:1")
        with Replay() as server:
            assert reply_to(server).status == 404


class ForbiddenTests:
    @pytest.mark.parametrize("path", sorted(FORBIDDEN | {"/health"}))
    def test_it_never_asks_a_costly_path(self, path: str) -> None:
        with Replay() as server:
            for spelled in (path, f"{path}/", f"/{path}", path.upper(), f"{path}?x=1"):
                assert ask(server, spelled) == [Silence(spelled, Quiet.FORBIDDEN)]
        assert not server.seen

    @pytest.mark.parametrize("prefix", FORBIDDEN_BELOW)
    def test_it_never_asks_below_a_costly_prefix(self, prefix: str) -> None:
        with Replay() as server:
            for path in (prefix, f"{prefix}x", f"{prefix}x/v1/models"):
                assert ask(server, path) == [Silence(path, Quiet.FORBIDDEN)]
        assert not server.seen

    def test_it_sees_through_escapes(self) -> None:
        assert is_forbidden("/%68ealth")
        assert is_forbidden("//slots//")
        assert is_forbidden("/x/../slots")
        assert is_forbidden("/v1/models?load=1")

    def test_it_never_asks_below_a_typed_prefix_that_starts_a_model(self) -> None:
        with Replay() as server:
            origin = Origin("http", server.host, server.port, "/upstream/big")
            found = ask_at(origin, [server.host], "/v1/models")
        assert found == [Silence("/v1/models", Quiet.FORBIDDEN)]
        assert not server.seen

    def test_it_asks_the_harmless_neighbours_of_costly_paths(self) -> None:
        for path in (
            "/health/liveliness",
            "/health/readiness",
            "/v1/health",
            "/api/v1/health",
            "/healthz",
            "/comfy",
            "/models",
        ):
            assert not is_forbidden(path)

    def test_it_leaves_health_to_a_named_family(self) -> None:
        assert is_forbidden("/health")
        assert not is_forbidden("/health", health=True)
        assert is_forbidden("/slots", health=True)


class CapTests:
    @pytest.mark.parametrize(
        ("path", "cap"), [("/", SMALL), ("/v1/models", LIST), ("/openapi.json", LIST)]
    )
    def test_it_reads_no_more_than_the_cap(self, path: str, cap: int) -> None:
        with Replay({"*": {"body": b"x" * 10_000_000}}) as server:
            reply = reply_to(server, path)
        assert (len(reply.body), reply.cut) == (cap, True)

    def test_it_keeps_a_body_that_just_fits(self) -> None:
        with Replay({"*": {"body": b"x" * SMALL}}) as server:
            reply = reply_to(server)
        assert (len(reply.body), reply.cut) == (SMALL, False)

    def test_it_counts_what_a_small_body_unpacks_to(self) -> None:
        bomb = gzip.compress(b"0" * 20_000_000)
        headers = {"content-encoding": "gzip"}
        with Replay({"*": {"body": bomb, "headers": headers}}) as server:
            reply = reply_to(server)
        assert (len(reply.body), reply.cut) == (SMALL, True)

    def test_it_unpacks_gzip(self) -> None:
        headers = {"Content-Encoding": "gzip"}
        answer = {"body": gzip.compress(b"<title>x</title>"), "headers": headers}
        with Replay({"*": answer}) as server:
            assert reply_to(server).body == b"<title>x</title>"

    def test_it_ends_an_endless_body_at_the_cap(self) -> None:
        with Replay({"*": {"endless": b"x" * 4096}}) as server:
            reply = reply_to(server)
        assert (len(reply.body), reply.cut) == (SMALL, True)

    def test_it_reads_more_from_a_designated_server(self) -> None:
        with Replay({"*": {"body": b"x" * (DESIGNATED + 10)}}) as server:
            reply = reply_to(server, designated=True)
        assert len(reply.body) == DESIGNATED


class SilenceTests:
    def test_it_ends_at_once_where_nothing_listens(self) -> None:
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            port = closed.getsockname()[1]
        origin = Origin("http", "127.0.0.1", port)
        found = ask_at(origin, ["127.0.0.1"], "/", "/a", "/b")
        assert {silence.reason for silence in found} == {Quiet.REFUSED}

    def test_it_asks_nobody_without_an_address(self) -> None:
        found = ask_at(Origin("http", "nowhere.invalid", 80), [], "/")
        assert found == [Silence("/", Quiet.UNRESOLVED)]

    def test_it_loses_only_the_path_that_hangs(self) -> None:
        with Replay({"/hangs": {"silent": True}}) as server:
            found = ask(server, "/hangs", "/a", "/b", seconds=1.5)
        assert found[0] == Silence("/hangs", Quiet.TIMEOUT)
        assert all(isinstance(reply, Reply) for reply in found[1:])

    @pytest.mark.parametrize(
        "raw",
        [b"\x15\x03\x01\x00\x02\x02\x28", b"SSH-2.0-x\r\n", b"\x00" * 100_000, b""],
    )
    def test_it_loses_only_the_path_that_is_garbled(self, raw: bytes) -> None:
        with Replay({"/odd": {"raw": raw}}) as server:
            found = ask(server, "/odd", "/a")
        assert found[0] == Silence("/odd", Quiet.GARBLED)
        assert isinstance(found[1], Reply)

    def test_it_takes_a_cut_body_for_no_answer(self) -> None:
        with Replay({"/cut": {"body": "x" * 100, "cut": 10}}) as server:
            assert ask(server, "/cut") == [Silence("/cut", Quiet.GARBLED)]

    def test_it_takes_broken_compression_for_no_answer(self) -> None:
        headers = {"content-encoding": "gzip"}
        with Replay({"*": {"body": "no gzip", "headers": headers}}) as server:
            assert ask(server, "/") == [Silence("/", Quiet.GARBLED)]

    def test_it_stops_a_slow_drip_at_the_deadline(self) -> None:
        drip = [(0.05, b"x")] * 200
        with Replay({"*": {"chunks": drip}}) as server:
            assert ask(server, "/", seconds=0.4) == [Silence("/", Quiet.TIMEOUT)]

    def test_it_reads_a_body_that_ends_with_the_connection(self) -> None:
        with Replay({"*": {"chunks": [b"a", b"b"]}}) as server:
            assert reply_to(server).body == b"ab"

    def test_it_tries_the_next_address(self) -> None:
        with Replay() as server:
            origin = Origin("http", "both.invalid", server.port)
            found = ask_at(origin, ["::1", "127.0.0.1"], "/")
        assert isinstance(found[0], Reply)
        assert server.seen[0].headers["host"] == f"both.invalid:{server.port}"


class DesignatedTests:
    def test_it_describes_a_model_to_a_designated_server_only(self) -> None:
        async def shown(server: Replay, designated: bool) -> Reply | Silence:
            async with Patience(5) as patience:
                wire = Wire(
                    server.origin,
                    [server.host],
                    patience=patience,
                    designated=designated,
                )
                async with wire:
                    return await wire.show("m")

        with Replay({"POST /api/show": {"json": {}}}) as server:
            refused = asyncio.run(shown(server, False))
            assert refused == Silence("/api/show", Quiet.FORBIDDEN)
            assert not server.seen
            assert isinstance(asyncio.run(shown(server, True)), Reply)
        assert server.seen[0].body == b'{"model": "m"}'

    def test_it_sends_a_key_only_when_it_was_given_one(self) -> None:
        with Replay() as server:
            reply_to(server, key="k-1")
        assert server.seen[0].headers["authorization"] == "Bearer k-1"

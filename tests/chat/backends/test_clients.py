"""The one outbound client: TLS by name, at the address that was classified."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from chat.backends import clients
from chat.backends.base import Request
from chat.backends.openai_http import OpenAIBackend
from chat.backends.upstream import Upstream, upstream_at
from chat.turn import Ending, Outcome, drain
from servers.addresses import Origin
from servers.hosting import Hosting, Placed
from tests.chat.backends.asking import DONE, at, chunk, cleared_for
from tests.fakes import Replay

GOOD = {"POST /v1/chat/completions": {"chunks": [chunk("Hi", "stop"), DONE]}}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A certificate for `model.lan` that signs itself, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    files = (str(folder / "cert.pem"), str(folder / "key.pem"))
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"]
    command += ["ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=hub"]
    command += ["-addext", "subjectAltName=DNS:model.lan"]
    command += ["-days", "2", "-out", files[0], "-keyout", files[1]]
    subprocess.run(command, check=True, capture_output=True)
    return files


@pytest.fixture
def trusted(certificate, monkeypatch):
    """The system's trust store knows that certificate."""
    monkeypatch.setenv("SSL_CERT_FILE", certificate[0])
    clients._tls.cache_clear()
    yield
    clients._tls.cache_clear()


@pytest.fixture
def untrusted(monkeypatch, tmp_path):
    """The system's trust store knows nobody."""
    monkeypatch.setenv("SSL_CERT_FILE", str(Path(tmp_path) / "none.pem"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    clients._tls.cache_clear()
    yield
    clients._tls.cache_clear()


async def sent_to(port: int, name: str) -> Outcome:
    origin = Origin("https", name, port)
    target = upstream_at(origin, name="server-1", api_key="sk-secret")
    placed = Placed(name, ("127.0.0.1",), Hosting.LOOPBACK)
    backend = OpenAIBackend(target, placed=placed)
    outcome = await drain(backend, Request(cleared_for(target), "m-test"))
    await clients.close_clients()
    return outcome


def over_tls(server: Replay, name: str = "model.lan") -> Outcome:
    return asyncio.run(sent_to(server.port, name))


class TlsTests:
    def test_it_checks_the_name_and_not_the_address(self, certificate, trusted):
        with Replay(GOOD, tls=certificate) as server:
            outcome = over_tls(server)

        assert outcome.ending is Ending.COMPLETED, outcome.error
        assert server.seen[0].headers["host"] == f"model.lan:{server.port}"

    @pytest.mark.parametrize("name", ["other.lan", "127.0.0.1"])
    def test_it_sends_nothing_past_a_certificate_of_another(
        self, certificate, trusted, name
    ):
        with Replay(GOOD, tls=certificate) as server:
            outcome = over_tls(server, name)

        assert outcome.fault == "unreachable"
        assert "certificate is not trusted" in outcome.error
        assert server.seen == []

    def test_it_sends_nothing_past_a_certificate_nobody_vouches_for(
        self, certificate, untrusted
    ):
        with Replay(GOOD, tls=certificate) as server:
            outcome = over_tls(server)

        assert outcome.fault == "unreachable"
        assert server.seen == []

    def test_it_says_that_there_is_no_tls(self, trusted):
        async def plain(reader, writer) -> None:
            await reader.read(100)
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            writer.close()

        async def run() -> Outcome:
            async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
                return await sent_to(server.sockets[0].getsockname()[1], "model.lan")

        outcome = asyncio.run(run())

        assert outcome.fault == "unreachable"
        assert "no TLS" in outcome.error


class CacheTests:
    def test_it_keeps_one_client_per_server_and_loop(self):
        async def run() -> tuple[bool, bool]:
            first = clients.client_for(at(1))
            same = clients.client_for(at(1)) is first
            other = clients.client_for(at(1, api_key="sk-other")) is first
            await clients.close_clients()
            return same, other

        assert asyncio.run(run()) == (True, False)

    def test_it_closes_what_was_never_opened(self):
        asyncio.run(clients.close_clients())

    def test_it_shares_no_client_between_loops(self):
        target: Upstream = at(1)

        async def run() -> clients.Client:
            return clients.client_for(target)

        assert asyncio.run(run()) is not asyncio.run(run())

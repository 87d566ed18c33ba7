"""The main job on real software: a llama.cpp server found, named and kept."""

from __future__ import annotations

import asyncio
import json
from io import StringIO

import pytest
from django.core.management import call_command

from servers.models import Server
from servers.recognise import recognise
from tests.llama import llama, llama_router

pytestmark = [pytest.mark.llama, pytest.mark.django_db]


def scan(*argv: str) -> dict:
    out = StringIO()
    with pytest.raises(SystemExit) as done:
        call_command("scan", "--json", *argv, stdout=out)
    assert done.value.code == 0
    return json.loads(out.getvalue())


class StateTests:
    def test_it_names_a_ready_server_with_its_model(self):
        with llama() as origin:
            found = asyncio.run(recognise(origin, budget_seconds=10))
        assert (found.family, found.state, found.models) == (
            "llamacpp",
            "ready",
            ("tiny",),
        )
        assert found.version and found.hosting == "loopback"

    def test_it_names_a_server_that_is_still_loading(self):
        with llama(slow=True) as origin:
            found = asyncio.run(recognise(origin, budget_seconds=10))
        assert (found.family, found.state) == ("llamacpp", "loading")

    def test_it_names_a_server_that_wants_a_key(self):
        with llama(api_key="k3y") as origin:
            found = asyncio.run(recognise(origin, budget_seconds=10))
        assert (found.family, found.state) == ("llamacpp", "auth")

    def test_it_names_a_router_without_loading_anything(self):
        with llama_router() as origin:
            found = asyncio.run(recognise(origin, budget_seconds=10))
            again = asyncio.run(recognise(origin, budget_seconds=10))
        assert (found.family, found.state) == ("llamacpp", "ready")
        assert found.models == again.models == ("tiny",)


class ScanTests:
    def test_it_finds_keeps_and_shows_a_real_server(self, client, make_user):
        with llama() as origin:
            port = str(origin.port)
            found = scan("--host", "127.0.0.1", "--port", port, "--keep", "all")
        assert [s["family"] for s in found["servers"]] == ["llamacpp"]
        assert Server.objects.get().origin == origin
        client.force_login(make_user("cy", "curators"))
        page = client.get("/admin/servers/server/").content.decode()
        assert "server-1" in page
        assert "llama.cpp" in page

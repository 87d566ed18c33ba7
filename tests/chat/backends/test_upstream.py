"""Where a server's API starts, and what its destination is called."""

from __future__ import annotations

import pytest

from chat.backends.upstream import api_root, upstream_at
from servers.addresses import parse_url
from servers.hosting import Hosting


class RootTests:
    @pytest.mark.parametrize(
        ("prefix", "root"),
        [
            ("", "/v1"),
            ("/v1", "/v1"),
            ("/openai", "/openai/v1"),
            ("/openai/v1", "/openai/v1"),
            ("/api/paas/v4", "/api/paas/v4"),
            ("/v1beta", "/v1beta"),
            ("/v1/chat/completions", "/v1"),
            ("/v1/models", "/v1"),
            ("/chat/completions", "/v1"),
            ("/my-v1", "/my-v1/v1"),
            ("/v1x", "/v1x/v1"),
        ],
    )
    def test_it_adds_the_version_once(self, prefix, root):
        assert api_root(prefix) == root

    @pytest.mark.parametrize(
        ("prefix", "family_root", "root"),
        [
            ("", "/api", "/api"),
            ("/api", "/api", "/api"),
            ("/v1", "/api", "/v1"),
            ("", "", ""),
            ("/x", "", "/x"),
            ("", "/engines/v1", "/engines/v1"),
        ],
    )
    def test_it_takes_the_root_of_the_family(self, prefix, family_root, root):
        assert api_root(prefix, family_root) == root


class UpstreamTests:
    def test_it_names_the_destination_without_its_path(self):
        origin = parse_url("https://model.example/openai/v1")
        upstream = upstream_at(origin, name="server-1 (vllm)", api_key="sk-1")
        destination = upstream.destination(Hosting.GLOBAL)

        assert destination.key == "https://model.example:443"
        assert (destination.name, destination.host) == (
            "server-1 (vllm)",
            "model.example",
        )

    def test_it_shows_neither_address_nor_key(self):
        upstream = upstream_at(parse_url("http://gpu.lan"), name="x", api_key="sk-1")

        assert repr(upstream) == "Upstream(name='x')"

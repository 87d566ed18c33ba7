"""From a kept server to what talks to it."""

from __future__ import annotations

import pytest

from chat.roads import upstream_of
from servers.addresses import parse_url
from servers.hosting import Hosting
from servers.retained import Kept


def kept(url: str, family: str) -> Kept:
    return Kept(
        pk=1,
        handle="server-1",
        label="Ada's box",
        family=family,
        default_model="",
        hosting=Hosting.LAN,
        slots=None,
        fallback=None,
        origin=parse_url(url),
        api_key="sk-secret",
    )


class UpstreamTests:
    @pytest.mark.parametrize(
        ("url", "family", "root"),
        [
            ("http://10.0.0.5:11434", "ollama", "/v1"),
            ("http://10.0.0.5:8080/v1", "llamacpp", "/v1"),
            ("http://10.0.0.5:3000", "open_webui", "/api"),
            ("http://10.0.0.5:3000/api", "open_webui", "/api"),
            ("http://10.0.0.5:9000", "", "/v1"),
        ],
    )
    def test_it_completes_the_root_by_the_family(self, url, family, root):
        assert upstream_of(kept(url, family)).origin.prefix == root

    def test_it_is_called_by_handle_and_family(self):
        upstream = upstream_of(kept("http://10.0.0.5:11434", "ollama"))

        assert upstream.name == "server-1 (ollama)"
        assert "10.0.0.5" not in repr(upstream)
        assert upstream.api_key == "sk-secret"

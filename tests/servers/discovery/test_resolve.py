from __future__ import annotations

import asyncio
import socket
import threading
from typing import Any

import pytest

from servers.discovery.resolve import is_address, resolve


def looked_up(*names: str, seconds: float = 10) -> dict[str, list[str]]:
    return asyncio.run(resolve(names, seconds))


class ResolveTests:
    def test_it_gives_ipv4_first_and_nothing_for_what_does_not_resolve(self):
        found = looked_up("localhost", "nothing.invalid")
        assert found["localhost"][0] == "127.0.0.1"
        assert found["nothing.invalid"] == []

    def test_it_asks_nobody_for_nothing(self):
        assert looked_up() == {}

    def test_a_slow_resolver_holds_nobody(self, monkeypatch):
        release = threading.Event()

        def slow(*args: Any, **more: Any) -> list[Any]:
            release.wait(60)
            return []

        monkeypatch.setattr(socket, "getaddrinfo", slow)
        assert looked_up("slow.example", seconds=0.05) == {"slow.example": []}
        release.set()

    def test_it_leaves_out_what_is_never_a_target(self, monkeypatch):
        rows = [
            (0, 0, 0, "", (text, 0))
            for text in ("169.254.169.254", "::ffff:10.0.0.5", "fd00::5", "0.0.0.0")
        ]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: rows)
        assert looked_up("box.lan") == {"box.lan": ["10.0.0.5", "fd00::5"]}

    @pytest.mark.parametrize("name", ["a" * 300, "\udcff", "a\0b", ""])
    def test_it_takes_any_name(self, name):
        assert isinstance(looked_up(name)[name], list)

    def test_it_tells_addresses_from_names(self):
        assert is_address("fe80::1%eth0")
        assert not is_address("box")

from __future__ import annotations

import socket

import pytest

from llmhub.listening import Address, CannotListen, listen, read_address


class ReadAddressTests:
    @pytest.mark.parametrize(
        ("text", "host", "port"),
        [
            ("127.0.0.1:8710", "127.0.0.1", 8710),
            (" 0.0.0.0:80 ", "0.0.0.0", 80),
            ("localhost:0", "localhost", 0),
            ("[::1]:8710", "::1", 8710),
            ("[::1]", "::1", 8710),
            (":9000", "127.0.0.1", 9000),
            ("9000", "127.0.0.1", 9000),
            ("hub.lan", "hub.lan", 8710),
        ],
    )
    def test_it_reads_host_and_port(self, text, host, port):
        assert read_address(text) == Address(host, port)

    @pytest.mark.parametrize(
        "text",
        ["::1:8710", "host:port", "host:", "1.2.3.4:70000", "a:-1", "a:²", "[::1]:x"],
    )
    def test_it_refuses_what_is_no_address(self, text):
        with pytest.raises(CannotListen):
            read_address(text)

    def test_it_writes_ipv6_in_brackets(self):
        assert str(Address("::1", 8710)) == "[::1]:8710"


class ListenTests:
    def test_it_listens_where_it_was_told(self):
        with listen(Address("127.0.0.1", 0), 5) as listener:
            where = listener.getsockname()
            socket.create_connection(where, 5).close()

    def test_it_says_that_a_port_is_taken(self):
        with listen(Address("127.0.0.1", 0), 5) as listener:
            port = listener.getsockname()[1]
            with pytest.raises(CannotListen, match=f"127.0.0.1:{port} is taken"):
                listen(Address("127.0.0.1", port), 5)

    @pytest.mark.parametrize("host", ["203.0.113.7", "no-such-host.invalid"])
    def test_it_says_that_an_address_is_another_machines(self, host):
        with pytest.raises(CannotListen, match="no address of this machine"):
            listen(Address(host, 0), 5)

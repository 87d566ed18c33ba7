from __future__ import annotations

import pytest

from servers.discovery.own import look_here, own_addresses
from tests.servers.discovery.cases import case


class OwnTests:
    def test_it_knows_every_address_the_machine_carries(self, printing):
        printing("ip", case("14")["input"]["ip_o_addr"])
        assert own_addresses() == {
            "127.0.0.1",
            "192.168.77.2",
            "192.168.78.2",
            "10.77.8.66",
            "fe80::1",
            "172.30.0.1",
            "192.168.77.3",
        }

    def test_it_asks_for_its_own_name_where_ip_says_nothing(self, program):
        program("ip", "exit 1")
        assert isinstance(own_addresses(), frozenset)

    @pytest.mark.parametrize(
        ("address", "host", "port"),
        [
            ("127.0.0.1:8710", "127.0.0.1", 8710),
            ("[::]:8710", "::", 8710),
            ("hub.lan:80", "hub.lan", 80),
            ("nonsense", "", 0),
        ],
    )
    def test_it_knows_where_the_hub_listens(self, address, host, port):
        here = look_here(address)
        assert (here.hub_host, here.hub_port) == (host, port)


class HubTests:
    def test_a_hub_on_every_address_is_never_offered(self, printing):
        printing("ip", case("14")["input"]["ip_o_addr"])
        here = look_here("[::]:8710")
        for host in ("127.0.0.1", "::1", "192.168.77.2"):
            assert here.is_hub(host, 8710)
        assert not here.is_hub("192.168.77.9", 8710)
        assert not here.is_hub("127.0.0.1", 8080)

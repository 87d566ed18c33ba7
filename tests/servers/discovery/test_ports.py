from __future__ import annotations

import pytest

from servers.discovery.ports import DEFAULT_PORTS, parse_ports
from servers.errors import AddressError


class PortTests:
    def test_there_are_twenty_with_a_reason_each(self):
        assert len(DEFAULT_PORTS) == 20
        assert all(DEFAULT_PORTS.values())
        first = (11434, 1234, 5001, 1337, 4891, 8080, 5000, 8000, 3000, 8081, 5002)
        assert tuple(DEFAULT_PORTS)[:12] == (*first, 52415)

    def test_it_takes_the_default_ones_when_none_is_named(self):
        assert parse_ports([]) == tuple(DEFAULT_PORTS)

    def test_it_takes_named_ones_in_order_once_each(self):
        assert parse_ports(["9000", "80,9000", " 81 "]) == (9000, 80, 81)

    def test_all_adds_every_familys_own(self):
        ports = parse_ports(["all"], [8080, 40114])
        assert ports == (*DEFAULT_PORTS, 40114)

    @pytest.mark.parametrize("text", ["0", "70000", "-1", "", "80-90", "http", "8e1"])
    def test_it_refuses_what_is_no_port(self, text):
        with pytest.raises(AddressError):
            parse_ports([text])

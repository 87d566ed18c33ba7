from __future__ import annotations

import pytest

from servers.discovery.interfaces import (
    read_addresses,
    read_default_device,
    read_neighbours,
)
from tests.servers.discovery.cases import case


class AddressTests:
    def test_it_reads_names_peers_and_labels(self):
        carried = read_addresses(case("14")["input"]["ip_o_addr"])
        assert [(one.device, one.address, str(one.network)) for one in carried] == [
            ("lo", "127.0.0.1", "127.0.0.0/8"),
            ("eth0", "192.168.77.2", "192.168.77.0/24"),
            ("eth0.5", "192.168.78.2", "192.168.78.0/28"),
            ("tun0", "10.77.8.66", "10.77.8.65/32"),
            ("veth1", "fe80::1", "fe80::/64"),
            ("br-aa", "172.30.0.1", "172.30.0.0/16"),
            ("eth0", "192.168.77.3", "192.168.77.0/24"),
        ]
        assert [one.device for one in carried if one.is_peer] == ["tun0"]
        assert [one.device for one in carried if one.is_bridge] == ["br-aa"]

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "garbage",
            "1: lo",
            "1: lo inet",
            "1: lo inet x/y",
            "\x00\\\\",
            "a b inet",
        ],
    )
    def test_it_passes_over_what_it_cannot_read(self, text):
        assert read_addresses(text) == []


class RouteTests:
    def test_it_reads_the_first_default_routes_interface(self):
        text = "default via 10.0.0.1 dev wlan0 proto dhcp metric 600 \ndefault dev eth0"
        assert read_default_device(text) == "wlan0"

    @pytest.mark.parametrize("text", ["", "default", "default dev", "10.0.0.0/8 dev x"])
    def test_it_reads_nothing_from_the_rest(self, text):
        assert read_default_device(text) == ""


class NeighbourTests:
    def test_it_takes_those_with_a_link_layer_address(self):
        text = (
            "192.168.77.9 dev eth0 lladdr 02:00:00:00:00:05 REACHABLE\n"
            "192.168.77.10 dev eth0 FAILED\n"
            "192.168.77.11 dev eth0  INCOMPLETE\n"
            "fe80::5 dev eth0 lladdr 02:00:00:00:00:05 router STALE\n"
            "fd00::7 dev eth0.5@eth0 lladdr 02:00:00:00:00:06 DELAY\n"
            "nonsense lladdr\n"
            "x dev eth0 lladdr 02:00:00:00:00:05 STALE\n"
        )
        assert [one.address for one in read_neighbours(text)] == [
            "192.168.77.9",
            "fe80::5%eth0",
            "fd00::7",
        ]

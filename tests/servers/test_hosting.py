"""Three rungs, decided on the real address."""

from __future__ import annotations

import ipaddress

import pytest

from servers.hosting import Hosting, most_public, never_a_target, place, rung_of


class RungTests:
    @pytest.mark.parametrize(
        ("address", "rung"),
        [
            ("127.0.0.1", "loopback"),
            ("127.9.9.9", "loopback"),
            ("::1", "loopback"),
            ("::ffff:127.0.0.1", "loopback"),
            ("::ffff:7f00:1", "loopback"),
            ("10.1.2.3", "lan"),
            ("172.31.255.255", "lan"),
            ("192.168.0.1", "lan"),
            ("::ffff:192.168.0.1", "lan"),
            ("fd00::1", "lan"),
            ("fe80::1%eth0", "lan"),
            ("172.32.0.1", "global"),
            ("100.64.0.1", "global"),
            ("198.51.100.7", "global"),
            ("198.18.0.1", "global"),
            ("8.8.8.8", "global"),
            ("2001:db8::1", "global"),
            ("64:ff9b::a00:1", "global"),
        ],
    )
    def test_it_classifies_an_address(self, address, rung):
        assert rung_of(ipaddress.ip_address(address)) == rung

    def test_it_counts_shared_addresses_as_lan_where_a_setting_says_so(self):
        shared = ipaddress.ip_address("100.100.1.1")
        assert rung_of(shared, cgnat_is_lan=True) is Hosting.LAN

    @pytest.mark.parametrize("stored", ["", None, "local", 3, "LAN"])
    def test_it_reads_an_unknown_value_as_global(self, stored):
        assert Hosting.read(stored) is Hosting.GLOBAL

    def test_it_is_as_public_as_its_most_public_address(self):
        assert most_public([Hosting.LOOPBACK, Hosting.GLOBAL, Hosting.LAN]) == "global"
        assert most_public([]) is Hosting.GLOBAL


class NeverATargetTests:
    @pytest.mark.parametrize(
        "address",
        [
            "0.0.0.0",
            "::",
            "::ffff:0.0.0.0",
            "169.254.169.254",
            "::ffff:169.254.169.254",
            "224.0.0.1",
            "255.255.255.255",
            "ff02::1",
            "fe80::1",
        ],
    )
    def test_it_gives_a_reason(self, address):
        assert never_a_target(ipaddress.ip_address(address))

    @pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "fe80::1%eth0"])
    def test_it_lets_hosts_pass(self, address):
        assert not never_a_target(ipaddress.ip_address(address))


class PlaceTests:
    def test_it_places_a_literal(self):
        assert place("127.0.0.1").addresses == ("127.0.0.1",)
        assert place("127.0.0.1").hosting is Hosting.LOOPBACK

    def test_it_gives_metadata_services_no_address(self):
        placed = place("169.254.169.254")
        assert placed.addresses == ()
        assert placed.hosting is Hosting.GLOBAL

    def test_it_counts_an_unresolvable_name_as_global(self):
        assert place("no-such-host.invalid").hosting is Hosting.GLOBAL

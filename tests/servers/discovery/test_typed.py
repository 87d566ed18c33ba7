from __future__ import annotations

import pytest

from servers.discovery.typed import parse_network, parse_typed_host
from servers.errors import AddressError
from tests.servers.discovery.cases import case


def refusal(text: str, read=parse_network) -> str:
    with pytest.raises(AddressError) as caught:
        read(text)
    return str(caught.value)


class NetworkTests:
    @pytest.mark.parametrize(
        ("typed", "count"),
        list(
            zip(
                case("17")["input"]["typed"],
                case("17")["checks"]["counts"],
                strict=True,
            )
        ),
    )
    def test_it_counts_the_hosts_of_tiny_networks(self, typed, count):
        assert len(parse_network(typed).hosts) == count

    @pytest.mark.parametrize("typed", case("16")["input"]["typed"][:2])
    def test_it_corrects_host_bits_and_says_so(self, typed):
        network = parse_network(typed)
        assert str(network.network) == "192.168.77.64/28"
        assert network.corrected

    def test_it_reads_an_address_as_one_host(self):
        assert parse_network("192.168.77.67").hosts == ["192.168.77.67"]

    @pytest.mark.parametrize("typed", case("16")["input"]["typed"][3:8])
    def test_it_refuses_what_it_cannot_read_in_a_sentence(self, typed):
        assert refusal(typed).endswith(".")
        assert typed not in refusal(typed)

    def test_it_reads_mapped_addresses_as_the_ipv4_they_reach(self):
        network = parse_network("::ffff:192.168.77.0/120")
        assert str(network.network) == "192.168.77.0/24"

    @pytest.mark.parametrize(
        "typed",
        [
            "10.0.0.0/8",
            "10.0.0.0/255.0.0.0",
            "10.0.0.0/0.255.255.255",
            "192.168.0.0/23",
            "192.168.77.53/0",
            "0.0.0.0/0",
            "::/0",
            "fd00::/64",
            "fd00::/119",
            "::ffff:10.0.0.0/104",
        ],
    )
    def test_it_refuses_what_is_wider_than_a_24(self, typed):
        assert "wider than a /" in refusal(typed)

    @pytest.mark.parametrize(
        "typed",
        ["192.168.77.0/24", "192.168.77.0/255.255.255.0", "192.168.77.0/0.0.0.255"],
    )
    def test_it_takes_a_24_in_every_spelling(self, typed):
        assert len(parse_network(typed).hosts) == 254

    def test_it_takes_as_many_addresses_in_ipv6(self):
        assert len(parse_network("fd00::/120").hosts) == 255

    @pytest.mark.parametrize(
        "typed", ["8.8.8.0/24", "203.0.113.0/28", "2600::/126", "100.64.0.0/24"]
    )
    def test_it_never_sweeps_a_public_range(self, typed):
        assert "public range" in refusal(typed)

    def test_it_takes_carrier_grade_nat_where_the_setting_says_lan(self):
        assert parse_network("100.64.0.0/30", cgnat_is_lan=True).hosts

    @pytest.mark.parametrize(
        "typed", ["169.254.169.0/24", "224.0.0.0/30", "255.255.255.255", "fe80::/120"]
    )
    def test_it_refuses_what_is_never_a_target(self, typed):
        assert refusal(typed)

    @pytest.mark.parametrize(
        "typed", ["fe80::1%eth0/128", "", "/", "/24", "lan", "10.0.0.0/33", "1/2/3"]
    )
    def test_it_refuses_what_is_no_network(self, typed):
        assert refusal(typed)

    def test_it_echoes_no_password(self):
        assert "hunter2" not in refusal("me:hunter2@10.0.0.0/24")


class HostTests:
    def test_localhost_means_both_loopback_addresses(self):
        for typed in ("localhost", "LOCALHOST", case("20")["input"]["typed"]):
            assert parse_typed_host(typed).hosts == ("127.0.0.1", "::1")
        assert parse_typed_host(case("20")["input"]["typed"]).port == 11434

    @pytest.mark.parametrize(
        ("typed", "host", "port"),
        [
            ("192.168.77.5", "192.168.77.5", None),
            (" 192.168.77.5:8080 ", "192.168.77.5", 8080),
            ("http://192.168.77.5", "192.168.77.5", None),
            ("https://box.lan:8443/", "box.lan", 8443),
            ("Box.LAN.", "box.lan", None),
            ("::1", "::1", None),
            ("[fd00::5]:8080", "fd00::5", 8080),
            ("FD00:0:0::5", "fd00::5", None),
            ("fe80::1%eth0", "fe80::1%eth0", None),
            ("::ffff:192.168.77.5", "192.168.77.5", None),
            ("8.8.8.8", "8.8.8.8", None),
        ],
    )
    def test_it_reads_a_host_in_every_form(self, typed, host, port):
        read = parse_typed_host(typed)
        assert (read.hosts, read.port) == ((host,), port)

    @pytest.mark.parametrize(
        "typed",
        [
            "",
            "http://box/api",
            "192.168.77.0/24",
            "box:0",
            "box:70000",
            "http://box:99999",
            "-oProxyCommand=x",
            "127.1",
            "0x7f000001",
            "0.0.0.0",
            "::",
            "169.254.169.254",
            "::ffff:169.254.169.254",
            "fe80::1",
            "224.0.0.1",
            "a b",
            "ftp://box",
        ],
    )
    def test_it_refuses_the_rest_in_a_sentence(self, typed):
        assert refusal(typed, parse_typed_host)

    @pytest.mark.parametrize("typed", ["me:hunter2@box", "http://me:hunter2@box:80"])
    def test_it_refuses_a_password_and_does_not_echo_it(self, typed):
        assert "hunter2" not in refusal(typed, parse_typed_host)

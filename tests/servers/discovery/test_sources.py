from __future__ import annotations

import pytest

from servers.discovery.gather import SOURCES, Chosen, gather, parse_source
from servers.discovery.sources import (
    host,
    libvirt,
    loopback,
    neighbours,
    network,
    networks,
    ssh_networks,
)
from servers.discovery.targets import Ask, Found, Here
from servers.errors import AddressError
from tests.servers.discovery.cases import case

ASK = Ask((8080, 11434))
ONE = Ask((8080,))


def hosts(found: Found) -> list[str]:
    return list(dict.fromkeys(target.host for target in found.targets))


def aside(found: Found) -> dict[str, str]:
    return {one.note: one.reason for one in found.unprobed}


class LoopbackTests:
    def test_it_asks_both_addresses_host_by_host(self):
        found = loopback.find(ASK)
        asked = [(target.host, target.port) for target in found.targets]
        assert asked[:2] == [("127.0.0.1", 8080), ("127.0.0.1", 11434)]
        assert set(hosts(found)) <= {"127.0.0.1", "::1"}


class TypedTests:
    def test_a_network_is_asked_host_by_host_and_named(self):
        found = network.find(Ask((1, 2), "192.168.77.67/30"))
        asked = [(target.host, target.port) for target in found.targets]
        assert asked == [
            ("192.168.77.65", 1),
            ("192.168.77.65", 2),
            ("192.168.77.66", 1),
            ("192.168.77.66", 2),
        ]
        assert found.targets[0].note == "read as 192.168.77.64/30"

    def test_a_host_is_asked_on_its_own_port_where_it_names_one(self):
        found = host.find(Ask((1, 2), "http://localhost:11434"))
        assert [(t.host, t.port, t.note) for t in found.targets] == [
            ("127.0.0.1", 11434, "localhost"),
            ("::1", 11434, "localhost"),
        ]


class NetworksTests:
    def test_it_offers_what_the_machine_carries(self, printing):
        printing("ip", case("14")["input"]["ip_o_addr"])
        found = networks.find(ONE)
        offered = {target.note.split()[0] for target in found.targets}
        assert offered == {*case("14")["checks"]["networks"], "10.77.8.65/32"}
        assert len(found.targets) == 254 + 14 + 1
        assert aside(found) == {
            "172.30.0.0/16 br-aa (bridge)": (
                "wider than a /24, not swept; its neighbours are offered instead"
            )
        }

    def test_it_offers_the_neighbours_of_a_wide_network_instead(self, program):
        addr = "2: eth0    inet 10.1.2.3/16 brd 10.1.255.255 scope global eth0"
        neigh = "10.1.7.7 dev eth0 lladdr 02:00:00:00:00:01 STALE"
        program("ip", f'case "$*" in *neigh*) echo "{neigh}";; *) echo "{addr}";; esac')
        assert hosts(networks.find(ONE)) == ["10.1.7.7"]

    def test_it_puts_the_default_routes_network_first(self, program):
        addr = (
            "2: eth0 inet 10.1.2.3/30 scope global eth0\n"
            "3: wlan0 inet 10.9.2.2/30 scope global wlan0"
        )
        route = "default via 10.9.2.1 dev wlan0"
        program("ip", f'case "$*" in *route*) echo "{route}";; *) echo "{addr}";; esac')
        assert hosts(networks.find(ONE))[0] == "10.9.2.1"

    def test_it_lists_a_public_range_and_does_not_sweep_it(self, printing):
        printing("ip", "2: eth0 inet 203.0.113.7/28 scope global eth0")
        found = networks.find(ONE)
        assert found.targets == ()
        assert aside(found) == {
            "203.0.113.0/28 eth0": "a public range, never swept",
        }

    def test_it_says_why_there_is_nothing(self, printing):
        printing("ip", "")
        assert networks.find(ONE).problem == "this machine carries no network"

    @pytest.mark.parametrize("text", [b"\xff\xfe garbage", b"1: lo inet\n" * 9])
    def test_it_never_fails_on_what_is_printed(self, printing, text):
        printing("ip", text)
        assert networks.find(ONE).targets == ()

    def test_it_passes_a_complaint_on(self, program):
        program("ip", "echo 'Cannot open netlink' >&2; exit 1")
        assert networks.find(ONE).problem == "Cannot open netlink"


class NeighbourTests:
    def test_it_offers_those_that_have_spoken_whatever_their_rung(self, printing):
        printing(
            "ip",
            "192.168.77.9 dev eth0 lladdr 02:00:00:00:00:05 REACHABLE\n"
            "203.0.113.9 dev eth0 lladdr 02:00:00:00:00:05 STALE\n"
            "192.168.77.10 dev eth0 FAILED\n"
            "169.254.169.254 dev eth0 lladdr 02:00:00:00:00:05 STALE\n",
        )
        assert hosts(neighbours.find(ONE)) == ["192.168.77.9", "203.0.113.9"]

    def test_it_says_when_nobody_has_spoken(self, printing):
        printing("ip", "192.168.77.10 dev eth0 FAILED\n")
        assert neighbours.find(ONE).problem == "no neighbour has spoken yet"


class RemoteNetworkTests:
    def test_it_reads_the_networks_there_and_leaves_bridges_alone(self, printing):
        calls = printing("ssh", case("14")["input"]["ip_o_addr"])
        found = ssh_networks.find(Ask((8080,), "box"))
        assert len(found.targets) == 254 + 14 + 1
        assert found.targets[0].note == "box: 192.168.77.0/24 eth0"
        assert "a bridge inside box" in aside(found)["box: 172.30.0.0/16 br-aa"]
        call = calls.read_text()
        assert "BatchMode=yes" in call
        assert call.endswith(" -- box ip -o -4 addr\n")

    @pytest.mark.parametrize("alias", ["", "-oProxyCommand=touch x", "a\nb"])
    def test_it_takes_no_alias_that_is_an_option(self, printing, alias):
        calls = printing("ssh", "")
        assert ssh_networks.find(Ask((8080,), alias)).problem
        assert not calls.exists()

    def test_it_passes_sshs_own_words_on(self, program):
        program("ssh", "echo 'Permission denied (publickey).' >&2; exit 255")
        problem = ssh_networks.find(Ask((8080,), "box")).problem
        assert problem == "box: Permission denied (publickey)."


LIST = """ Id   Name             State
--------------------------------
 1    web              running
 -    old one          shut off
"""


def virsh(program, *, domains: str, outputs: dict[str, str]):
    ways = "\n".join(
        f"*{way}*) cat <<'EOF'\n{text}EOF\n;;" for way, text in outputs.items()
    )
    return program(
        "virsh", f"case \"$*\" in list*) cat <<'EOF'\n{domains}EOF\n;;\n{ways}\nesac"
    )


class LibvirtTests:
    def test_it_takes_the_addresses_of_three_places_once_each(self, program):
        calls = virsh(program, domains=LIST, outputs=case("13")["input"]["outputs"])
        found = libvirt.find(ONE)
        assert hosts(found) == case("13")["checks"]["addresses"]
        assert found.targets[0].note == "web"
        assert aside(found) == {"old one": "shut off"}
        assert "-- web" in calls.read_text()

    def test_it_reads_a_list_in_another_language(self, program):
        german = LIST.replace("State", "Status").replace("running", "laufend")
        virsh(program, domains=german, outputs=case("13")["input"]["outputs"])
        assert hosts(libvirt.find(ONE)) == ["192.168.77.53"]

    def test_it_lists_a_running_domain_without_an_address(self, program):
        virsh(program, domains=LIST, outputs={})
        assert aside(libvirt.find(ONE))["web"] == "running, no address known"

    def test_a_domain_named_like_an_option_stays_a_name(self, program):
        hostile = " Id Name State\n 3    --help    running\n"
        calls = virsh(program, domains=hostile, outputs={})
        libvirt.find(ONE)
        assert "domifaddr --source lease -- --help" in calls.read_text()

    def test_it_ends_a_virsh_that_prints_a_gigabyte(self, program):
        program("virsh", "exec yes")
        assert "printed more than" in libvirt.find(ONE).problem

    def test_it_says_when_there_is_no_virsh(self, monkeypatch):
        monkeypatch.setenv("PATH", "/nonexistent")
        assert libvirt.find(ONE).problem == "virsh is not installed here"

    def test_it_passes_a_complaint_on(self, program):
        program("virsh", "echo 'error: failed to connect' >&2; exit 1")
        assert libvirt.find(ONE).problem == "error: failed to connect"


class ChosenTests:
    @pytest.mark.parametrize(
        ("text", "chosen"),
        [
            ("loopback", Chosen("loopback")),
            ("SSH_tunnels", Chosen("ssh-tunnels")),
            ("ssh-networks:box", Chosen("ssh-networks", "box")),
            ("ssh-networks box", Chosen("ssh-networks", "box")),
            ("network:10.0.0.0/30", Chosen("network", "10.0.0.0/30")),
        ],
    )
    def test_it_reads_names_and_arguments(self, text, chosen):
        assert parse_source(text) == chosen

    @pytest.mark.parametrize(
        "text", ["", "nmap", "network", "host", "ssh-networks", "loopback:x"]
    )
    def test_it_refuses_the_rest(self, text):
        with pytest.raises(AddressError):
            parse_source(text)

    def test_every_file_of_the_folder_is_a_source(self):
        assert set(SOURCES) == {
            "loopback",
            "network",
            "host",
            "networks",
            "neighbours",
            "ssh",
            "ssh-tunnels",
            "ssh-networks",
            "libvirt",
        }

    def test_it_gathers_each_chosen_source_once(self):
        plan = gather([Chosen("loopback")] * 2, (8080,), Here())
        assert plan.count("loopback") == len(plan.targets)

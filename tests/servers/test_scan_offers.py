from __future__ import annotations

import pytest

from servers.discovery.ports import DEFAULT_PORTS
from servers.errors import AddressError
from servers.scan_offers import Choice, RetypeNeeded, aliases, offers, plan_of

ADDRESSES = (
    "1: lo inet 127.0.0.1/8 scope host lo\n"
    "2: eth0 inet 10.7.7.2/29 scope global eth0\n"
    "3: wide0 inet 10.9.0.1/16 scope global wide0\n"
    "4: pub0 inet 203.0.113.7/28 scope global pub0\n"
    "5: virbr0 inet 192.168.122.1/30 scope global virbr0\n"
)
NEIGHBOURS = "10.7.7.3 dev eth0 lladdr 02:00:00:00:00:05 REACHABLE"


@pytest.fixture
def machine(program, home):
    """A machine with networks of every kind and one neighbour."""
    return program(
        "ip",
        f"case \"$*\" in neigh) echo '{NEIGHBOURS}';; *route*) ;; "
        f"*) printf '{ADDRESSES}';; esac",
    )


class OfferTests:
    def test_it_offers_what_may_be_swept_and_says_why_not_the_rest(self, machine):
        found = {offer.value: offer for offer in offers()}
        assert found["loopback"].checked
        assert found["network:10.7.7.0/29"].detail == "eth0 · 6 addresses"
        assert found["network:192.168.122.0/30"].detail.startswith("virbr0, a bridge")
        wide = found["network:10.9.0.0/16"]
        assert wide.why_not == "wider than a /24, not swept"
        public = found["network:203.0.113.0/28"]
        assert public.why_not == "a public range, never swept"
        assert found["neighbours"].detail == "1"
        assert found["ssh"].why_not

    def test_it_counts_ssh_hosts_and_runs_nothing(self, machine, home, printing):
        (home / ".ssh" / "config").write_text("Host a b\nMatch exec x\n Port 1\n")
        calls = printing("ssh", "hostname a\n")
        found = {offer.value: offer for offer in offers()}
        assert found["ssh"].detail == "2, runs commands of Match exec"
        assert found["ssh-tunnels"].why_not == ""
        assert aliases() == ("a", "b")
        assert not calls.exists()

    def test_it_says_that_there_is_no_neighbour(self, printing, home):
        printing("ip", "")
        found = {offer.value: offer for offer in offers()}
        assert found["neighbours"].why_not == "no neighbour has spoken yet"
        assert found["networks"].why_not == "this machine carries no network"


class PlanTests:
    def test_it_makes_one_plan_of_what_was_chosen(self, machine):
        plan = plan_of(Choice(("network:10.7.7.0/29", "neighbours")))
        hosts = {target.host for target in plan.targets}
        assert hosts == {f"10.7.7.{n}" for n in (1, 3, 4, 5, 6)}
        assert len(plan.targets) == 5 * len(DEFAULT_PORTS)

    def test_a_network_of_one_public_address_is_a_public_host(self, machine):
        with pytest.raises(RetypeNeeded) as caught:
            plan_of(Choice(typed="203.0.113.9/32"))
        assert caught.value.host == "203.0.113.9"
        plan = plan_of(Choice(typed="203.0.113.9/32", retyped="203.0.113.9"))
        assert {target.host for target in plan.targets} == {"203.0.113.9"}

    def test_a_private_host_is_typed_once(self, machine):
        assert plan_of(Choice(typed="10.7.7.9:8080")).targets

    def test_names_and_refusals_go_the_same_road(self, machine):
        assert plan_of(Choice(typed="localhost")).targets
        with pytest.raises(AddressError):
            plan_of(Choice(typed="10.0.0.0/8"))

    def test_the_networks_of_another_machine_are_read_there(self, machine, printing):
        printing("ssh", "2: eth0 inet 10.8.8.2/30 scope global eth0")
        plan = plan_of(Choice(remote="box"))
        assert {target.host for target in plan.targets} == {"10.8.8.1", "10.8.8.2"}
        assert plan.targets[0].note == "box: 10.8.8.0/30 eth0"

from __future__ import annotations

from servers.discovery.targets import Found, Here, Target, make_plan

HERE = Here(frozenset({"127.0.0.1", "192.168.77.2"}), "127.0.0.1", 8710)


def plan(*targets: Target, here: Here = HERE):
    return make_plan([(target.source, Found((target,))) for target in targets], here)


class PlanTests:
    def test_it_asks_each_place_once_and_keeps_both_names(self):
        made = plan(
            Target("mybox", 8080, "ssh", "MyBox"), Target("mybox", 8080, "ssh", "mybox")
        )
        assert made.targets == (Target("mybox", 8080, "ssh", "MyBox, mybox"),)

    def test_a_tunnel_that_is_asked_anyway_still_says_how_to_open_it(self):
        made = plan(
            Target("127.0.0.1", 8080, "loopback"),
            Target("127.0.0.1", 8080, "ssh-tunnels", "work", "not open"),
        )
        assert made.targets[0].closed == "not open"
        assert made.targets[0].note == "work"

    def test_it_does_not_repeat_a_name(self):
        made = plan(*[Target("10.0.0.1", 80, "ssh", "box")] * 2)
        assert made.targets[0].note == "box"

    def test_it_does_not_offer_own_addresses(self):
        made = plan(Target("192.168.77.2", 80, "networks"))
        assert made.targets == ()
        assert made.count("networks") == 0

    def test_it_offers_the_loopback_and_what_was_named(self):
        assert plan(Target("127.0.0.1", 80, "loopback")).targets
        assert plan(Target("192.168.77.2", 80, "host")).targets

    def test_it_never_offers_the_hub_itself(self):
        for host in ("127.0.0.1", "127.0.0.2"):
            here = Here(HERE.addresses, "0.0.0.0", 8710)
            assert plan(Target(host, 8710, "host"), here=here).targets == ()
        assert plan(Target("127.0.0.1", 8710, "loopback")).targets == ()

    def test_it_offers_the_hubs_port_elsewhere(self):
        assert plan(Target("192.168.77.9", 8710, "host")).targets
        assert plan(Target("::1", 8710, "loopback")).targets

    def test_it_keeps_the_problems_of_a_source_asked_twice(self):
        found = [("network", Found(problem="one")), ("network", Found(problem="two"))]
        assert make_plan(found, HERE).sources["network"].problem == "one; two"

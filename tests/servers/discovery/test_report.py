from __future__ import annotations

import json

from servers.addresses import Origin
from servers.discovery.report import Report, list_json
from servers.discovery.search import Ended, Progress, Sighting
from servers.discovery.targets import Found, Here, Target, Unprobed, make_plan
from servers.family import Kind, State
from servers.identity import Identity

TARGET = Target("10.0.0.5", 8080, "ssh", "box")
FOUND = Found((TARGET,), (Unprobed("far", "reachable only through hop"),), "a problem")
PLAN = make_plan([("ssh", FOUND)], Here())


def sighting(order: int, kind: Kind = Kind.LLM) -> Sighting:
    origin = Origin("http", "10.0.0.5", 8080 + order)
    family = "x" if kind is Kind.LLM else None
    return Sighting(
        order,
        TARGET,
        origin,
        Identity(kind, family, "X", "1", State.READY, origin=origin),
    )


class ReportTests:
    def test_it_has_the_keys_that_are_promised(self):
        report = Report(PLAN)
        report.take(sighting(0))
        report.take(sighting(1, Kind.HTTP))
        report.take(Ended(1, 2, 0.5, (Unprobed("box", "not open", "10.0.0.5"),)))
        found = json.loads(json.dumps(report.as_json()))
        assert (found["targets"], found["open"], found["seconds"]) == (1, 2, 0.5)
        assert found["complete"]
        assert [server["port"] for server in found["servers"]] == [8080]
        assert found["unrecognised"] == [
            {"host": "10.0.0.5", "port": 8081, "kind": "http"}
        ]
        source = found["sources"]["ssh"]
        assert (source["targets"], source["problem"]) == (1, "a problem")
        assert source["not_probed"][0]["reason"] == "reachable only through hop"

    def test_a_scan_cut_short_still_has_what_it_found(self):
        report = Report(PLAN)
        report.take(Progress(3, 9, 2, 0.4))
        report.take(sighting(5))
        report.take(sighting(2))
        assert [one.order for one in report.servers] == [2, 5]
        found = report.as_json()
        assert (found["open"], found["seconds"], found["complete"]) == (2, 0.4, False)

    def test_an_empty_one_is_a_document_too(self):
        found = Report(make_plan([], Here())).as_json()
        assert (found["targets"], found["open"], found["servers"]) == (0, 0, [])


class ListTests:
    def test_it_lists_every_target_and_probed_nothing(self):
        found = list_json(PLAN)
        assert found["target_list"] == [
            {"host": "10.0.0.5", "port": 8080, "source": "ssh", "note": "box"}
        ]
        assert (found["open"], found["servers"]) == (0, [])

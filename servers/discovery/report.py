"""What one scan came to, and its JSON shape (keys are stable)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from servers.discovery.search import Ended, Event, Progress, Sighting
from servers.discovery.targets import Found, Plan, Unprobed


@dataclass(slots=True)
class Report:
    """Filled as events come, so that a scan cut short still has what it found."""

    plan: Plan
    sightings: list[Sighting] = field(default_factory=list)
    ended: Ended | None = None
    last: Progress | None = None

    def take(self, event: Event) -> None:
        match event:
            case Sighting():
                self.sightings.append(event)
                self.sightings.sort(key=lambda one: one.order)
            case Progress():
                self.last = event
            case Ended():
                self.ended = event

    @property
    def servers(self) -> list[Sighting]:
        """In the order of the plan, whatever the order they answered in."""
        return [one for one in self.sightings if one.is_server]

    @property
    def unrecognised(self) -> list[Sighting]:
        return [one for one in self.sightings if not one.is_server]

    @property
    def aside(self) -> tuple[Unprobed, ...]:
        """What the scan itself left out; the sources' own lists are the plan's."""
        return self.ended.aside if self.ended else ()

    @property
    def open(self) -> int:
        if self.ended:
            return self.ended.open
        return max(self.last.open if self.last else 0, len(self.sightings))

    @property
    def seconds(self) -> float:
        if self.ended:
            return self.ended.seconds
        return self.last.seconds if self.last else 0.0

    def as_json(self) -> dict[str, Any]:
        return {
            **_counts(self.plan),
            "open": self.open,
            "seconds": round(self.seconds, 3),
            "complete": bool(self.ended and not self.ended.stopped),
            "servers": [one.identity.as_json() for one in self.servers],
            "unrecognised": [
                {
                    "host": one.origin.host,
                    "port": one.origin.port,
                    "kind": str(one.identity.kind),
                }
                for one in self.unrecognised
            ],
            "not_probed": [one.as_json() for one in self.aside],
        }


def list_json(plan: Plan) -> dict[str, Any]:
    """What would be probed. Nothing was."""
    return {
        **_counts(plan),
        "open": 0,
        "seconds": 0.0,
        "servers": [],
        "unrecognised": [],
        "target_list": [target.as_json() for target in plan.targets],
    }


def _counts(plan: Plan) -> dict[str, Any]:
    return {
        "targets": len(plan.targets),
        "sources": {name: _source(found) for name, found in plan.sources.items()},
    }


def _source(found: Found) -> dict[str, Any]:
    return {
        "targets": len(found.targets),
        "problem": found.problem or None,
        "not_probed": [one.as_json() for one in found.unprobed],
    }

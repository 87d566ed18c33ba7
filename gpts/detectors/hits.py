"""A hit: one private span of a text, and how overlapping ones become one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

DOUBTFUL = "possible-"

# Most telling first: where spans overlap, the first of these names the whole.
_ORDER = (
    "private-key",
    "connection",
    "token",
    "card",
    "iban",
    "email",
    "account-path",
    "mac",
    "address",
    "host",
    "name",
)
KINDS = _ORDER


@dataclass(frozen=True, slots=True)
class Hit:
    """Something private at [start, end) of a text.

    `value` is the one spelling of what was found, so that the same address written
    in two ways gets the same placeholder. It is private and stays out of repr.
    """

    kind: str
    start: int
    end: int
    value: str = field(default="", repr=False)

    @property
    def doubtful(self) -> bool:
        return self.kind.startswith(DOUBTFUL)


def _rank(hit: Hit) -> tuple[bool, int]:
    return hit.doubtful, _ORDER.index(hit.kind.removeprefix(DOUBTFUL))


def merge(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """In order of place, overlapping ones joined under the most telling kind."""
    merged: list[Hit] = []
    for hit in sorted(hits, key=lambda hit: (hit.start, hit.end)):
        if merged and hit.start < merged[-1].end:
            merged[-1] = _join(merged[-1], hit)
        else:
            merged.append(hit)
    return tuple(merged)


def _join(left: Hit, right: Hit) -> Hit:
    best = min(left, right, key=_rank)
    start, end = min(left.start, right.start), max(left.end, right.end)
    if (start, end) == (best.start, best.end):
        return best
    # The joined span says more than the best one's own value.
    return replace(best, start=start, end=end, value="")

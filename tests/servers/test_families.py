"""Every capture against every family's marks: no foreign mark fires."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from servers.evidence import Evidence
from servers.ladder import ORDER, QUESTIONS, families
from servers.manners import HEALTH, is_forbidden
from servers.marks import Verdict
from servers.wire import Reply
from tests.fakes import capture, captures, expected

SLUGS = {family.slug for family in families()}
# What every family may ask at all, so that a guard's path counts as answered.
EVERY_PATH = sorted(
    set(QUESTIONS).union(
        *(family.paths | family.asked_when_named for family in families())
    )
)


def evidence_of(name: str) -> Evidence:
    """A capture as if every path had been asked of it."""
    responses = capture(name)["responses"]
    missing = responses.get("*", {"status": 404, "body": ""})
    replies = []
    for path in EVERY_PATH:
        answer = responses.get(path, missing)
        headers = {k.lower(): v for k, v in (answer.get("headers") or {}).items()}
        body = (answer.get("body") or "").encode()
        replies.append(Reply(path, answer["status"], headers, body))
    return Evidence().with_reply(*replies)


def firing(name: str) -> Iterator[str]:
    """The slugs whose marks agree with a capture."""
    evidence = evidence_of(name)
    for family in families():
        if any(mark.judged(evidence) is Verdict.AGREES for mark in family.marks):
            yield family.slug


class CrossMatrixTests:
    @pytest.mark.parametrize("name", captures())
    def test_it_lets_no_foreign_mark_fire(self, name: str) -> None:
        right = set(expected()[name]["family"])
        assert set(firing(name)) <= right

    @pytest.mark.parametrize("name", captures())
    def test_it_has_a_mark_of_its_own_for_each_named_capture(self, name: str) -> None:
        right = expected()[name]["family"]
        assert set(firing(name)) & set(right) or None in right


class DeclarationTests:
    def test_it_has_every_slug_that_a_capture_expects(self) -> None:
        wanted = {slug for row in expected().values() for slug in row["family"] if slug}
        assert wanted | {"openai", "bifrost", "nexa"} == SLUGS

    def test_it_orders_every_declared_family_once(self) -> None:
        assert len(set(ORDER)) == len(ORDER) == len(families())
        assert [family.slug for family in families()] == list(ORDER)

    def test_it_has_a_capture_or_a_case_for_every_family(self) -> None:
        seen = {slug for row in expected().values() for slug in row["family"]}
        # By host name; and two whose answers stand in test_ladder.py.
        assert SLUGS - seen == {"openai", "bifrost", "nexa"}

    @pytest.mark.parametrize("family", families(), ids=lambda family: family.slug)
    def test_it_declares_source_ports_and_look_alikes(self, family) -> None:
        assert family.source and family.ports and family.look_alikes
        assert all(0 < port < 65536 for port in family.ports)
        assert family.api_root is None or family.api_root == family.api_root.rstrip("/")

    @pytest.mark.parametrize("family", families(), ids=lambda family: family.slug)
    def test_it_asks_nothing_that_costs_anybody_anything(self, family) -> None:
        assert not [path for path in family.paths if is_forbidden(path)]
        later = family.asked_when_named | set(family.claim_paths)
        assert not [path for path in later if is_forbidden(path, health=True)]

    def test_it_leaves_health_alone_where_health_is_work(self) -> None:
        for slug in ("sglang", "litellm", "sglang_router"):
            family = next(one for one in families() if one.slug == slug)
            assert HEALTH not in family.asked_when_named | set(family.claim_paths)

    def test_it_asks_no_stranger_for_health(self) -> None:
        assert HEALTH not in QUESTIONS
        assert not [family.slug for family in families() if HEALTH in family.paths]

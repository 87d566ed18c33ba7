"""Every case of tests/cases/streaming, replayed byte for byte."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from chat.turn import Ending, Outcome
from tests.chat.backends.asking import Asked, ask
from tests.chat.backends.upstream_fake import Reply, reply

CASES = sorted((Path(__file__).parents[2] / "cases" / "streaming").glob("*.json"))
ENDINGS = {
    "complete": {Ending.COMPLETED},
    "complete-empty": {Ending.COMPLETED},
    "error": {Ending.FAILED},
    "truncated": {Ending.FAILED},
    "cut": {Ending.FAILED},
}


def replay(response: dict[str, Any]) -> Reply:
    parts = [
        base64.b64decode(part["b64"]) if "b64" in part else part["text"].encode()
        for part in response["parts"]
    ]
    headers = {k.replace("-", "_"): v for k, v in response["headers"].items()}
    cut = response["end"] != "clean"
    return reply(*parts, status=response["status"], cut=cut, **headers)


def answers() -> list[Any]:
    found = []
    for path in CASES:
        case = json.loads(path.read_text())
        given = case["input"].get("responses") or [case["input"]["response"]]
        for number, response in enumerate(given):
            name = f"{path.stem}-{number}"
            found.append(pytest.param(response, case.get("checks") or {}, id=name))
    return found


def facts(outcome: Outcome) -> dict[str, Any]:
    """The outcome in the words of the cases."""
    tool = outcome.tools[0] if outcome.tools else None
    return {
        "text": outcome.text,
        "reasoning": outcome.reasoning.strip(),
        "finish": outcome.finish_reason,
        "model": outcome.model,
        "usage": [outcome.usage.prompt_tokens, outcome.usage.completion_tokens],
        "tool": [tool.name, tool.arguments] if tool else None,
    }


class StreamingCaseTests:
    @pytest.mark.parametrize(("response", "checks"), answers())
    def test_it_reads_each_case_as_expected(self, response, checks):
        asked = ask(replay(response))
        outcome = asked.outcome

        found = facts(outcome)
        wanted = {name: checks[name] for name in found if name in checks}
        assert {name: found[name] for name in wanted} == wanted
        names = checks.get("outcome_any") or [checks.get("outcome")]
        endings = set().union(*(ENDINGS.get(name, set()) for name in names))
        assert outcome.ending in (endings or set(Ending))
        assert checks.get("error_contains", "") in outcome.error
        assert "wait_seconds" not in checks or outcome.ending is Ending.RATE_LIMITED
        self.assert_it_is_honest(asked, response["status"])

    @staticmethod
    def assert_it_is_honest(asked: Asked, status: int) -> None:
        """What holds for every answer whatever: numbers, one send, one short line."""
        outcome = asked.outcome
        assert [e.number for e in asked.events] == [*range(1, len(asked.events) + 1)]
        assert status != 200 or len(asked.seen) == 1
        refused = len(asked.seen) == 1 and status >= 400
        assert not (outcome.ending is Ending.COMPLETED and refused)
        assert "127.0.0.1" not in outcome.error
        assert len(outcome.error.splitlines()) <= 1
        assert len(outcome.error) <= 500

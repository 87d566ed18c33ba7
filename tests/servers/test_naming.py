"""A typed model name means the very model, or nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from servers.naming import Match, match_model

CASE = (
    Path(__file__).parent.parent / "cases/capabilities/13-model-name-with-suffixes.json"
)
LISTED = json.loads(CASE.read_text())["input"]["listed"]


class MatchTests:
    @pytest.mark.parametrize(
        ("asked", "family", "match"),
        [
            ("m", "lmstudio", Match(None, ("m@q4_k_m", "m@q8_0"))),
            ("n", "ollama", Match("n:latest")),
            ("n", "vllm", Match(None, ("n:latest", "n:7b"))),
            ("n", None, Match(None, ("n:latest", "n:7b"))),
            ("o", "vllm", Match(None, ("org/o",))),
            ("N", "ollama", Match(None, ("n:latest", "n:7b"))),
            ("org/o", "vllm", Match("org/o")),
            ("n:8b", "ollama", Match(None, ("n:latest", "n:7b"))),
            ("x", "ollama", Match(None)),
            ("", "ollama", Match(None)),
        ],
    )
    def test_it_picks_the_very_name_or_suggests(self, asked, family, match) -> None:
        assert match_model(asked, LISTED, family) == match

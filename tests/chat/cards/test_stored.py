"""A proposal in its row, and back."""

from __future__ import annotations

import json

from hypothesis import given, settings

from chat.cards import stored
from tests.chat.cards.test_decide import proposals, situations


class StoredTests:
    @settings(max_examples=40, deadline=None)
    @given(situations())
    def test_it_comes_back_as_it_was(self, situation):
        base, rows = situation
        for proposal in proposals(base, *rows):
            document = json.loads(json.dumps(stored.to_json(proposal)))
            assert stored.from_json(document) == proposal

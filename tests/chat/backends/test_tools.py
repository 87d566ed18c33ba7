"""Tool calls put together from pieces, however a server numbers them."""

from __future__ import annotations

import pytest

from chat.backends.chunks import ToolDelta
from chat.backends.tools import ToolCalls


def calls(*deltas: ToolDelta) -> list[tuple[str, str]]:
    found = ToolCalls()
    for delta in deltas:
        found.add(delta)
    return [(call.name, call.arguments) for call in found.calls()]


class ToolCallsTests:
    @pytest.mark.parametrize(
        ("deltas", "whole"),
        [
            # numbered
            ([(0, "a", "f", "{"), (0, "", "", "}")], [("f", "{}")]),
            ([(0, "a", "f", "1"), (1, "b", "g", "2"), (0, "", "", "3")],
             [("f", "13"), ("g", "2")]),
            # told apart by id
            ([(None, "a", "f", "1"), (None, "b", "g", "2"), (None, "a", "", "3")],
             [("f", "13"), ("g", "2")]),
            # neither
            ([(None, "", "f", "{"), (None, "", "", "}")], [("f", "{}")]),
            # every call numbered 0
            ([(0, "a", "f", "1"), (0, "b", "g", "2"), (0, "b", "", "3")],
             [("f", "1"), ("g", "23")]),
            # the id comes late, the name in two pieces, the name again and again
            ([(0, "", "f", "1"), (0, "a", "", "2")], [("f", "12")]),
            ([(0, "a", "lo", ""), (0, "", "ok", "{}")], [("look", "{}")]),
            ([(0, "a", "f", "{"), (0, "a", "f", "}")], [("f", "{}")]),
            ([], []),
        ],
    )  # fmt: skip
    def test_it_puts_the_pieces_together(self, deltas, whole):
        assert calls(*(ToolDelta(*delta) for delta in deltas)) == whole

    def test_it_names_the_call_that_a_piece_belongs_to(self):
        found = ToolCalls()

        assert found.add(ToolDelta(0, "a", "look", "{")) == "look"
        assert found.add(ToolDelta(0, "", "", "}")) == "look"

    def test_it_grows_no_name_without_end(self):
        found = ToolCalls()
        for _ in range(1_000):
            found.add(ToolDelta(0, "a", "xy", ""))
            found.add(ToolDelta(0, "a", "z", ""))

        assert len(found.calls()[0].name) <= 310

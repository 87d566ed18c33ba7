"""Markdown and JSON of boards: there and back without loss."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.cards.board import Board, BoardError, Card, Function, State, read_board
from chat.cards.files import read_upload
from chat.cards.markdown import (
    RULE,
    export_card,
    export_cards,
    import_card,
    import_cards,
)
from tests.chat.cards.makers import NOTES, board, boards, card

MARKERS = ["<!-- goal -->", "<!-- card: x -->", RULE, f"{RULE} ", "\\<!-- rules -->"]
nasty = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        [*MARKERS, "- a", "* b", "•", "-", "a\n- b", "\ufeffx", "a\u2028b"]
    ),
)
nasty_texts = st.lists(nasty, max_size=3).map("\n".join)
nasty_functions = st.fixed_dictionaries(
    {
        "goal": nasty_texts,
        "rules": st.lists(nasty, max_size=3),
        "tests": st.lists(nasty, max_size=3),
        "state": st.sampled_from(["ordered", "built", "?"]),
    }
)


@st.composite
def nasty_boards(draw):
    """A board as somebody might send it, read once: what it holds must last."""
    rows = []
    for number in range(draw(st.integers(0, 3))):
        functions = [
            {**one, "title": f"F{at} {draw(nasty)}"}
            for at, one in enumerate(draw(st.lists(nasty_functions, max_size=2)))
        ]
        rows.append(
            {
                "id": f"k{number}",
                "title": f"T {draw(nasty)}",
                "kind": draw(st.sampled_from(["core", "optional", "odd", None])),
                "goal": draw(nasty_texts),
                "rules": draw(st.lists(nasty, max_size=3)),
                "functions": functions,
            }
        )
    head = {"title": draw(nasty), "vision": draw(nasty_texts)}
    return read_board({**head, "cards": rows})


class RoundTripTests:
    @settings(max_examples=60, deadline=None)
    @given(boards())
    def test_it_loses_nothing_in_markdown(self, found):
        assert import_cards(export_cards(found)) == found

    @settings(max_examples=150, deadline=None)
    @given(nasty_boards())
    def test_it_loses_nothing_of_texts_that_look_like_markers(self, found):
        assert import_cards(export_cards(found)) == found

    @settings(max_examples=60, deadline=None)
    @given(nasty_boards())
    def test_it_loses_nothing_in_json(self, found):
        assert read_board(json.loads(json.dumps(found.as_json()))) == found

    def test_it_keeps_a_step_that_comes_twice(self):
        found = board(
            card("k1", "A", functions=[{"title": "F", "tests": ["Save.", "Save."]}])
        )
        assert import_cards(export_cards(found)) == found

    def test_it_keeps_the_order_of_many_cards(self):
        found = board(*(card(f"c{n}", f"T{n}") for n in range(1, 13)))
        assert import_cards(export_cards(found)) == found


class FormTests:
    def test_it_writes_markers_and_rules_of_forty_dashes(self):
        function = Function("Sync", tests=("Press it.",), state=State.BUILT)
        text = export_card(Card("k1", "Sync", goal="g", functions=(function,)))
        assert text == (
            "<!-- card: k1 -->\n<!-- title -->\nSync\n<!-- kind -->\ncore\n"
            "<!-- goal -->\ng\n<!-- rules -->\n"
            f"{'-' * 40}\n"
            "<!-- title -->\nSync\n<!-- state -->\nbuilt\n<!-- goal -->\n"
            "<!-- rules -->\n<!-- tests -->\n- Press it.\n"
        )

    def test_it_reads_lines_without_bullets(self):
        text = "<!-- card: k1 -->\n<!-- title -->\nA\n<!-- rules -->\none\n\ntwo\n"
        assert import_card(text)[0].rules == ("one", "two")

    def test_it_reads_windows_line_ends(self):
        text = export_card(NOTES.cards[0]).replace("\n", "\r\n")
        assert import_card(text)[0] == NOTES.cards[0]

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "# A title",
            "<!-- card: k1 -->\nloose text\n<!-- title -->\nA",
            "<!-- card: k1 -->\n<!-- goal -->\nno title",
            "<!-- card: k1 -->\n<!-- title -->\nA\n<!-- title -->\nB",
            f"<!-- card: k1 -->\n<!-- title -->\nA\n{RULE}\n<!-- goal -->\nx",
        ],
    )
    def test_it_refuses_what_is_no_card(self, text):
        with pytest.raises(BoardError):
            import_card(text)

    def test_it_names_the_file_that_is_wrong(self):
        with pytest.raises(BoardError, match=r"b\.md: The first line"):
            import_cards({"a.md": export_card(NOTES.cards[0]), "b.md": "x"})


class ReadingTests:
    def test_it_reads_an_unknown_kind_as_core(self):
        assert board(card("k1", "A", kind="vital")).cards[0].kind == "core"

    def test_it_reads_rules_as_a_list_or_as_lines(self):
        assert board(card("k1", "A", rules="- x\n- y")).cards[0].rules == ("x", "y")
        assert board(card("k1", "A", rules=["x\ny", " "])).cards[0].rules == ("x", "y")

    def test_it_gives_ids_to_cards_without_one(self):
        found = read_board({"cards": [{"title": "A"}, {"id": "c1", "title": "B"}]})
        assert [one.id for one in found.cards] == ["c2", "c1"]

    @pytest.mark.parametrize(
        "document",
        [
            None,
            [],
            {"cards": {}},
            {"cards": [1]},
            {"cards": [{"title": ""}]},
            {"cards": [{"title": "A", "goal": 7}]},
            {"cards": [{"title": "A", "rules": [1]}]},
            {"cards": [{"title": "A", "functions": [{}]}]},
            {"cards": [{"title": "A", "functions": ["x", "X "]}]},
            {"cards": [{"id": "a", "title": "A"}, {"id": "a", "title": "B"}]},
            {"cards": [{"title": "A"}] * 501},
            {"vision": "x" * 20_001},
        ],
    )
    def test_it_refuses_what_is_no_board(self, document):
        with pytest.raises(BoardError):
            read_board(document)

    def test_it_reads_an_empty_one(self):
        assert read_board({}) == Board()


class UploadTests:
    def test_it_reads_markdown_files_together(self):
        files = [(name, text.encode()) for name, text in export_cards(NOTES).items()]
        assert read_upload(files) == NOTES

    @pytest.mark.parametrize(
        "files",
        [
            [("x.json", b"\xff\xfe")],
            [("x.json", b"{")],
            [("x.zip", b"PK\x03\x04")],
            [("x.md", b"x" * (8 * 1024 * 1024 + 1))],
        ],
    )
    def test_it_refuses_what_it_cannot_read(self, files):
        with pytest.raises(BoardError):
            read_upload(files)

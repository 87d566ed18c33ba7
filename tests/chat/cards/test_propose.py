"""`propose`, as it is typed: every open case, and what is sent."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from chat.cards.markdown import export_cards
from tests.chat.cards.makers import NOTES, board
from tests.chat.cards.model import model_that_says
from tests.chat.makers import a_person, a_server

CASES = Path(__file__).resolve().parents[2] / "cases" / "proposals"
pytestmark = pytest.mark.django_db
# (case, step): attempts, then the answer's text or None for none.
EXPECTED = {
    ("01", 1): (1, "Here it is:"),
    ("02", 1): (1, ""),
    ("04", 1): (3, None),
    ("05", 1): (1, "As in [1] and {your note}, I changed {effort}:"),
    ("07", 1): (1, ""),
    ("07", 2): (1, ""),
    ("07", 3): (1, ""),
    ("08", 1): (1, ""),
    ("08", 2): (3, None),
    ("08", 3): (3, None),
    ("08", 4): (1, ""),
    ("10", 1): (1, ""),
    ("10", 2): (1, ""),
    ("11", 1): (3, None),
    ("11", 2): (3, None),
    ("11", 3): (3, None),
    ("11", 4): (1, ""),
    ("11", 5): (3, None),
    ("13", 1): (3, None),
    ("13", 2): (3, None),
    ("14", 1): (
        2,
        "I cannot change these cards because the goal is unclear. "
        "Which one do you mean?",
    ),
    ("14", 2): (3, None),
    ("14", 3): (3, None),
    ("14", 4): (1, ""),
    ("14", 5): (1, ""),
    ("14", 6): (3, None),
}


def steps():
    found = []
    for path in sorted(CASES.glob("*.json")):
        given = json.loads(path.read_text())["input"]
        current = given.get("current") or [{"id": "k1", "title": "Old title"}]
        for number, step in enumerate(given.get("steps", [given]), 1):
            found.append((path.stem[:2], number, current, step["reply"]))
    return found


@pytest.fixture
def board_file(tmp_path):
    def write(value):
        path = tmp_path / "board.json"
        path.write_text(json.dumps(value))
        return str(path)

    return write


def propose(path, server, *args, message="Please."):
    out, err = StringIO(), StringIO()
    words = ["--board", path, "--url", server.url, "--json", *args, message]
    try:
        call_command("propose", *words, stdout=out, stderr=err)
    except SystemExit as ended:
        return ended.code, json.loads(out.getvalue())
    return 0, json.loads(out.getvalue())


class CaseTests:
    @pytest.mark.parametrize(("case", "number", "current", "reply"), steps())
    def test_it_reads_every_reply_as_the_case_says(
        self, board_file, case, number, current, reply
    ):
        path = board_file({"title": "T", "vision": "", "cards": current})
        attempts, text = EXPECTED[(case, number)]
        with model_that_says(reply) as server:
            code, got = propose(path, server)
        assert (got["attempts"], got["answer"]) == (attempts, text)
        assert code == (0 if text is not None else 1)
        assert len(server.asked) == attempts

    def changes(self, board_file, case, step):
        [(current, reply)] = [
            (now, text)
            for name, number, now, text in steps()
            if (name, number) == (case, step)
        ]
        path = board_file({"cards": current})
        with model_that_says(reply) as server:
            return propose(path, server)[1]["proposals"]

    def test_it_keeps_text_that_looks_like_dress(self, board_file):
        [found] = self.changes(board_file, "02", 1)
        assert found["proposed"] == "Keep ,] and ,} as text"

    def test_it_flags_a_title_that_another_card_has(self, board_file):
        [found] = self.changes(board_file, "08", 1)
        assert (found["card"], found["field"]) == ("k2", "title")
        assert "Another card has this title" in found["reason"]

    def test_it_proposes_nothing_for_another_order(self, board_file):
        assert self.changes(board_file, "10", 1) == []
        assert self.changes(board_file, "10", 2) == []


class SentTests:
    REPLY = json.dumps({"answer": "Done.", "cards": []})

    def sent(self, board_file, **more):
        with model_that_says(self.REPLY, **more) as server:
            propose(board_file(NOTES.as_json()), server, message="Sync on Wi-Fi only.")
        return server.asked[0]

    def test_it_sends_the_board_in_the_form_of_the_answer(self, board_file):
        system = self.sent(board_file)["messages"][0]["content"]
        start = system.index('{\n "cards"')
        shown, _ = json.JSONDecoder().raw_decode(system[start:])
        assert [card["id"] for card in shown["cards"]] == ["vision", "k1", "k2"]
        assert shown["cards"][2] == {
            "id": "k2",
            "title": "Photos",
            "kind": "optional",
            "goal": "Pictures in notes.",
            "rules": [],
            "functions": [],
        }

    def test_it_never_shows_the_state_of_a_function(self, board_file):
        assert "built" not in json.dumps(self.sent(board_file)).replace("is built", "")
        assert '"state"' not in json.dumps(self.sent(board_file))

    def test_it_says_the_form_once_more_with_the_message(self, board_file):
        question = self.sent(board_file)["messages"][1]["content"]
        assert question.startswith("Sync on Wi-Fi only.\n\n")
        assert '{"answer": "...", "cards": [...]}' in question

    def test_it_says_that_the_code_cannot_be_seen(self, board_file):
        assert "cannot see the product's code" in json.dumps(self.sent(board_file))

    def test_it_asks_an_unknown_server_for_no_form(self, board_file):
        assert "response_format" not in self.sent(board_file)

    def test_it_asks_a_server_that_is_known_to_take_one_for_the_form(self, board_file):
        listing = {
            "object": "list",
            "data": [
                {"id": "m", "object": "model", "owned_by": "llamacpp", "meta": {}}
            ],
            "models": [{"name": "m", "model": "m", "type": "model"}],
        }
        asked = self.sent(board_file, listing=listing)
        form = asked["response_format"]["json_schema"]["schema"]
        assert form["required"] == ["answer", "cards"]

    def test_it_shows_the_model_its_last_attempt_and_the_fault(self, board_file):
        bad = '{"answer": "x", "cards": [{"id": "k1", "title": "a"b"}]}' + "z" * 3_000
        with model_that_says(bad, self.REPLY) as server:
            code, got = propose(board_file(NOTES.as_json()), server)
        assert (code, got["attempts"]) == (0, 2)
        question = server.asked[1]["messages"][1]["content"]
        assert bad[:2_000] in question
        assert bad[:2_001] not in question
        assert "line 1, column" in question
        assert question.startswith("Please.")

    def test_it_never_repairs_an_answer_that_the_token_limit_cut(self, board_file):
        cut = '{"answer": "x", "cards": [{"id": "k1", "title": "A", "goal": "g'
        with model_that_says(cut, finish="length") as server:
            code, got = propose(board_file(NOTES.as_json()), server)
        assert (code, got["attempts"], got["proposals"]) == (1, 3, [])
        assert "token limit" in got["error"]
        assert got["reply"] == cut


class ResultTests:
    def test_it_proposes_field_by_field(self, board_file):
        reply = {
            "answer": "I would add one rule.",
            "cards": [
                {
                    "id": "k1",
                    "title": "Sync",
                    "kind": "core",
                    "goal": "Notes reach every device.",
                    "rules": ["Notes sync on Wi-Fi only."],
                    "functions": [
                        {
                            "title": "Sync now",
                            "goal": "Start a sync by hand.",
                            "rules": ["Press the button."],
                            "tests": ["Write a note.", "Press Sync.", "See it."],
                        },
                        {"title": "Allow mobile data", "tests": ["Turn Wi-Fi off."]},
                    ],
                }
            ],
        }
        with model_that_says(json.dumps(reply)) as server:
            _, got = propose(board_file(NOTES.as_json()), server)
        assert got["answer"] == "I would add one rule."
        kinds = [(p["function"], p["field"], p["original"]) for p in got["proposals"]]
        assert kinds == [
            (None, "rules", list(NOTES.cards[0].rules)),
            (None, "rules", "Nothing is lost."),
            ("Sync now", "tests", list(NOTES.cards[0].functions[0].tests)),
            ("Allow mobile data", "function", None),
        ]
        assert list(got["proposals"][0]) == [
            "card",
            "function",
            "field",
            "original",
            "proposed",
            "reason",
        ]

    def test_it_prints_for_people(self, board_file):
        reply = json.dumps(
            {"answer": "Yes.", "cards": [{"id": "k2", "goal": "\x1b[31mPhotos."}]}
        )
        out = StringIO()
        with model_that_says(reply) as server:
            call_command(
                "propose",
                "--board",
                board_file(NOTES.as_json()),
                "--url",
                server.url,
                "More photos?",
                stdout=out,
                stderr=StringIO(),
            )
        assert out.getvalue() == (
            "Yes.\nk2: goal (text)\n  - Pictures in notes.\n  + [31mPhotos.\n"
        )

    def test_it_reads_a_folder_of_cards(self, tmp_path):
        for name, text in export_cards(NOTES).items():
            (tmp_path / name).write_text(text)
        reply = json.dumps({"cards": [{"id": "k2", "goal": "Else."}]})
        with model_that_says(reply) as server:
            _, got = propose(str(tmp_path), server)
        assert [p["card"] for p in got["proposals"]] == ["k2"]

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "[]",
            "{",
            "[" * 50_000,
            '{"cards": 7}',
            '{"cards": [{"id": "a", "title": "A"}, {"id": "a", "title": "B"}]}',
            '{"cards": [{"title": NaN}]}',
        ],
    )
    def test_it_refuses_a_board_it_cannot_read(self, tmp_path, text):
        path = tmp_path / "board.json"
        path.write_text(text)
        with pytest.raises(CommandError) as error:
            call_command(
                "propose", "--board", str(path), "--url", "http://127.0.0.1:9", "x"
            )
        assert error.value.returncode == 2
        assert str(tmp_path) not in str(error.value)

    def test_it_fails_where_nobody_answers(self, board_file):
        with model_that_says("x") as server:
            closed = server
        code, got = propose(board_file(NOTES.as_json()), closed)
        assert (code, got["answer"], got["outcome"]) == (1, None, "failed")

    def test_it_proposes_a_change_of_the_vision(self, board_file):
        reply = json.dumps({"cards": [{"id": "vision", "goal": "Never lose a note."}]})
        with model_that_says(reply) as server:
            _, got = propose(board_file(board().as_json()), server)
        [found] = got["proposals"]
        assert (found["card"], found["field"]) == ("vision", "goal")
        assert found["proposed"] == "Never lose a note."


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
class ServerTests:
    def test_it_asks_a_kept_server_by_its_handle(self, board_file):
        a_person("ada", "curators")
        reply = json.dumps({"answer": "Yes.", "cards": [{"id": "k2", "goal": "g"}]})
        out = StringIO()
        with model_that_says("{", reply) as server:
            a_server(server.port)
            call_command(
                *("propose", "--board", board_file(NOTES.as_json())),
                *("--server", "server-1", "--json", "More photos?"),
                stdout=out,
            )
        got = json.loads(out.getvalue())
        assert (got["answer"], got["attempts"]) == ("Yes.", 2)
        assert [p["card"] for p in got["proposals"]] == ["k2"]

    def test_it_knows_no_other_server(self, board_file):
        a_person("ada", "curators")
        path = board_file(NOTES.as_json())
        with pytest.raises(CommandError) as error:
            call_command("propose", "--board", path, "--server", "server-9", "x")
        assert error.value.returncode == 2

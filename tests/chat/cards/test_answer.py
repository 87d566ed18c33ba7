"""Replies of models: which JSON in them is the answer, and when there is none."""

from __future__ import annotations

import json

import pytest

from chat.cards.answer import Answer, CardDraft, Unreadable, read_answer

ONE = {"answer": "Done.", "cards": [{"id": "k1", "title": "A"}]}
TEXT = json.dumps(ONE)


class FoundTests:
    @pytest.mark.parametrize(
        "reply",
        [
            TEXT,
            f"```json\n{TEXT}\n```",
            f"Sure! As in [1] and {{your note}}:\n{TEXT}\nSee [2]. Use {{x}}.",
            f'I changed {{"title"}} as you said.\n{TEXT}',
            f"{TEXT}\n\n{TEXT}",
            json.dumps(TEXT),
            json.dumps({"result": ONE}),
            json.dumps({"answer": "Done.", "cards": json.dumps(ONE["cards"])}),
            TEXT + " // done",
            f"[] or {TEXT}",
            f'The form: {{"cards": [{{"id": string, "title": string}}]}}\n{TEXT}',
        ],
    )
    def test_it_finds_the_answer(self, reply):
        found = read_answer(reply)
        assert isinstance(found, Answer)
        assert found.text == "Done."
        assert found.cards == (CardDraft(id="k1", title="A"),)

    def test_it_takes_a_bare_list_of_cards(self):
        found = read_answer(json.dumps(ONE["cards"]))
        assert isinstance(found, Answer)
        assert len(found.cards) == 1

    @pytest.mark.parametrize(
        "reply", ['{"answer": "Hi."}', '{"answer": "Hi.", "cards": null}']
    )
    def test_it_takes_an_answer_without_cards(self, reply):
        assert read_answer(reply) == Answer("Hi.")

    def test_it_names_what_it_ignored(self):
        reply = '{"cards": [{"id": "k1", "effort": 3, "state": "built", "tags": []}]}'
        found = read_answer(reply)
        assert isinstance(found, Answer)
        assert found.ignored == ("effort", "tags")

    def test_it_tells_a_field_left_out_from_an_empty_one(self):
        found = read_answer('{"cards": [{"id": "k1", "goal": "", "rules": []}]}')
        assert isinstance(found, Answer)
        [card] = found.cards
        assert (card.goal, card.rules) == ("", ())
        assert (card.title, card.kind, card.functions) == (None, None, None)


class NoneTests:
    @pytest.mark.parametrize(
        "reply",
        [
            "",
            " \n",
            "null",
            "[]",
            "[1, 2]",
            "true",
            "{'answer': 'x', 'cards': []}",
            "{answer: 1, cards: []}",
            '{cards: [{"id": "k1", "title": "A"}]}',
            TEXT[:-1],
            TEXT[:30],
            "{",
            "{\n",
            f"{TEXT}\n{json.dumps({'answer': 'Else.', 'cards': []})}",
            '{"cards": [{"id": "k1", "title": "1/2" drive"}]}',
            f'{TEXT}\nNo: {{"cards": [{{"id": "k1", "title": "1/2" drive"}}]}}',
            '{"cards": [{"id": "k1", "title": "A", "title": "B"}]}',
            '{"cards": [{"id": "k1"}, {"id": "k1"}]}',
            '{"cards": [{"title": "A"}, {"title": " a "}]}',
            '{"cards": [{"id": "k1", "goal": true}]}',
            '{"cards": [{"id": "k1", "done": true}]}',
            '{"cards": [{"id": "k1", "title": ""}]}',
            '{"cards": [{"goal": "x"}]}',
            '{"cards": [{"id": "k1", "rules": {"a": 1}}]}',
            '{"cards": [{"id": "k1", "functions": [{"goal": "x"}]}]}',
            '{"cards": [{"id": "k1", "functions": [{"title": "a"}, {"title": "A"}]}]}',
            '{"cards": {"k1": {"title": "A"}}}',
            '{"cards": [{"id": "k1", "effort": NaN}]}',
            "[" * 100_000,
            '{"cards": [' * 10_000,
        ],
    )
    def test_it_asks_again_rather_than_guess(self, reply):
        found = read_answer(reply)
        assert isinstance(found, Unreadable)
        assert not found.prose

    def test_it_takes_no_card_out_of_a_broken_answer(self):
        reply = '{"cards": [{"id": "k1", "title": "A"}, {"id": "k2", "title": "B" c}]}'
        found = read_answer(reply)
        assert isinstance(found, Unreadable)
        assert "line 1, column" in found.reason

    @pytest.mark.parametrize(
        "reply", ["I cannot do that.", "See [1] and {this}.", '"Which one?"']
    )
    def test_it_knows_prose(self, reply):
        found = read_answer(reply)
        assert isinstance(found, Unreadable)
        assert found.prose

    def test_it_names_every_cut(self):
        for end in range(1, len(TEXT)):
            assert isinstance(read_answer(TEXT[:end]), Unreadable)

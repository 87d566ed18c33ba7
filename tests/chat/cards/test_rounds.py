"""What follows a reply: done, asked again, or given up after three calls."""

from __future__ import annotations

import pytest

from chat.cards.asking import ask_round
from chat.cards.board import BoardError
from chat.cards.prompt import MOST_REMARKS, Attempt, Remark, round_payload
from chat.cards.rounds import Again, Done, GivenUp, after_reply
from chat.turn import Ending, Outcome
from tests.chat.cards.makers import NOTES

GOOD = '{"answer": "Yes.", "cards": []}'
PROSE = "Which card do you mean?"


def after(reply, calls=1, cut=False, before=None, propose=lambda answer: ("p",)):
    return after_reply(reply, calls=calls, cut=cut, propose=propose, before=before)


class AfterReplyTests:
    def test_it_is_done_with_a_readable_answer(self):
        assert after(GOOD) == Done("Yes.", ("p",))

    def test_it_asks_again_with_the_attempt_and_the_fault(self):
        found = after('{"a"')
        assert isinstance(found, Again)
        assert found.attempt == Attempt('{"a"', "The JSON breaks off before its end.")

    def test_it_gives_up_after_the_third(self):
        found = after("{", calls=3)
        assert isinstance(found, GivenUp)
        assert found.reply == "{"

    def test_it_asks_about_prose_once_and_then_takes_it(self):
        again = after(PROSE)
        assert isinstance(again, Again)
        assert after(PROSE, calls=2, before=again.attempt) == Done(PROSE, ())

    def test_it_takes_prose_of_the_last_call(self):
        assert after(PROSE, calls=3, before=Attempt("{", "x")) == Done(PROSE, ())

    def test_it_takes_no_prose_that_was_cut(self):
        assert isinstance(after(PROSE, calls=3, cut=True), GivenUp)

    def test_it_names_the_token_limit(self):
        found = after('{"a"', cut=True)
        assert isinstance(found, Again)
        assert "token limit" in found.attempt.fault

    def test_it_asks_again_where_a_card_is_not_clear(self):
        def propose(answer):
            raise BoardError("Several cards are called 'A': give the id.")

        found = after(GOOD, propose=propose)
        assert isinstance(found, Again)
        assert "give the id" in found.attempt.fault

    @pytest.mark.parametrize("reply", ["", " \n"])
    def test_it_counts_an_empty_reply_as_a_call(self, reply):
        assert isinstance(after(reply), Again)
        assert isinstance(after(reply, calls=3), GivenUp)


class AskRoundTests:
    def play(self, *outcomes):
        sent = []

        def call(payload):
            sent.append(payload)
            return outcomes[len(sent) - 1]

        return ask_round(NOTES, "Please.", call), sent

    def test_it_makes_three_calls_in_all(self):
        bad = Outcome(Ending.COMPLETED, text="{")
        result, sent = self.play(bad, bad, bad)
        assert (result.calls, len(sent)) == (3, 3)
        assert result.given_up is not None

    @pytest.mark.parametrize(
        "ending", [Ending.FAILED, Ending.RATE_LIMITED, Ending.INTERRUPTED]
    )
    def test_it_ends_with_a_call_that_failed(self, ending):
        result, sent = self.play(Outcome(ending, text=GOOD, error="why"))
        assert (result.calls, len(sent)) == (1, 1)
        assert result.done is None
        assert result.failed.error == "why"


class PromptTests:
    def test_it_tells_the_last_thirty_remarks(self):
        said = [Remark(f"remark {n}.", by_model=bool(n % 2)) for n in range(40)]
        system = round_payload(NOTES, "x", remarks=said).messages[0].content
        assert "remark 9." not in system
        assert "Person: remark 10." in system
        assert "You: remark 39." in system
        assert system.count("remark ") == MOST_REMARKS

    def test_it_shows_two_thousand_characters_of_an_attempt(self):
        attempt = Attempt("z" * 5_000, "It was broken.")
        asked = round_payload(NOTES, "Please.", attempt=attempt).messages[1].content
        assert "z" * 2_000 in asked
        assert "z" * 2_001 not in asked
        assert "It was broken." in asked

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from chat import transcript
from chat.destinations import announced
from chat.errors import Busy
from chat.models import Conversation, State, Turn
from chat.transcript import Asking
from gpts.gate import Message, Refused
from servers.addresses import parse_url
from servers.hosting import Hosting
from servers.retained import keep
from tests.chat.makers import a_conversation, a_person, a_server, a_turn

pytestmark = pytest.mark.django_db

KINDS = pytest.mark.parametrize("temporary", [False, True], ids=["kept", "temporary"])


def ended(turn: Turn, state: State, answer: str = "", **more) -> Turn:
    values = {"state": state, "answer": answer, "ended": datetime.now(UTC), **more}
    for name, value in values.items():
        setattr(turn, name, value)
    if not turn.conversation.temporary:
        turn.save()
    return turn


class HistoryTests:
    @KINDS
    @pytest.mark.parametrize(
        ("state", "answer", "told"),
        [
            (State.COMPLETED, "Because.", True),
            (State.COMPLETED, "", False),
            (State.INTERRUPTED, "Bec", True),
            (State.INTERRUPTED, "", False),
            (State.TIMEOUT, "Bec", True),
            (State.RATE_LIMITED, "Bec", True),
            (State.FAILED, "Bec", False),
            (State.FAILED, "", False),
            (State.REFUSED, "", False),
        ],
    )
    def test_it_tells_what_was_paid_for(self, temporary, state, answer, told):
        conversation = a_conversation(temporary=temporary)
        ended(a_turn(conversation, "Why?"), state, answer)
        pair = [Message("user", "Why?"), Message("assistant", answer)]
        assert transcript.history(conversation) == (pair if told else [])

    @KINDS
    def test_it_never_tells_reasoning(self, temporary):
        conversation = a_conversation(temporary=temporary)
        ended(a_turn(conversation), State.COMPLETED, "Yes.", reasoning="Secret hm.")
        payload = transcript.payload_of(conversation, Asking("And?"))
        assert not any("Secret" in m.content for m in payload.messages)

    def test_it_tells_the_question_as_a_gpt_had_made_it(self):
        conversation = a_conversation()
        turn = a_turn(conversation, "short", sent_question="short, at length")
        ended(turn, State.COMPLETED, "Yes.")
        assert transcript.history(conversation)[0].content == "short, at length"

    def test_it_puts_the_system_prompt_first_and_the_question_last(self):
        conversation = a_conversation()
        ended(a_turn(conversation, "One?"), State.COMPLETED, "1")
        payload = transcript.payload_of(conversation, Asking("Two?", system="Brief."))
        roles = [message.role for message in payload.messages]
        assert roles == ["system", "user", "assistant", "user"]

    def test_it_sends_no_history_to_a_session_that_keeps_its_own(self):
        conversation = a_conversation(claude_session="0000")
        ended(a_turn(conversation, "One?"), State.COMPLETED, "1")
        payload = transcript.payload_of(conversation, Asking("Two?"))
        assert [message.content for message in payload.messages] == ["Two?"]

    def test_it_puts_together_again_exactly_what_was_cleared(self):
        conversation = a_conversation()
        ended(a_turn(conversation, "One?"), State.COMPLETED, "1")
        asking = Asking("Two?", system="Brief.", params={"top_k": 3})
        before = transcript.payload_of(conversation, asking)
        turn = a_turn(conversation, "Two?", system="Brief.", params={"top_k": 3})
        found = transcript.turn_of(a_person(), turn.pk)
        assert transcript.payload_again(found) == before
        assert transcript.asking_of(found).params == {"top_k": 3}


class AskTests:
    @KINDS
    def test_it_asks_one_question_at_a_time(self, temporary):
        conversation = a_conversation(temporary=temporary)
        a_turn(conversation)
        with pytest.raises(Busy):
            a_turn(conversation)

    @KINDS
    def test_it_numbers_turns_from_one(self, temporary):
        conversation = a_conversation(temporary=temporary)
        first = ended(a_turn(conversation), State.COMPLETED, "x")
        assert (first.number, a_turn(conversation).number) == (1, 2)

    @KINDS
    def test_it_gives_up_a_wait_for_a_reset_when_it_asks_anew(self, temporary):
        conversation = a_conversation(temporary=temporary)
        waits = ended(a_turn(conversation), State.RATE_LIMITED, ended=None)
        a_turn(conversation)
        assert transcript.turn_of(a_person(), waits.pk).ended

    def test_it_keeps_nothing_of_what_the_gate_refuses(self):
        abroad = keep(parse_url("https://203.0.113.9"), hosting=Hosting.GLOBAL)
        conversation = a_conversation(server=abroad)
        found = transcript.ask(conversation, Asking("Why?"), announced(abroad))
        assert isinstance(found, Refused)
        assert not Turn.objects.exists()

    def test_it_clears_the_history_for_another_server_too(self):
        """What went to a server nearby does not go abroad with the next question."""
        conversation = a_conversation()
        ended(a_turn(conversation, "Mail ada@example.org", confirmed=True),
              State.COMPLETED, "Done.")  # fmt: skip
        abroad = keep(parse_url("https://203.0.113.9"), hosting=Hosting.GLOBAL)
        destination = announced(abroad)
        transcript.change(conversation, server_id=abroad.pk)
        asking = Asking("Go on.", retyped=frozenset([destination.key]))
        found = transcript.ask(conversation, asking, destination)
        assert isinstance(found, Refused)
        assert "email" in {finding.kind for finding in found.findings}

    def test_it_remembers_the_server_and_model_of_each_turn(self):
        server = a_server(family="ollama")
        turn = a_turn(a_conversation(server=server))
        found = (turn.server_id, turn.server_name, turn.model_asked)
        assert found == (server.pk, "server-1 (ollama)", "tiny")


class TitleTests:
    @pytest.mark.parametrize(
        ("question", "title"),
        [
            ("Why?", "Why?"),
            ("  two\n words ", "two words"),
            ("word " * 40, "word " * 11 + "word…"),
            ("x" * 200, "x" * 60 + "…"),
        ],
    )
    def test_it_is_the_first_words(self, question, title):
        assert transcript.title_from(question) == title

    def test_it_stays_when_it_was_given(self):
        conversation = a_conversation()
        transcript.change(conversation, title="Mine")
        a_turn(conversation, "Something else")
        conversation.refresh_from_db()
        assert conversation.title == "Mine"


class FindingTests:
    @KINDS
    def test_it_finds_for_the_owner_alone(self, temporary):
        conversation = a_conversation(a_person("ada"), temporary=temporary)
        turn = a_turn(conversation)
        assert transcript.conversation_of(a_person("ada"), conversation.pk)
        with pytest.raises(Conversation.DoesNotExist):
            transcript.conversation_of(a_person("eve"), conversation.pk)
        with pytest.raises(Turn.DoesNotExist):
            transcript.turn_of(a_person("eve"), turn.pk)
        assert transcript.conversations_of(a_person("eve")) == []

    @KINDS
    def test_it_gives_the_last_turns_in_order(self, temporary):
        conversation = a_conversation(temporary=temporary)
        for _ in range(5):
            ended(a_turn(conversation), State.COMPLETED, "x")
        numbers = [t.number for t in transcript.turns_of(conversation, last=2)]
        earlier = transcript.turns_of(conversation, last=2, before=4)
        assert numbers == [4, 5]
        assert [t.number for t in earlier] == [2, 3]

    @KINDS
    def test_it_deletes_all_of_it(self, temporary):
        conversation = a_conversation(temporary=temporary)
        turn = a_turn(conversation)
        assert transcript.delete(conversation) == [turn.pk]
        assert transcript.conversations_of(a_person()) == []
        with pytest.raises(Turn.DoesNotExist):
            transcript.turn_of(a_person(), turn.pk)

    def test_it_keeps_a_bounded_number_of_temporary_ones(self):
        for _ in range(30):
            a_conversation(temporary=True)
        assert len(transcript.conversations_of(a_person())) == 20


class RetentionTests:
    def test_it_forgets_what_was_not_used_since(self):
        old, live, new = (a_conversation() for _ in range(3))
        a_turn(live)
        moment = datetime.now(UTC) - timedelta(days=9)
        pks = [old.pk, live.pk]
        Conversation.objects.filter(pk__in=pks).update(updated=moment)
        assert transcript.delete_unused_since(moment + timedelta(days=1)) == 1
        assert set(Conversation.objects.all()) == {live, new}

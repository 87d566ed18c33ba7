"""What a gpt puts into a message, and where it keeps it from going."""

from __future__ import annotations

import pytest

from chat.composing import NotComposed, compose, compose_again, fields_of
from chat.destinations import announced
from chat.shown import show
from chat.target import Target, of_conversation, of_form
from chat.transcript import payload_again
from gpts.models import Gpt
from gpts.private import Private, keep_private
from gpts.revisions import revise
from servers.addresses import parse_url
from servers.hosting import Hosting
from servers.retained import keep
from tests.chat.makers import a_conversation, a_person, a_server, a_turn
from tests.gpts.sources import source

pytestmark = pytest.mark.django_db

TOPIC = "inputs: {topic: {required: true}}\nparams: {temperature: 0.5}"


@pytest.fixture
def folder(tmp_path, settings):
    """A folder of reviewed gpts with `mine` in it."""
    settings.LLMHUB_GPT_FOLDERS = [f"{tmp_path}=reviewed"]
    (tmp_path / "mine.md").write_text(source(TOPIC))
    return tmp_path


@pytest.fixture
def here():
    return a_server()


@pytest.fixture
def box():
    """A server in the network."""
    return keep(parse_url("http://192.168.77.5:9"), hosting=Hosting.LAN)


def composed(target: Target, *, begun: bool = False, **form: str):
    assert target.server is not None
    return compose(target, form, announced(target.server), {}, begun=begun)


class FirstMessageTests:
    def test_it_puts_the_gpt_ahead_of_what_was_typed(self, folder, here):
        asking = composed(
            Target(here, "tiny", "mine"), input_topic="a tree", question="In one line."
        )
        assert asking.system == "Be brief."
        assert asking.sent_question == "What is a tree?\n\nIn one line."
        assert (asking.question, asking.gpt_stem) == ("In one line.", "mine")
        assert asking.params == {"temperature": 0.5}

    def test_it_keeps_lines_as_typed_however_the_browser_sends_them(self, folder, here):
        target = Target(here, "tiny", "mine")
        asking = composed(target, input_topic="a\r\nb", question="one\r\n\r\ntwo\r")
        assert asking.sent_question == "What is a\nb?\n\none\n\ntwo\r"

    def test_it_names_the_input_that_is_missing(self, folder, here):
        with pytest.raises(NotComposed, match=r"Topic: Please fill this in\."):
            composed(Target(here, "tiny", "mine"), question="x")

    def test_it_adds_what_the_hub_keeps_to_itself(self, folder, here):
        keep_private("mine", Private(inputs={"topic": "b"}, addition="For us."))
        target = Target(here, "tiny", "mine")
        asking = composed(target)
        assert asking.sent_question == "What is b?"
        assert asking.system == "Be brief.\n\nFor us."
        assert [field.value for field in fields_of(target, {}, begun=False)] == ["b"]

    @pytest.mark.parametrize("stem", ["nothing", "../mine"])
    def test_it_refuses_a_gpt_that_is_not_there(self, here, stem):
        with pytest.raises(NotComposed, match="There is no gpt of that name"):
            composed(Target(here, "tiny", stem), question="x")


class LaterMessageTests:
    def test_it_keeps_the_part_of_the_system_without_asking_again(self, folder, here):
        conversation = a_conversation(server=here, gpt_stem="mine")
        a_turn(conversation, system="Be brief.", gpt_stem="mine", params={"top_k": 1})
        asking = composed(
            of_conversation(conversation, [here]), begun=True, question="And then?"
        )
        assert (asking.question, asking.sent_question) == ("And then?", None)
        assert (asking.system, asking.params) == ("Be brief.", {"top_k": 1})


class BoundTests:
    def test_it_keeps_an_unreviewed_gpt_on_this_machine(self, here, box):
        revise(Gpt(stem="draft"), source(), a_person())
        assert composed(Target(here, "", "draft"), question="x").gpt_stem == "draft"
        with pytest.raises(NotComposed, match="not reviewed"):
            composed(Target(box, "", "draft"), question="x")

    def test_it_keeps_it_there_when_the_conversation_moves(self, here, box):
        revise(Gpt(stem="draft"), source(), a_person())
        conversation = a_conversation(server=here, gpt_stem="draft")
        turn = a_turn(conversation, gpt_stem="draft")
        moved = Target(box, "", "draft", conversation=conversation)
        with pytest.raises(NotComposed, match="not reviewed"):
            composed(moved, begun=True, question="x")
        with pytest.raises(NotComposed, match="not reviewed"):
            compose_again(turn, moved, {}, announced(box), {})

    def test_it_asks_again_as_it_did_when_the_gpt_is_gone(self, here):
        conversation = a_conversation(server=here, gpt_stem="gone")
        turn = a_turn(conversation, gpt_stem="gone", system="S")
        target = of_conversation(conversation, [here])
        asking = compose_again(turn, target, {}, announced(here), {})
        assert (asking.system, asking.question) == ("S", "Why?")


class PinnedTests:
    def test_it_goes_to_the_pinned_server_and_model_alone(self, folder, here, box):
        keep_private("mine", Private(server=box.pk, model="qwen"))
        form = {"gpt": "mine", "server": str(here.pk), "model": "tiny"}
        target = of_form(form, [here, box])
        assert (target.server, target.model) == (box, "qwen")
        assert composed(target, input_topic="a").gpt_stem == "mine"
        with pytest.raises(NotComposed, match=r"pinned to server-2\."):
            composed(Target(here, "", "mine"), input_topic="a")

    def test_it_goes_nowhere_when_the_pinned_server_went(self, folder, here):
        keep_private("mine", Private(server=99))
        with pytest.raises(NotComposed, match="not kept any more"):
            composed(Target(here, "", "mine"), input_topic="a")


class ReplacedTests:
    MAIL = "bob@acme-works.com"

    def test_it_sends_placeholders_and_keeps_what_was_typed(self, here):
        asking = composed(
            Target(here, "tiny"), question=f"Write to {self.MAIL}.", replace="1"
        )
        assert asking.sent_question == "Write to <email-1>."
        assert asking.question == f"Write to {self.MAIL}."
        assert asking.originals == {"<email-1>": self.MAIL}

    def test_it_sends_what_was_typed_unless_asked(self, here):
        asking = composed(Target(here, "tiny"), question=f"Write to {self.MAIL}.")
        assert (asking.sent_question, asking.originals) == (None, {})

    def test_it_goes_on_with_the_placeholders_of_the_conversation(self, here):
        conversation = a_conversation(server=here)
        first = composed(
            Target(here, "tiny"), question=f"Write to {self.MAIL}.", replace="1"
        )
        a_turn(
            conversation,
            first.question,
            sent_question=first.sent_question,
            originals=first.originals,
        )
        asking = composed(
            of_conversation(conversation, [here]),
            begun=True,
            question=f"eve@acme-works.com and {self.MAIL}",
            replace="1",
        )
        assert asking.sent_question == "<email-2> and <email-1>"

    def test_it_puts_the_originals_back_for_the_eye_alone(self, here):
        conversation = a_conversation(server=here)
        turn = a_turn(
            conversation,
            f"Write to {self.MAIL}.",
            sent_question="Write to <email-1>.",
            originals={"<email-1>": self.MAIL},
        )
        turn.answer = "Dear <email-1> and <email-2>"
        turn.state = "completed"
        shown = show(turn, [here])
        assert f"Dear {self.MAIL} and &lt;email-2&gt;" in shown.html
        sent = [message.content for message in payload_again(turn).messages]
        assert sent == ["Write to <email-1>."]

"""`ask --gpt`: what a gpt makes of a question, on the road of a URL."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from chat.asked import Asked
from chat.asked_gpt import with_gpt
from gpts.models import Gpt
from gpts.revisions import revise
from servers.addresses import Origin
from servers.hosting import Hosting
from servers.retained import keep
from tests.chat.backends.asking import DONE, chunk
from tests.fakes import Replay
from tests.gpts.sources import source

pytestmark = pytest.mark.django_db

CHAT = "POST /v1/chat/completions"
GOOD = {
    "chunks": [chunk("H"), chunk("i"), chunk(finish="stop"), DONE],
    "headers": {"content-type": "text/event-stream"},
}
TOPIC = "inputs: {topic: {required: true}}\nparams: {temperature: 0.5, mirostat: 2}"


@pytest.fixture
def folder(tmp_path, settings):
    """A folder of reviewed gpts with `mine` in it."""
    settings.LLMHUB_GPT_FOLDERS = [f"{tmp_path}=reviewed"]
    (tmp_path / "mine.md").write_text(source(TOPIC))
    return tmp_path


def ask(*words: str) -> tuple[str, str]:
    """What was printed, and said beside it."""
    printed, said = StringIO(), StringIO()
    call_command("ask", *words, stdout=printed, stderr=said)
    return printed.getvalue(), said.getvalue()


def sent(server: Replay) -> dict[str, Any]:
    (body,) = [json.loads(seen.body) for seen in server.seen if seen.method == "POST"]
    return body


class AskGptTests:
    def test_it_sends_both_parts_and_the_parameters(self, folder):
        with Replay({CHAT: GOOD}) as server:
            printed, _said = ask(
                *("--url", server.url, "--model", "m"),
                *("--gpt", "mine", "--input", "topic=a tree", "In one line."),
            )
            body = sent(server)
        assert printed.strip() == "Hi"
        assert body["messages"] == [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "What is a tree?\n\nIn one line."},
        ]
        assert (body["temperature"], body["mirostat"]) == (0.5, 2)

    def test_it_needs_no_question_beside_a_gpt(self, folder):
        with Replay({CHAT: GOOD}) as server:
            ask(
                *("--url", server.url, "--model", "m"),
                *("--gpt", "mine", "--input", "topic=a tree"),
            )
            assert sent(server)["messages"][-1]["content"] == "What is a tree?"

    def test_it_repeats_what_could_not_be_checked(self, folder):
        (folder / "mine.md").write_text(source("requires: {vision: true}"))
        with Replay({CHAT: GOOD}) as server:
            _printed, said = ask("--url", server.url, "--model", "m", "--gpt", "mine")
        assert "Vision could not be checked on this server." in said

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["--gpt", "nothing"], "There is no gpt of that name."),
            (["--gpt", "mine"], "--input topic: Please fill this in."),
            (["--gpt", "mine", "--input", "x=y"], "There is no input x"),
            (["--input", "x=y"], "--input belongs to a gpt"),
        ],
    )
    def test_it_refuses_what_cannot_be_used_and_sends_nothing(
        self, folder, words, message
    ):
        with Replay({CHAT: GOOD}) as server:
            with pytest.raises(CommandError, match=message) as caught:
                ask("--url", server.url, *words)
            assert not server.seen
        assert caught.value.returncode == 2

    def test_it_keeps_the_text_of_an_unreviewed_gpt_on_this_machine(self, make_user):
        revise(Gpt(stem="draft"), source(), make_user("ada", "curators"))
        with pytest.raises(CommandError, match="not reviewed"):
            ask("--url", "http://192.168.77.5:9", "--gpt", "draft")


class RoadTests:
    def asked(self, target: str) -> Asked:
        return Asked(target=target, question="More.", timeout_seconds=5)

    def test_it_puts_the_system_part_ahead_of_a_question_to_claude(self, folder):
        (folder / "mine.md").write_text(source("requires: {hosting: any}"))
        found = with_gpt(self.asked("abc"), "claude", "mine", [])
        assert found.question == "Be brief.\n\nWhat is {topic}?\n\nMore."
        assert found.system == ""

    def test_it_knows_where_a_kept_server_is(self, folder):
        (folder / "mine.md").write_text(source("requires: {hosting: loopback}"))
        keep(Origin("http", "127.0.0.1", 9), hosting=Hosting.LOOPBACK)
        found = with_gpt(self.asked("server-1"), "server", "mine", [])
        assert (found.system, found.gpt_stem) == ("Be brief.", "mine")

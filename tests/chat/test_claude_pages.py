"""The page of Claude sessions: who sees it, what it lists, how a question begins."""

from __future__ import annotations

import os
import time

import pytest
from django.contrib.auth.models import Permission

from chat.models import Conversation
from gpts.protected import add
from tests.chat.claude.machine import FORK, SESSION, Machine


@pytest.fixture
def machine(tmp_path, monkeypatch, settings):
    """This machine is the test's, and the feature is on."""
    settings.LLMHUB_CLAUDE = True
    machine = Machine(tmp_path).install()
    for name in ("PATH", "HOME"):
        monkeypatch.setenv(name, machine.environ[name])
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return machine


@pytest.fixture
def asker(make_user):
    user = make_user("ada")
    user.user_permissions.add(Permission.objects.get(codename="ask_claude"))
    return user


def live(**more):
    now = int(time.time() * 1000)
    return {"pid": os.getpid(), "startedAt": now, "sessionId": SESSION, **more}


class AccessTests:
    @pytest.mark.parametrize("path", ["/claude/", "/claude/rows"])
    def test_it_shows_the_login_page_to_nobody(self, client, db, machine, path):
        answer = client.get(path)
        assert answer.status_code == 302
        assert answer.url.startswith("/accounts/login/")

    @pytest.mark.parametrize("path", ["/claude/", "/claude/rows"])
    def test_it_is_not_there_without_the_permission(
        self, client, make_user, machine, path
    ):
        client.force_login(make_user("bob"))
        assert client.get(path).status_code == 404

    @pytest.mark.parametrize("path", ["/claude/", "/claude/rows"])
    def test_it_is_not_there_while_it_is_off(
        self, client, asker, machine, settings, path
    ):
        settings.LLMHUB_CLAUDE = False
        client.force_login(asker)
        assert client.get(path).status_code == 404

    def test_it_begins_nothing_without_the_permission(self, client, make_user, machine):
        machine.save(SESSION)
        client.force_login(make_user("bob"))
        answer = client.post("/claude/begin", {"session": SESSION})
        assert answer.status_code == 404
        assert not Conversation.objects.exists()

    def test_it_begins_nothing_by_looking(self, client, asker, machine):
        client.force_login(asker)
        assert client.get("/claude/begin").status_code == 405


class ListingTests:
    def test_it_answers_before_the_sessions_are_listed(self, client, asker, machine):
        ran = machine.folder / "ran"
        (machine.folder / "bin/claude").write_text(f"#!/bin/sh\ntouch {ran}\n")
        client.force_login(asker)
        page = client.get("/claude/").content.decode()
        assert not ran.exists()
        assert 'data-rows="/claude/rows"' in page
        assert "claude -p under way is not listed" in page

    def test_it_lists_live_ones_and_saved_ones(self, client, asker, machine):
        machine.save(FORK, {"cwd": "/home/mira/shop", "gitBranch": "dev"})
        machine.announce([live(name="<b>till</b>", status="busy", cwd="/x/desk")])
        client.force_login(asker)
        rows = client.get("/claude/rows").content.decode()
        assert rows.index(SESSION[:8]) < rows.index(FORK[:8])
        assert "&lt;b&gt;till&lt;/b&gt;" in rows
        assert "shop" in rows
        assert "mira" not in rows

    def test_it_says_that_there_is_no_program(
        self, client, asker, machine, monkeypatch
    ):
        monkeypatch.setenv("PATH", "/nonexistent")
        client.force_login(asker)
        rows = client.get("/claude/rows").content.decode()
        assert "no claude program" in rows

    def test_it_offers_no_question_to_a_session_it_cannot_name(
        self, client, asker, machine
    ):
        machine.announce([{"pid": os.getpid(), "cwd": "/x/desk"}])
        client.force_login(asker)
        rows = client.get("/claude/rows").content.decode()
        assert "cannot be asked" in rows
        assert "<form" not in rows


class BeginTests:
    def begin(self, client, **form):
        return client.post("/claude/begin", form)

    def test_it_leads_to_a_conversation_with_the_session(self, client, asker, machine):
        machine.save(SESSION)
        client.force_login(asker)
        answer = self.begin(client, session=SESSION)
        [conversation] = Conversation.objects.all()
        assert answer.url == f"/c/{conversation.pk}"
        assert conversation.claude_session == SESSION
        assert conversation.owner == asker
        assert conversation.claude_holder is None
        page = client.get(answer.url)
        assert page.status_code == 200
        assert "leaves your network" in page.content.decode()

    def test_it_uses_a_conversation_again_that_was_never_used(
        self, client, asker, machine
    ):
        machine.save(SESSION)
        client.force_login(asker)
        first, second = (self.begin(client, session=SESSION).url for _ in range(2))
        assert first == second

    @pytest.mark.parametrize(
        "session", ["", FORK, "../../etc/passwd", "--resume", SESSION + "x"]
    )
    def test_it_begins_only_with_what_is_listed(self, client, asker, machine, session):
        machine.save(SESSION)
        client.force_login(asker)
        assert self.begin(client, session=session).url == "/claude/"
        assert not Conversation.objects.exists()

    def test_it_writes_into_a_held_session_only_by_its_pid(
        self, client, asker, machine
    ):
        machine.announce([live()])
        client.force_login(asker)
        refused = self.begin(client, session=SESSION, holder="1")
        assert refused.url == "/claude/"
        assert not Conversation.objects.exists()
        self.begin(client, session=SESSION, holder=str(os.getpid()))
        assert Conversation.objects.get().claude_holder == os.getpid()

    def test_it_knows_no_holder_of_a_session_that_nobody_holds(
        self, client, asker, machine
    ):
        machine.save(SESSION)
        client.force_login(asker)
        answer = self.begin(client, session=SESSION, holder=str(os.getpid()))
        assert answer.url == "/claude/"


class SendTests:
    @pytest.fixture
    def conversation(self, client, asker, machine):
        machine.save(SESSION)
        client.force_login(asker)
        client.post("/claude/begin", {"session": SESSION})
        return Conversation.objects.get()

    def send(self, client, conversation, **form):
        return client.post(f"/c/{conversation.pk}/send", form)

    def test_it_sends_nothing_while_no_name_is_protected(self, client, conversation):
        page = self.send(client, conversation, question="Hello?").content.decode()
        assert "No protected name is entered yet" in page
        assert not conversation.turns.exists()

    def test_it_wants_the_word_before_the_first_send(self, client, conversation):
        add(["zzquxx"])
        page = self.send(client, conversation, question="Hello?").content.decode()
        assert 'name="retype"' in page
        assert not conversation.turns.exists()
        self.send(client, conversation, question="Hello?", retype="claude")
        [turn] = conversation.turns.all()
        assert turn.retyped == "claude"


class NobodyTests:
    @pytest.mark.parametrize("group", ["members", "curators"])
    def test_it_is_given_to_nobody_by_default(self, make_user, group):
        assert not make_user("cy", group).has_perm("chat.ask_claude")

    def test_it_is_linked_only_where_it_is(self, client, asker, machine, settings):
        client.force_login(asker)
        assert "Claude sessions" in client.get("/").content.decode()
        settings.LLMHUB_CLAUDE = False
        assert "Claude sessions" not in client.get("/").content.decode()

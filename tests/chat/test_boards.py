"""Boards as pages: whose they are, what decisions do, what two people see."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from io import BytesIO

import pytest
from django.contrib.auth.models import Group, Permission
from django.db import connection
from django.test import Client

from chat.cards import store
from chat.cards.board import Card, State
from chat.cards.markdown import export_card, mark_of
from chat.cards.models import BoardChange, KeptBoard, KeptProposal, Round
from chat.cards.store import value_of
from chat.cards.talk import running_round, settle_ended
from chat.engine import current
from chat.engine.inprocess import InProcess
from chat.engine.rows import Roads, turns_ended
from chat.models import Conversation, Turn
from gpts.protected import add
from tests.chat.cards.makers import NOTES, card_of
from tests.chat.claude.machine import SESSION
from tests.chat.makers import QUICK, a_server, hear, in_thread, run
from tests.chat.scripted import Scripted, answer

GET = ["", "live", "edit", "history", "board.json", "board.zip", "cards/k1.md"]
POST = [
    *("say", "stop", "clear", "choose", "decide", "undo"),
    *("state", "edit", "remove", "delete"),
]


@pytest.fixture
def ada(make_user):
    return make_user("ada")


@pytest.fixture
def row(ada):
    return store.keep(ada, NOTES)


def reply(*cards, text="Done."):
    return json.dumps({"answer": text, "cards": list(cards)})


class AccessTests:
    @pytest.mark.parametrize("part", GET)
    def test_it_shows_the_login_page_to_nobody(self, client, row, part):
        answer = client.get(f"/boards/{row.pk}/{part}")
        assert answer.url.startswith("/accounts/login/")

    @pytest.mark.parametrize("part", GET)
    def test_it_is_not_there_for_others(self, client, row, make_user, part):
        client.force_login(make_user("bob"))
        assert client.get(f"/boards/{row.pk}/{part}").status_code == 404

    @pytest.mark.parametrize("part", POST)
    def test_it_takes_nothing_from_others(self, client, row, make_user, part):
        client.force_login(make_user("bob"))
        assert client.post(f"/boards/{row.pk}/{part}").status_code == 404

    @pytest.mark.parametrize("part", [part for part in POST if part != "edit"])
    def test_it_takes_nothing_by_looking(self, client, row, ada, part):
        client.force_login(ada)
        assert client.get(f"/boards/{row.pk}/{part}").status_code == 405

    @pytest.mark.parametrize("part", [*POST, "../new"])
    def test_it_takes_nothing_from_those_who_may_only_read(
        self, client, row, ada, part
    ):
        ada.groups.clear()
        ada.user_permissions.add(Permission.objects.get(codename="view_conversation"))
        client.force_login(ada)
        assert client.get(f"/boards/{row.pk}/").status_code == 200
        assert client.post(f"/boards/{row.pk}/{part}").status_code in {403, 404}
        assert client.post("/boards/new", {"title": "x"}).status_code == 403

    def test_it_is_there_for_the_group_it_belongs_to(self, client, ada, make_user):
        team = Group.objects.create(name="team")
        bob = make_user("bob")
        bob.groups.add(team)
        row = store.keep(ada, NOTES, team)
        client.force_login(bob)
        assert client.get(f"/boards/{row.pk}/").status_code == 200
        assert client.post(f"/boards/{row.pk}/delete").status_code == 404


class BoardTests:
    def test_it_shows_every_card_as_text(self, client, row, ada):
        content = NOTES.as_json()
        content["cards"][0]["goal"] = "<script>alert(1)</script>"
        KeptBoard.objects.filter(pk=row.pk).update(content=content)
        client.force_login(ada)
        page = client.get(f"/boards/{row.pk}/").content.decode()
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page
        assert "2 cards, 1 function, 0 ordered" in page

    def test_it_begins_with_a_title(self, client, ada):
        client.force_login(ada)
        answer = client.post("/boards/new", {"title": "Shop"})
        row = KeptBoard.objects.get()
        assert answer.url == f"/boards/{row.pk}/"
        assert value_of(row).title == "Shop"

    @pytest.mark.parametrize("ending", ["json", "zip"])
    def test_it_comes_back_from_its_own_export(self, client, row, ada, ending):
        client.force_login(ada)
        exported = client.get(f"/boards/{row.pk}/board.{ending}")
        file = BytesIO(exported.content)
        file.name = f"board.{ending}"
        client.post("/boards/new", {"file": file})
        assert value_of(KeptBoard.objects.latest("pk")) == NOTES

    def test_it_says_what_is_wrong_with_a_file(self, client, ada):
        client.force_login(ada)
        file = BytesIO(b"PK\x03\x04 no archive")
        file.name = "board.zip"
        answer = client.post("/boards/new", {"file": file}, follow=True)
        assert "archive cannot be read" in answer.content.decode()
        assert not KeptBoard.objects.exists()

    def test_it_lets_a_person_mark_a_function_built(self, client, row, ada):
        client.force_login(ada)
        client.post(f"/boards/{row.pk}/state", {"mark": "k1 Sync now"})
        row.refresh_from_db()
        assert card_of(value_of(row), "k1").functions[0].state is State.ORDERED

    def test_it_takes_a_card_that_was_edited(self, client, row, ada):
        client.force_login(ada)
        card = card_of(NOTES, "k2")
        text = export_card(card).replace("Pictures in notes.", "Pictures.")
        form = {"card": "k2", "text": text, "was": mark_of(card)}
        client.post(f"/boards/{row.pk}/edit", form)
        row.refresh_from_db()
        assert card_of(value_of(row), "k2").goal == "Pictures."
        assert BoardChange.objects.get().person == ada
        page = client.get(f"/boards/{row.pk}/edit?card=k2").content.decode()
        assert "Pictures." in page
        assert client.get(f"/boards/{row.pk}/edit?card=k9").status_code == 404
        client.post(f"/boards/{row.pk}/edit", {**form, "text": text + "x"})
        row.refresh_from_db()
        assert card_of(value_of(row), "k2").goal == "Pictures."

    def test_it_answers_a_malformed_edit_with_what_is_wrong(self, client, row, ada):
        client.force_login(ada)
        answer = client.post(
            f"/boards/{row.pk}/edit",
            {"text": "no marker"},
            headers={"accept": "application/json"},
        )
        assert "first line" in answer.json()["problem"]

    def test_it_writes_nothing_over_a_board_that_no_key_opens(self, client, row, ada):
        with connection.cursor() as cursor:
            cursor.execute("UPDATE chat_keptboard SET content = 'lost'")
        client.force_login(ada)
        assert "Unreadable" in client.get("/boards/").content.decode()
        assert client.get(f"/boards/{row.pk}/").status_code == 404
        for part in POST:
            assert client.post(f"/boards/{row.pk}/{part}").status_code == 404
        with connection.cursor() as cursor:
            cursor.execute("SELECT content FROM chat_keptboard")
            assert cursor.fetchall() == [("lost",)]

    def test_it_keeps_nothing_readable_in_the_database(self, row):
        with connection.cursor() as cursor:
            cursor.execute("SELECT content FROM chat_keptboard")
            [[raw]] = cursor.fetchall()
        assert "Sync" not in raw


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
class RoundTests:
    @pytest.fixture
    def board(self, client, make_user):
        ada = make_user("ada")
        client.force_login(ada)
        server = a_server()
        row = store.keep(ada, NOTES)
        row.server_id = server.pk
        row.save()
        return row

    def play(self, client, row, *replies, message="Only on Wi-Fi."):
        """Say it, with a model that answers so; every call of the round is run."""
        backend = Scripted([answer(text) for text in replies])
        client.post(f"/boards/{row.pk}/say", {"message": message})
        for _ in replies:
            turn = Turn.objects.latest("pk")
            if turn.live:
                run(partial(self.run_turn, backend, turn.pk))
            client.get(f"/boards/{row.pk}/live")
        return backend

    async def run_turn(self, backend, key):
        engine = InProcess(Roads(server=lambda kept, placed: backend), QUICK)
        await engine.start()
        try:
            await in_thread(engine.submit)(key)
            await hear(engine, key)
        finally:
            await engine.stop()

    GOAL = {"id": "k2", "goal": "Pictures, and videos."}

    def test_it_turns_an_answer_into_proposals(self, client, board):
        backend = self.play(client, board, reply(self.GOAL, text="I would."))
        [found] = Round.objects.all()
        assert (found.state, found.answer, found.calls) == ("done", "I would.", 1)
        [proposal] = KeptProposal.objects.all()
        page = client.get(f"/boards/{board.pk}/").content.decode()
        assert "<del> in notes</del><ins>, and videos</ins>" in page
        assert "I would." in page
        system = backend.requests[0].cleared.payload.messages[0].content
        assert '"Pictures in notes."' in system

    def test_it_changes_nothing_until_somebody_accepts(self, client, board):
        self.play(client, board, reply(self.GOAL))
        board.refresh_from_db()
        assert value_of(board) == NOTES
        key = KeptProposal.objects.get().pk
        client.post(f"/boards/{board.pk}/decide", {"accept": key})
        board.refresh_from_db()
        assert card_of(value_of(board), "k2").goal == "Pictures, and videos."
        change = BoardChange.objects.get()
        assert (str(change.person), change.remark) == ("ada", "Only on Wi-Fi.")

    def test_it_takes_a_decision_back(self, client, board):
        self.play(client, board, reply(self.GOAL))
        key = KeptProposal.objects.get().pk
        client.post(f"/boards/{board.pk}/decide", {"accept": key})
        client.post(f"/boards/{board.pk}/undo")
        board.refresh_from_db()
        assert value_of(board) == NOTES
        assert KeptProposal.objects.get().decision == "open"
        client.post(f"/boards/{board.pk}/decide", {"refuse": key})
        assert KeptProposal.objects.get().decision == "refused"
        client.post(f"/boards/{board.pk}/decide", {"reopen": key})
        assert KeptProposal.objects.get().decision == "open"

    def test_it_asks_again_with_the_last_attempt(self, client, board):
        backend = self.play(client, board, '{"cards": [{"id": "k2"', reply(self.GOAL))
        [found] = Round.objects.all()
        assert (found.state, found.calls) == ("done", 2)
        question = backend.requests[1].cleared.payload.messages[1].content
        assert '{"cards": [{"id": "k2"' in question

    def test_it_goes_on_though_nobody_looks(self, client, board):
        backend = Scripted([answer("{"), answer(reply(self.GOAL))])
        client.post(f"/boards/{board.pk}/say", {"message": "More."})

        async def play():
            engine = InProcess(Roads(server=lambda kept, placed: backend), QUICK)
            current.use(engine)
            await engine.start()
            try:
                while await in_thread(running_round)(board):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            finally:
                current.use(None)
                await engine.stop()

        turns_ended.connect(settle_ended)
        try:
            run(play)
        finally:
            turns_ended.disconnect(settle_ended)
        assert Round.objects.get().state == "done"
        assert KeptProposal.objects.count() == 1

    def test_it_gives_up_after_three_and_keeps_the_message(self, client, board):
        self.play(client, board, "{", "{", "{")
        [found] = Round.objects.all()
        assert (found.state, found.calls) == ("failed", 3)
        page = client.get(f"/boards/{board.pk}/").content.decode()
        assert "After 3 calls no answer could be read" in page
        assert page.count("Only on Wi-Fi.") >= 2  # shown, and in the button's form

    def test_it_says_that_a_proposal_no_longer_fits(self, client, board):
        self.play(client, board, reply(self.GOAL))
        store.change_card(
            board.owner,
            board.pk,
            "k2",
            lambda now: now.with_card(Card(id="k2", title="Photos", goal="Else.")),
            "edited",
        )
        page = client.get(f"/boards/{board.pk}/").content.decode()
        assert "The proposal no longer fits." in page
        key = KeptProposal.objects.get().pk
        answer = client.post(
            f"/boards/{board.pk}/decide",
            {"accept": key},
            headers={"accept": "application/json"},
        )
        assert "changed meanwhile" in answer.json()["problem"]
        board.refresh_from_db()
        assert card_of(value_of(board), "k2").goal == "Else."

    def test_it_measures_an_answer_against_what_was_sent(self, client, board):
        """What a colleague changed while the model thought is not taken back."""
        whole = {**NOTES.as_json()["cards"][1], **self.GOAL}
        backend = Scripted([answer(reply(whole))])
        client.post(f"/boards/{board.pk}/say", {"message": "More."})
        store.change_card(
            board.owner,
            board.pk,
            "k2",
            lambda now: now.with_card(
                Card(
                    id="k2",
                    title="Photos",
                    kind=card_of(now, "k2").kind,
                    goal="Pictures in notes.",
                    rules=("A colleague's rule.",),
                )
            ),
            "edited",
        )
        key = Turn.objects.get().pk
        run(lambda: self.run_turn(backend, key))
        client.get(f"/boards/{board.pk}/live")
        [proposal] = KeptProposal.objects.all()
        assert proposal.content["field"] == "goal"
        client.post(f"/boards/{board.pk}/decide", {"accept": proposal.pk})
        board.refresh_from_db()
        assert card_of(value_of(board), "k2").rules == ("A colleague's rule.",)

    def test_it_runs_one_round_at_a_time(self, client, board):
        client.post(f"/boards/{board.pk}/say", {"message": "One."})
        answer = client.post(
            f"/boards/{board.pk}/say",
            {"message": "Two."},
            headers={"accept": "application/json"},
        )
        assert "still on its way" in answer.json()["refused"]
        assert Round.objects.count() == 1

    def test_it_sends_nothing_private_unasked(self, client, board):
        form = {"message": "Mail mira.keller@kellerhaus.de about it."}
        place = f"/boards/{board.pk}/say"
        page = client.post(place, form).content.decode()
        assert "Send as it is" in page
        assert "Mail mira.keller@kellerhaus.de about it." in page
        assert not Round.objects.exists()
        assert not Conversation.objects.exists()
        client.post(place, {**form, "confirmed": "1"})
        assert Turn.objects.get().findings_confirmed

    def test_it_sends_nothing_to_a_third_party_without_its_word(self, client, board):
        KeptBoard.objects.filter(pk=board.pk).update(
            server=None, claude_session=SESSION
        )
        add(["zzquxx"])
        place = f"/boards/{board.pk}/say"
        page = client.post(place, {"message": "Photos?"}).content.decode()
        assert 'name="retype"' in page
        assert not Round.objects.exists()
        client.post(place, {"message": "Photos?", "retype": "claude"})
        assert Turn.objects.get().conversation.claude_session == SESSION

    def test_it_shows_calls_of_a_board_in_no_list_of_conversations(self, client, board):
        self.play(client, board, reply(text="Hi."))
        assert Conversation.objects.exists()
        assert "Only on Wi-Fi." not in client.get("/").content.decode()
        assert "Only on Wi-Fi." not in client.get("/search?q=Wi-Fi").content.decode()

    def test_it_tells_a_colleague_what_was_decided(self, client, board, make_user):
        team = Group.objects.create(name="team")
        bob = make_user("bob")
        bob.groups.add(team)
        KeptBoard.objects.filter(pk=board.pk).update(group=team)
        self.play(client, board, reply(self.GOAL))
        other = Client()
        other.force_login(bob)
        seen = other.get(f"/boards/{board.pk}/live?version=0").json()
        assert "Accept" in seen["proposals"]
        assert seen["here"] == "You and ada are here."
        version = seen["version"]
        assert (
            "proposals"
            not in other.get(f"/boards/{board.pk}/live?version={version}").json()
        )
        key = KeptProposal.objects.get().pk
        client.post(f"/boards/{board.pk}/decide", {"accept": key})
        seen = other.get(f"/boards/{board.pk}/live?version={version}").json()
        assert "Accept" not in seen["proposals"]
        assert "Pictures, and videos." in seen["cards"]

    def test_it_forgets_what_was_said_and_keeps_the_history(self, client, board):
        self.play(client, board, reply(self.GOAL))
        key = KeptProposal.objects.get().pk
        client.post(f"/boards/{board.pk}/decide", {"accept": key})
        client.post(f"/boards/{board.pk}/clear")
        assert not Round.objects.exists()
        assert not Turn.objects.exists()
        page = client.get(f"/boards/{board.pk}/history").content.decode()
        assert "Only on Wi-Fi." in page

    def test_it_shows_the_code_of_a_declared_root(
        self, client, board, settings, tmp_path
    ):
        (tmp_path / "README.md").write_text("ONLY_WIFI is a switch.")
        settings.LLMHUB_CONTEXT_ROOTS = [str(tmp_path)]
        form = {"server": board.server_id, "code": "0"}
        client.post(f"/boards/{board.pk}/choose", form)
        backend = self.play(client, board, reply(text="Hm."))
        system = backend.requests[0].cleared.payload.messages[0].content
        assert "ONLY_WIFI is a switch." in system
        settings.LLMHUB_CONTEXT_ROOTS = []
        backend = self.play(client, board, reply(text="Hm."))
        system = backend.requests[0].cleared.payload.messages[0].content
        assert "cannot see the product's code" in system

    @pytest.mark.parametrize("code", ["1", "-1", "/etc", "../..", ""])
    def test_it_takes_no_folder_from_a_client(
        self, client, board, settings, tmp_path, code
    ):
        settings.LLMHUB_CONTEXT_ROOTS = [str(tmp_path)]
        form = {"server": board.server_id, "code": code}
        client.post(f"/boards/{board.pk}/choose", form)
        board.refresh_from_db()
        assert board.code_root == ""

    def test_it_asks_no_server_that_the_person_may_not_see(
        self, client, board, make_user
    ):
        secret = Group.objects.create(name="secret")
        hidden = a_server(port=10, groups=(secret,))
        form = {"server": hidden.pk}
        client.post(f"/boards/{board.pk}/choose", form)
        board.refresh_from_db()
        assert board.server_id is None

    def test_it_takes_no_proposal_of_another_board(self, client, board, make_user):
        self.play(client, board, reply(self.GOAL))
        other = store.keep(board.owner, NOTES)
        key = KeptProposal.objects.get().pk
        client.post(f"/boards/{other.pk}/decide", {"accept": key})
        assert KeptProposal.objects.get().decision == "open"

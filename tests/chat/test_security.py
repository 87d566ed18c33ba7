"""The published advisories of such programs, as tests of the chat's roads."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client

from chat.engine.inprocess import InProcess
from chat.models import Conversation, Piece, State, Turn
from chat.roads import roads
from chat.urls import urlpatterns
from tests.chat.engine.test_inprocess import played
from tests.chat.makers import (
    QUICK,
    a_conversation,
    a_person,
    a_server,
    a_turn,
    hear,
    in_thread,
    run,
)
from tests.chat.scripted import Scripted, answer

METHODS = ("get", "head", "post", "put", "patch", "delete", "options")
WRITES = ("post", "put", "patch", "delete")
# Every URL of one conversation or turn, whatever is added later.
ROADS = [
    str(found.pattern)
    for found in urlpatterns
    if str(found.pattern).startswith(("c/<int:pk>", "turns/<int:pk>"))
]
CANARY_KEY = "sk-canary-5d1f0c7e9b2a"
CANARY_QUESTION = "What about canary-question-77?"


@pytest.fixture
def no_manifest(settings):
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {
            "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        },
    }


def logged_in(user: User) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return client


def url_of(road: str, conversation: Conversation, turn: Turn) -> str:
    pk = conversation.pk if road.startswith("c/") else turn.pk
    return "/" + road.replace("<int:pk>", str(pk))


def a_strange_user(kind: str) -> User:
    if kind == "superuser":
        return User.objects.create_superuser("root")
    return a_person("eve", kind)


@pytest.fixture(params=[False, True], ids=["kept", "temporary"])
def theirs(request, db):
    """Ada's conversation with a turn."""
    conversation = a_conversation(a_person("ada"), temporary=request.param)
    return conversation, a_turn(conversation, CANARY_QUESTION)


class OtherPeopleTests:
    def test_it_knows_the_roads_there_are(self):
        assert len(ROADS) >= 12

    @pytest.mark.parametrize("road", ROADS)
    @pytest.mark.parametrize("kind", ["members", "curators", "superuser"])
    def test_it_hides_it_from_everybody_but_the_owner(self, road, kind, theirs):
        client = logged_in(a_strange_user(kind))
        statuses = set()
        for method in METHODS:
            found = getattr(client, method)(url_of(road, *theirs))
            assert CANARY_QUESTION.encode() not in found.content
            statuses.add(found.status_code)
        assert statuses <= {404, 405}
        assert 404 in statuses

    @pytest.mark.parametrize("road", ROADS)
    def test_it_sends_strangers_to_the_login(self, road, theirs):
        for method in ("get", "post"):
            found = getattr(Client(), method)(url_of(road, *theirs))
            assert found.status_code == 302
            assert found.headers["location"].startswith("/accounts/login/")

    @pytest.mark.parametrize("kind", ["members", "curators", "superuser"])
    def test_it_lists_it_for_nobody_else(self, kind, theirs, no_manifest):
        client = logged_in(a_strange_user(kind))
        for path in ("/", "/search?q=canary", "/admin/"):
            assert b"canary-question" not in client.get(path).content

    @pytest.mark.parametrize("kind", ["curators", "superuser"])
    def test_it_has_no_place_in_the_admin(self, kind, theirs):
        client = logged_in(a_strange_user(kind))
        for noun in ("conversation", "turn", "piece"):
            found = client.get(f"/admin/chat/{noun}/")
            assert found.status_code in {302, 403, 404}

    def test_it_is_untouched_by_all_that(self, theirs):
        conversation, turn = theirs
        client = logged_in(a_strange_user("members"))
        for road in ROADS:
            client.post(url_of(road, conversation, turn), {"title": "taken"})
        if not conversation.temporary:
            conversation.refresh_from_db()
            turn.refresh_from_db()
        assert conversation.title == CANARY_QUESTION
        assert (turn.state, turn.stop_requested) == (State.QUEUED, False)


class WriteRightTests:
    def a_reader(self) -> User:
        """Somebody who may read their own conversations and write nothing."""
        person = a_person("ada")
        person.groups.clear()
        rights = Permission.objects.filter(
            content_type__app_label="chat", codename__startswith="view_"
        )
        person.user_permissions.set(rights)
        return User.objects.get(pk=person.pk)

    @pytest.mark.parametrize("road", ROADS)
    def test_it_changes_nothing_for_a_reader(self, road, db):
        conversation = a_conversation(a_person("ada"))
        turn = a_turn(conversation)
        client = logged_in(self.a_reader())
        for method in WRITES:
            found = getattr(client, method)(url_of(road, conversation, turn))
            assert found.status_code in {403, 405}

    def test_it_begins_nothing_for_a_reader(self, db):
        server = a_server()
        a_person("ada")
        client = logged_in(self.a_reader())
        found = client.post("/send", {"question": "Why?", "server": server.handle})
        assert found.status_code == 403
        assert not Conversation.objects.exists()

    def test_it_reads_for_a_reader(self, db, no_manifest):
        conversation = a_conversation(a_person("ada"))
        a_turn(conversation)
        client = logged_in(self.a_reader())
        assert client.get(f"/c/{conversation.pk}").status_code == 200


class SideEffectTests:
    def test_it_changes_nothing_by_looking(self, db, no_manifest):
        conversation = a_conversation(a_person("ada"))
        turn = a_turn(conversation)
        before = self.rows()
        client = logged_in(a_person("ada"))
        for road in ROADS:
            client.get(url_of(road, conversation, turn))
        assert self.rows() == before

    def test_it_takes_no_post_without_a_token(self, db):
        conversation = a_conversation(a_person("ada"))
        turn = a_turn(conversation)
        client = Client(enforce_csrf_checks=True)
        client.force_login(a_person(), "django.contrib.auth.backends.ModelBackend")
        for road in ROADS:
            found = client.post(url_of(road, conversation, turn))
            assert found.status_code in {403, 405}

    def rows(self) -> list[object]:
        tables = (Conversation, Turn, Piece)
        return [list(table.objects.order_by("pk").values()) for table in tables]


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
class CanaryTests:
    """A key, an address and a text planted: found nowhere they do not belong."""

    def everything_on_disk(self) -> bytes:
        name = str(connection.settings_dict["NAME"])
        files = [Path(name + end) for end in ("", "-wal", "-shm")]
        return b"".join(path.read_bytes() for path in files if path.exists())

    def an_unreachable_turn(self) -> Turn:
        server = a_server(port=9, api_key=CANARY_KEY)
        return a_turn(a_conversation(a_person("ada"), server), CANARY_QUESTION)

    def test_it_writes_no_key_address_or_text_to_the_database(self):
        turn = self.an_unreachable_turn()
        played(Scripted([answer("The canary-answer sings.")]), turn)
        found = self.everything_on_disk()
        for secret in (CANARY_KEY, "127.0.0.1:9", CANARY_QUESTION, "canary-answer"):
            assert secret.encode() not in found

    def test_it_keeps_key_and_address_out_of_errors_logs_and_pages(
        self, caplog, no_manifest
    ):
        caplog.set_level(logging.DEBUG)
        turn = self.an_unreachable_turn()
        played_on_the_real_road(turn)
        turn.refresh_from_db()
        assert turn.state == State.FAILED
        client = logged_in(a_person("ada"))
        pk = turn.conversation_id
        paths = (f"/c/{pk}", f"/c/{pk}/save", f"/c/{pk}/sent", "/")
        pages = [client.get(path).content.decode() for path in paths]
        fragment = client.get(f"/turns/{turn.pk}/fragment").content.decode()
        redacted = [
            record.getMessage()
            for record in caplog.records
            # The clients' own chatter is held back by level in the settings.
            if not record.name.startswith(("httpcore", "httpx", "openai", "asyncio"))
        ]
        for text in (str(turn.error), fragment, *pages, *redacted):
            assert CANARY_KEY not in text
            assert "127.0.0.1:9" not in text


def played_on_the_real_road(turn: Turn) -> None:
    """Answered by what the hub uses, not by a script."""

    async def play() -> None:
        engine = InProcess(roads(), QUICK)
        await engine.start()
        try:
            await in_thread(engine.submit)(turn.pk)
            await hear(engine, turn.pk)
        finally:
            await engine.stop()

    run(play)

"""Servers in the admin: added by address, keys write-only, handles in the history."""

from __future__ import annotations

import pytest
from cryptography.fernet import Fernet
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from servers import retained
from servers.addresses import Origin
from servers.admin import moved
from servers.models import Server
from tests.fakes import Replay

pytestmark = pytest.mark.django_db

ADD = reverse("admin:servers_server_add")
LIST = reverse("admin:servers_server_changelist")
KEY = "canary-key-77"


@pytest.fixture
def curator(client, make_user):
    client.force_login(make_user("cy", "curators"))
    return client


@pytest.fixture
def vllm():
    with Replay.of_capture("source/vllm/0.20.1-ready.json") as server:
        yield server


def fields(url: str, **more: str) -> dict[str, str]:
    return {"url": url, "label": "", "new_key": "", "default_model": "", **more}


def change_url(server: Server) -> str:
    return reverse("admin:servers_server_change", args=[server.pk])


class AccessTests:
    def test_it_sends_anonymous_people_to_the_login(self, client):
        assert client.get(LIST).url.startswith("/accounts/login/")

    @pytest.mark.parametrize("url", [LIST, ADD, "/admin/"])
    def test_it_does_not_exist_for_members(self, client, make_user, url):
        client.force_login(make_user("ada"))
        assert client.get(url).status_code == 404

    def test_it_ends_with_the_role(self, curator):
        assert curator.get(LIST).status_code == 200
        retained_user = curator.get(LIST).context["user"]
        retained_user.groups.clear()
        assert curator.get(LIST).status_code == 404


class AddTests:
    def test_it_shows_why_it_was_named_so(self, curator, vllm):
        answer = curator.post(ADD, fields(vllm.url, new_key=KEY), follow=True)
        server = Server.objects.get()
        assert (server.family, server.hosting, server.api_key) == (
            "vllm",
            "loopback",
            KEY,
        )
        assert b"/v1/models" in answer.content
        assert KEY not in repr(vllm.seen)

    def test_it_asks_before_keeping_what_is_silent(self, curator):
        answer = curator.post(ADD, fields("http://127.0.0.1:9"))
        assert b"Nothing answers there" in answer.content
        curator.post(ADD, fields("http://127.0.0.1:9", even_if_down="on"))
        assert Server.objects.get().family == ""

    @pytest.mark.parametrize(
        "url",
        ["http://u:hunter2@h", "http://0.0.0.0:1", "http://h/?q", "nonsense://", "h:0"],
    )
    def test_it_refuses_what_is_no_address(self, curator, url):
        answer = curator.post(ADD, fields(url))
        assert answer.status_code == 200
        assert answer.context["errors"]
        assert not Server.objects.exists()

    def test_it_refuses_a_key_that_is_none(self, curator, vllm):
        answer = curator.post(ADD, fields(vllm.url, new_key="a b"))
        assert answer.context["errors"]

    def test_it_names_the_handle_of_one_kept_already(self, curator, vllm):
        curator.post(ADD, fields(vllm.url))
        answer = curator.post(ADD, fields(vllm.url))
        assert b"Already kept as server-1" in answer.content


class KeyTests:
    def keep(self) -> Server:
        kept = retained.keep(Origin("http", "127.0.0.1", 9), api_key=KEY, label="Box")
        return Server.objects.get(pk=kept.pk)

    def save(self, client, server: Server, **more: str) -> Server:
        data = fields("http://127.0.0.1:9", label="Box", **more)
        answer = client.post(change_url(server), data)
        assert answer.status_code == 302
        return Server.objects.get(pk=server.pk)

    def test_it_never_shows_a_key(self, curator):
        server = self.keep()
        for url in (LIST, change_url(server)):
            assert KEY.encode() not in curator.get(url).content
        assert b"A key is set" in curator.get(change_url(server)).content

    def test_it_keeps_replaces_and_removes_a_key(self, curator):
        server = self.keep()
        assert self.save(curator, server).api_key == KEY
        assert self.save(curator, server, new_key="other").api_key == "other"
        assert self.save(curator, server, clear_key="on").api_key == ""

    def test_it_drops_the_key_when_the_address_changes(self, curator):
        server = self.keep()
        data = fields("http://127.0.0.1:10", even_if_down="on")
        curator.post(change_url(server), data)
        assert Server.objects.get().api_key == ""


class HistoryTests:
    def test_it_carries_handles_only(self, curator, vllm):
        curator.post(ADD, fields(vllm.url, label="Workshop", new_key=KEY))
        server = Server.objects.get()
        curator.post(change_url(server), fields(vllm.url, label="Attic"))
        delete = reverse("admin:servers_server_delete", args=[server.pk])
        assert str(vllm.port).encode() not in curator.get(delete).content
        curator.post(delete, {"post": "yes"})
        rows = LogEntry.objects.all()
        assert {row.object_repr for row in rows} == {"server-1 (vllm)"}
        told = " ".join(row.change_message for row in rows)
        for secret in (str(vllm.port), "Workshop", "Attic", KEY):
            assert secret not in told


class UnreadableTests:
    def test_it_lists_the_row_and_lets_it_be_forgotten(self, curator, settings):
        kept = retained.keep(Origin("http", "127.0.0.1", 9))
        settings.LLMHUB_KEYS = [Fernet.generate_key().decode()]
        server = Server.objects.get(pk=kept.pk)
        assert b"unreadable" in curator.get(LIST).content
        assert curator.post(change_url(server), fields("http://h")).status_code == 403
        curator.post(
            reverse("admin:servers_server_delete", args=[server.pk]), {"post": "yes"}
        )
        assert not Server.objects.exists()


class MovedTests:
    @pytest.mark.parametrize(
        ("chosen", "step", "order"),
        [
            ({3}, -1, [1, 3, 2, 4]),
            ({1}, -1, [1, 2, 3, 4]),
            ({3, 4}, -1, [1, 3, 4, 2]),
            ({2}, 1, [1, 3, 2, 4]),
            ({4}, 1, [1, 2, 3, 4]),
            ({1, 2}, 1, [3, 1, 2, 4]),
            ({1, 3}, -1, [1, 3, 2, 4]),
        ],
    )
    def test_it_moves_one_place_and_past_no_end(self, chosen, step, order):
        assert moved([1, 2, 3, 4], chosen, step) == order

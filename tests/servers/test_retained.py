"""Kept servers as values: ranks, visibility, and nothing in clear."""

from __future__ import annotations

import pytest
from cryptography.fernet import Fernet
from django.contrib.auth.models import Group

from servers import retained
from servers.addresses import Origin
from servers.errors import AlreadyKept, NotKept
from servers.hosting import Hosting
from servers.models import Server

pytestmark = pytest.mark.django_db


def keep(host: str = "10.0.0.1", **more) -> retained.Kept:
    more = {"family": "ollama", "hosting": Hosting.LAN, **more}
    return retained.keep(Origin("http", host, 11434), **more)


class HandleTests:
    def test_it_ranks_by_position_among_all(self):
        first, second, third = keep(), keep("10.0.0.2"), keep("10.0.0.3")
        assert [k.handle for k in (first, second, third)] == [
            "server-1",
            "server-2",
            "server-3",
        ]
        retained.reorder([third.pk])
        assert retained.get(third.pk).handle == "server-1"
        assert retained.get(second.pk).handle == "server-3"

    def test_it_moves_up_when_one_before_is_forgotten(self):
        first, second = keep(), keep("10.0.0.2")
        retained.forget(first.pk)
        assert retained.get(second.pk).handle == "server-1"

    def test_it_shows_neither_address_nor_label(self):
        kept = keep(label="Workshop box", api_key="k3y")
        for text in (str(kept), repr(kept), str(Server.objects.get())):
            assert "10.0.0.1" not in text
            assert "Workshop" not in text
            assert "k3y" not in text
        assert str(kept) == "server-1 (ollama)"

    def test_it_has_no_rank_before_it_is_loaded_with_one(self):
        assert str(Server(family="vllm")) == "server-? (vllm)"


class FindTests:
    def test_it_finds_by_handle_and_by_label(self):
        kept = keep(label="Workshop box")
        assert retained.find("SERVER-1") == kept
        assert retained.find(" workshop BOX ") == kept

    @pytest.mark.parametrize("text", ["", "server-9", "server-0", "10.0.0.1", "1"])
    def test_it_refuses_what_names_no_server(self, text):
        keep(label="Workshop box")
        with pytest.raises(NotKept):
            retained.find(text)

    def test_it_refuses_a_label_two_servers_have(self):
        keep(label="box")
        keep("10.0.0.2", label="Box")
        with pytest.raises(NotKept, match="handle"):
            retained.find("box")


class VisibilityTests:
    def test_it_shows_a_server_without_group_to_every_member(self, make_user):
        keep()
        assert len(retained.visible_to(make_user("ada"))) == 1

    def test_it_hides_a_group_server_and_keeps_ranks(self, make_user):
        hidden, shown = keep(), keep("10.0.0.2")
        Server.objects.get(pk=hidden.pk).groups.add(Group.objects.create(name="gpu"))
        ada = make_user("ada")
        assert [k.handle for k in retained.visible_to(ada)] == ["server-2"]
        assert retained.visible_to(ada)[0].pk == shown.pk
        with pytest.raises(NotKept):
            retained.get(hidden.pk, ada)
        with pytest.raises(NotKept):
            retained.find("server-1", ada)

    def test_it_shows_a_group_server_once_to_its_group(self, make_user):
        kept, ada = keep(), make_user("ada")
        for name in ("gpu", "night"):
            group = Group.objects.create(name=name)
            ada.groups.add(group)
            Server.objects.get(pk=kept.pk).groups.add(group)
        assert [k.pk for k in retained.visible_to(ada)] == [kept.pk]

    def test_it_shows_nothing_to_an_inactive_person(self, make_user):
        keep()
        assert retained.visible_to(make_user("gone", is_active=False)) == []


class KeepTests:
    def test_it_keeps_an_address_once(self):
        keep()
        with pytest.raises(AlreadyKept, match="server-1") as caught:
            keep()
        assert "10.0.0.1" not in str(caught.value)
        assert Server.objects.count() == 1

    def test_it_tells_prefixes_and_schemes_apart(self):
        keep()
        retained.keep(Origin("https", "10.0.0.1", 11434))
        retained.keep(Origin("http", "10.0.0.1", 11434, "/olla"))
        assert Server.objects.count() == 3

    def test_it_drops_the_key_when_the_address_changes(self):
        row = Server.objects.get(pk=keep(api_key="k3y").pk)
        row.move_to(row.origin)
        assert row.api_key == "k3y"
        row.move_to(Origin("http", "10.0.0.9", 11434))
        assert row.api_key == ""

    def test_it_lists_an_unreadable_row_beside_the_others(self, settings):
        keep(label="lost")
        settings.LLMHUB_KEYS = [Fernet.generate_key().decode(), *settings.LLMHUB_KEYS]
        keep("10.0.0.2", label="found")
        settings.LLMHUB_KEYS = settings.LLMHUB_KEYS[:1]
        lost, found = retained.kept_servers()
        assert (lost.unreadable, lost.handle, lost.label) == (True, "server-1", "")
        assert (found.unreadable, found.label) == (False, "found")

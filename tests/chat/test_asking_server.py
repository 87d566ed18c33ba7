from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from chat.asked import Asked, Unusable
from chat.asking_server import person_named, prepare
from servers.addresses import parse_url
from servers.hosting import Hosting
from servers.retained import keep
from tests.chat.makers import a_person, a_server

pytestmark = pytest.mark.django_db


def asked(target: str = "server-1", **more) -> Asked:
    return Asked(target, "Why?", 5.0, **more)


class PersonTests:
    def test_it_is_nobody_where_nobody_has_an_account(self):
        assert person_named("") is None

    def test_it_is_the_only_one_there_is(self):
        only = a_person("ada")
        assert person_named("") == only

    def test_it_is_the_first_curator_among_several(self):
        a_person("ada")
        curator = a_person("cy", "curators")
        a_person("dan", "curators")
        assert person_named("") == curator

    def test_it_is_the_one_that_was_named(self):
        a_person("cy", "curators")
        ada = a_person("ada")
        assert person_named("ada") == ada

    @pytest.mark.parametrize("name", ["nobody", "gone", "outsider"])
    def test_it_is_nobody_who_may_not_ask(self, name):
        a_person("ada")
        User.objects.create_user("gone", is_active=False)
        User.objects.create_user("outsider")
        with pytest.raises(Unusable, match=name):
            person_named(name)

    def test_it_says_when_nobody_may_ask(self):
        User.objects.create_user("outsider")
        with pytest.raises(Unusable):
            person_named("")


class PrepareTests:
    def test_it_says_where_the_text_goes_and_who_keeps_it(self):
        a_server(family="ollama")
        a_person("ada")
        where = prepare(asked()).where
        assert "server-1 (ollama)" in where
        assert "stays on this machine" in where
        assert "ada" in where
        assert "127.0.0.1" not in where

    def test_it_finds_a_server_by_its_label(self):
        a_server(label="Big box")
        a_person("ada")
        assert "server-1" in prepare(asked("big box")).where

    def test_it_refuses_a_server_that_is_not_kept(self):
        a_person("ada")
        with pytest.raises(Unusable):
            prepare(asked("server-7"))

    def test_it_wants_a_third_party_named_twice(self):
        keep(parse_url("https://203.0.113.9"), hosting=Hosting.GLOBAL)
        a_person("ada")
        with pytest.raises(Unusable, match=r"--confirm-destination 203\.0\.113\.9"):
            prepare(asked())

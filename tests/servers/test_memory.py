from __future__ import annotations

import pytest

from servers.addresses import parse_url
from servers.hosting import Hosting
from servers.memory import forget_all, remember_for, remembered
from servers.models import Server
from servers.retained import forget, keep, kept_servers, visible_to


@pytest.fixture
def remembering():
    remember_for(60)
    yield
    remember_for(0)


def counted():
    calls = []

    def load():
        calls.append(1)
        return len(calls)

    return load


class RememberedTests:
    def test_it_loads_every_time_unless_told_otherwise(self):
        load = counted()
        assert [remembered("x", load) for _ in range(3)] == [1, 2, 3]

    def test_it_loads_once_within_the_time(self, remembering):
        load = counted()
        assert [remembered("x", load) for _ in range(3)] == [1, 1, 1]

    def test_it_keeps_names_apart(self, remembering):
        assert remembered("x", lambda: 1) != remembered("y", lambda: 2)

    def test_it_forgets_when_it_is_told(self, remembering):
        load = counted()
        remembered("x", load)
        forget_all()
        assert remembered("x", load) == 2

    def test_it_forgets_when_the_time_is_over(self):
        remember_for(1e-9)
        try:
            load = counted()
            assert [remembered("x", load) for _ in range(2)] == [1, 2]
        finally:
            remember_for(0)


@pytest.mark.django_db
class KeptServersTests:
    def a_server(self):
        return keep(parse_url("http://127.0.0.1:9"), hosting=Hosting.LOOPBACK)

    def test_it_sees_what_this_process_keeps_and_forgets(self, remembering):
        assert kept_servers() == []
        server = self.a_server()
        assert [kept.pk for kept in kept_servers()] == [server.pk]
        forget(server.pk)
        assert kept_servers() == []

    def test_it_sees_a_change_of_groups(self, remembering, make_user):
        member = make_user("ada")
        server = self.a_server()
        assert visible_to(member)
        curators = make_user("cy", "curators").groups.get()
        Server.objects.get(pk=server.pk).groups.add(curators)
        assert visible_to(member) == []

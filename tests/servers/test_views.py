"""Pages of kept servers: handles and labels for members, no address, no waiting."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from servers import retained
from servers.addresses import Origin
from servers.cards import card_of, words_of
from servers.claims import Claim, Claims
from servers.hosting import Hosting
from servers.models import Server
from tests.servers.test_cache import IDENTITY

pytestmark = pytest.mark.django_db

LIST = reverse("servers:list")
STATES = reverse("servers:states")


def urls_of(handle: str) -> list[str]:
    return [reverse(f"servers:{n}", args=[handle]) for n in ("card", "card_fragment")]


@pytest.fixture
def kept():
    return retained.keep(
        Origin("http", "127.0.0.9", 9), label="Workshop", hosting=Hosting.LOOPBACK
    )


class AccessTests:
    def test_it_sends_anonymous_people_to_the_login(self, client, kept):
        for url in (LIST, STATES, *urls_of("server-1")):
            answer = client.get(url)
            assert answer.status_code == 302
            assert answer.url.startswith("/accounts/login/")

    def test_it_hides_a_server_of_another_group(self, client, make_user, kept):
        Server.objects.get().groups.add(Group.objects.create(name="gpu"))
        client.force_login(make_user("ada"))
        assert "server-1" not in client.get(LIST).content.decode()
        assert client.get(STATES).json()["servers"] == []
        for url in urls_of("server-1"):
            assert client.get(url).status_code == 404

    @pytest.mark.parametrize("handle", ["server-2", "nobody", "1"])
    def test_it_has_no_page_for_what_is_not_kept(self, client, make_user, kept, handle):
        client.force_login(make_user("ada"))
        for url in urls_of(handle):
            assert client.get(url).status_code == 404

    @pytest.mark.parametrize("url", [LIST, STATES])
    def test_it_changes_nothing_by_post(self, client, make_user, url):
        client.force_login(make_user("ada"))
        assert client.post(url).status_code == 405


class PageTests:
    def test_it_shows_no_address_to_members(self, client, make_user, kept):
        client.force_login(make_user("ada"))
        for url in (LIST, STATES, *urls_of("server-1")):
            text = client.get(url).content.decode()
            assert "127.0.0.9" not in text
        assert "Workshop" in client.get(LIST).content.decode()

    def test_it_shows_the_address_to_curators_on_the_card(
        self, client, make_user, kept
    ):
        client.force_login(make_user("cy", "curators"))
        assert b"127.0.0.9" in client.get(urls_of("server-1")[0]).content

    def test_it_says_what_to_do_when_nothing_is_kept(self, client, make_user):
        client.force_login(make_user("ada"))
        assert b"No server is kept yet" in client.get(LIST).content

    def test_it_answers_states_before_they_are_read(self, client, make_user, kept):
        client.force_login(make_user("ada"))
        found = client.get(STATES).json()["servers"][0]
        assert found["handle"] == "server-1"
        assert found["models"] == []


class CardTests:
    def test_it_says_degree_and_source_of_every_claim(self):
        from servers.cache import Reading

        claims = Claims(
            "m",
            context_tokens=Claim(32768, "GET /props n_ctx"),
            parameters_billions=Claim(8.0, "name", estimated=True),
            tools=Claim(False, "GET /props tools"),
        )
        card = card_of(Reading(IDENTITY, (claims,), at=0))
        rows = {row.heading: row for row in card.models[0].rows}
        assert rows["Context window"].text == "32,768 tokens"
        assert rows["Parameters"].text == "about 8 B"
        assert rows["Parameters"].degree == "estimated"
        assert rows["Tool calling"].text == "no"
        assert rows["Vision"].degree == "unknown"
        assert card.models[0].known == 3

    def test_it_never_says_no_for_unknown(self):
        assert words_of("vision", Claim()) == "unknown"

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from gpts.models import Gpt
from gpts.revisions import revise
from servers.addresses import Origin
from servers.hosting import Hosting
from servers.models import Server
from servers.retained import keep
from tests.gpts.sources import source

pytestmark = pytest.mark.django_db

ADDRESS = "192.0.2.77"


@pytest.fixture
def servers(db):
    """Two kept servers: on this machine, and in the network."""
    return [
        keep(Origin("http", "127.0.0.1", 8080), label="Desk", hosting=Hosting.LOOPBACK),
        keep(Origin("http", ADDRESS, 8080), label="Box", hosting=Hosting.LAN),
    ]


@pytest.fixture
def folder(tmp_path, settings):
    settings.LLMHUB_GPT_FOLDERS = [f"{tmp_path}=reviewed"]
    return tmp_path


@pytest.fixture
def member(client, make_user):
    """A client logged in as a member."""
    client.force_login(make_user("bob"))
    return client


def stems(client, query: str = "") -> list[str]:
    found = client.get(reverse("gpts:json") + query).json()
    return [row["stem"] for row in found["gpts"]]


class AccessTests:
    @pytest.mark.parametrize(
        "path", ["/gpts/", "/gpts/tiles", "/gpts/list.json", "/gpts/g/sql-explain/"]
    )
    def test_it_sends_strangers_to_the_login(self, client, path):
        response = client.get(path)
        assert response.status_code == 302
        assert response["Location"].startswith("/accounts/login/")

    @pytest.mark.parametrize(
        "path", ["/gpts/", "/gpts/tiles", "/gpts/list.json", "/gpts/g/sql-explain/"]
    )
    def test_it_refuses_people_without_the_permission(self, client, make_user, path):
        user = make_user("eve")
        user.groups.clear()
        client.force_login(user)
        assert client.get(path).status_code == 403

    @pytest.mark.parametrize("path", ["/gpts/", "/gpts/tiles", "/gpts/list.json"])
    def test_it_changes_nothing_by_other_methods(self, member, path):
        assert member.post(path).status_code == 405

    @pytest.mark.parametrize(
        "stem", ["nothing", "..", "%2e%2e%2fpasswd", "a" * 500, "sql-explain.md"]
    )
    def test_it_finds_no_gpt_by_another_name(self, member, stem):
        assert member.get(f"/gpts/g/{stem}/").status_code == 404

    def test_it_shows_members_no_address(self, member, servers, folder):
        (folder / "broken.md").write_text("---\n")
        for path in ("/gpts/?server=server-2", "/gpts/g/sql-explain/?server=2"):
            html = member.get(path).content.decode()
            assert "server-2" in html
            assert ADDRESS not in html
            assert str(folder) not in html


class CatalogueTests:
    def test_it_puts_what_fits_first_and_says_why_not(self, member, servers, folder):
        (folder / "near.md").write_text(
            source("requires: {hosting: loopback}").replace("A name", "Aaa near")
        )
        (folder / "far.md").write_text(source().replace("A name", "Zzz far"))
        here = member.get("/gpts/list.json?server=server-1").json()["gpts"]
        assert [row["stem"] for row in here[:2]] == ["near", "far"]
        there = member.get("/gpts/list.json?server=server-2").json()["gpts"]
        assert (there[0]["stem"], there[-1]["stem"]) == ("far", "near")
        assert there[-1]["match"] == {
            "verdict": "no",
            "reason": "Asks to stay on this machine; with this server a text "
            "stays on your network",
        }

    @pytest.mark.parametrize("query", ["server-2", "{pk}", "SERVER-2"])
    def test_it_takes_a_server_by_handle_or_key(self, member, servers, query):
        wanted = query.format(pk=servers[1].pk)
        html = member.get(f"/gpts/?server={wanted}").content.decode()
        assert '<span class="handle">server-2</span>' in html

    @pytest.mark.parametrize("query", ["", "server-9", "0", "-1", "x'\"<b>", "9" * 99])
    def test_it_takes_the_first_server_for_any_other_word(self, member, servers, query):
        response = member.get("/gpts/", {"server": query})
        assert response.context["asked"].server.pk == servers[0].pk

    def test_it_hides_servers_of_other_groups(self, member, servers, make_user):
        Server.objects.get(pk=servers[1].pk).groups.add(
            Group.objects.create(name="others")
        )
        response = member.get("/gpts/?server=server-2")
        assert response.context["asked"].server.pk == servers[0].pk
        assert "Box" not in response.content.decode()

    def test_it_can_be_read_without_any_server(self, member):
        html = member.get("/gpts/").content.decode()
        assert "No server is kept for you yet." in html
        assert "SQL explained" in html

    @pytest.mark.parametrize(
        ("words", "found"),
        [
            ("SQL", ["sql-explain"]),
            ("query SQL", ["sql-explain"]),
            ("where it may hurt", ["sql-explain"]),
            ("nothing-of-that", []),
        ],
    )
    def test_it_searches_names_and_descriptions(self, member, words, found):
        assert stems(member, f"?q={words}") == found

    def test_it_says_that_nothing_was_found_without_running_it(self, member):
        html = member.get("/gpts/", {"q": "<b>x</b>"}).content.decode()
        assert "&lt;b&gt;x&lt;/b&gt;" in html
        assert "<b>x" not in html

    def test_it_gives_letters_and_ranks_in_the_order_shown(self, member):
        rows = member.get("/gpts/list.json").json()["gpts"]
        assert [row["key"] for row in rows[:3]] == ["a", "b", "c"]
        assert [row["rank"] for row in rows[:3]] == [1, 2, 3]
        assert "n" not in [row["key"] for row in rows]

    def test_it_lists_what_is_not_in_use_with_the_reason(self, member, folder):
        (folder / "broken.md").write_text("---\ngpt: 1\n")
        html = member.get("/gpts/").content.decode()
        assert "broken" in html
        assert "The header that starts in line 1 is not closed" in html

    def test_it_escapes_what_a_gpt_says(self, member, folder):
        text = source().replace("A name", '"<img src=x onerror=alert(1)>"')
        (folder / "evil.md").write_text(text)
        for path in ("/gpts/", "/gpts/tiles?picker=1", "/gpts/g/evil/"):
            html = member.get(path).content.decode()
            assert "<img" not in html
            assert "&lt;img src=x" in html

    def test_it_keeps_the_list_until_something_changed(self, member, folder):
        first = member.get("/gpts/tiles").content
        assert member.get("/gpts/tiles").content == first
        (folder / "new.md").write_text(source().replace("A name", "Brand new"))
        assert b"Brand new" in member.get("/gpts/tiles").content

    def test_it_speaks_the_language_of_the_reader(self, member):
        html = member.get("/gpts/", headers={"accept-language": "fr"}).content.decode()
        assert "Relecture d&#x27;un diff" in html
        assert "Code review of a diff" in member.get("/gpts/").content.decode()


class GptPageTests:
    def test_it_shows_what_it_asks_reads_and_who_stands_for_it(self, member, servers):
        html = member.get("/gpts/g/explain-file/").content.decode()
        assert "A server on this machine or your network" in html
        assert "8k of context" in html
        assert "the file {path}" in html
        assert "Reviewed, shipped with the hub" in html

    def test_it_makes_a_form_of_its_inputs(self, member, servers):
        html = member.get("/gpts/g/code-review/").content.decode()
        assert 'name="input_diff"' in html
        assert "<option selected>everything</option>" in html
        assert 'name="gpt" value="code-review"' in html
        assert f'name="server" value="{servers[0].pk}"' in html
        assert f'action="{reverse("chat:begin")}"' in html

    def test_it_takes_values_from_a_link(self, member, servers):
        html = member.get("/gpts/g/code-review/?input_purpose=a%3Cb").content.decode()
        assert ">a&lt;b</textarea>" in html

    def test_it_lets_nobody_ask_where_the_text_may_not_go(
        self, member, servers, make_user
    ):
        revise(Gpt(stem="draft"), source(), make_user("ada", "curators"))
        html = member.get("/gpts/g/draft/?server=server-2").content.decode()
        assert 'type="submit" disabled' in html
        assert "Not reviewed: for servers on this machine only" in html
        html = member.get("/gpts/g/draft/?server=server-1").content.decode()
        assert 'type="submit" disabled' not in html

    def test_it_matches_against_every_server_of_the_reader(self, member, servers):
        html = member.get("/gpts/g/sql-explain/").content.decode()
        assert html.count("could not be read") == 3


class FragmentTests:
    def test_it_says_whether_to_ask_again(self, member):
        assert member.get("/gpts/tiles")["X-Pending"] == "0"

    def test_it_is_in_no_cache(self, member):
        for path in ("/gpts/tiles", "/gpts/list.json"):
            assert member.get(path)["Cache-Control"] == "no-store"

    def test_it_links_the_picker_to_a_new_conversation(self, member, servers):
        html = member.get(f"/gpts/tiles?picker=1&server={servers[1].pk}")
        wanted = f"/?server={servers[1].pk}&amp;gpt=sql-explain"
        assert wanted in html.content.decode()

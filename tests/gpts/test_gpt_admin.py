from __future__ import annotations

from urllib.parse import quote_from_bytes

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from gpts.models import Gpt, PrivateConfig
from gpts.private import Private, private_of
from gpts.revisions import revise
from servers.addresses import Origin
from servers.hosting import Hosting
from servers.retained import keep
from tests.gpts.sources import source

pytestmark = pytest.mark.django_db

LIST = "/admin/gpts/gpt/"


@pytest.fixture
def ada(make_user):
    return make_user("ada", "curators")


@pytest.fixture
def admin(client, ada):
    """A client logged in as the curator ada."""
    client.force_login(ada)
    return client


@pytest.fixture
def gpt(ada):
    """A gpt with two texts by ada."""
    made = Gpt(stem="mine")
    revise(made, source(), ada)
    revise(made, source(question="Second"), ada)
    return made


def post(client, path: str, **form):
    return client.post(path, form)


class WritingTests:
    def test_it_keeps_a_new_gpt_with_its_first_revision(self, admin, ada):
        form = {"stem": "mine", "source": source(), "base": "0"}
        assert post(admin, f"{LIST}add/", **form).status_code == 302
        current = Gpt.objects.get(stem="mine").current
        assert (current.number, current.source, current.author) == (1, source(), ada)

    def test_it_keeps_line_ends_of_a_browser_as_line_feeds(self, admin):
        text = source().replace("\n", "\r\n")
        post(admin, f"{LIST}add/", stem="mine", source=text, base="0")
        assert Gpt.objects.get().current.source == source()

    @pytest.mark.parametrize(
        ("form", "message"),
        [
            ({"source": "---\n"}, "line 1: The header that starts in line 1"),
            ({"source": source("requires: {hosting: moon}")}, "line 5: requires"),
            ({"stem": "Mine"}, "Use small letters"),
            ({"stem": "a/b"}, "Use small letters"),
            ({"stem": ""}, "This field is required."),
        ],
    )
    def test_it_refuses_with_the_text_still_in_the_form(self, admin, form, message):
        sent = {"stem": "mine", "source": source(), "base": "0"} | form
        response = post(admin, f"{LIST}add/", **sent)
        html = response.content.decode()
        assert message in html
        assert "gpt: 1" in html or sent["source"] == "---\n"
        assert not Gpt.objects.exists()

    def test_it_does_not_overwrite_what_somebody_saved_meanwhile(self, admin, gpt):
        text = source(question="Third")
        response = post(admin, f"{LIST}{gpt.pk}/change/", source=text, base="1")
        assert "Somebody saved revision 2 meanwhile" in response.content.decode()
        assert gpt.revisions.count() == 2

    def test_it_never_renames_a_gpt(self, admin, gpt):
        text = source(question="Third")
        form = {"stem": "other", "source": text, "base": "2"}
        post(admin, f"{LIST}{gpt.pk}/change/", **form)
        gpt.refresh_from_db()
        assert (gpt.stem, gpt.current.number) == ("mine", 3)

    def test_it_begins_with_the_text_of_a_gpt_that_is_copied(self, admin):
        html = admin.get(f"{LIST}add/?copy=sql-explain").content.decode()
        assert 'value="sql-explain"' in html
        assert "You explain SQL to people" in html

    @pytest.mark.parametrize("stem", ["nothing", "../settings", ""])
    def test_it_begins_with_an_example_for_any_other_word(self, admin, stem):
        html = admin.get(f"{LIST}add/", {"copy": stem}).content.decode()
        assert "What the model is, and the rules it keeps." in html

    def test_it_shows_the_standing_of_each(self, admin, gpt):
        html = admin.get(LIST).content.decode()
        assert "waits for its review" in html
        assert "A name" in html


class LiveCheckTests:
    def test_it_gives_problems_with_lines_and_keeps_nothing(self, admin):
        response = post(admin, f"{LIST}check/", source=source("requires: [a]"))
        found = response.json()
        assert found["ok"] is False
        assert [p["line"] for p in found["problems"] if p["fatal"]] == [5]
        assert not Gpt.objects.exists()
        assert "no-store" in response["Cache-Control"]

    def test_it_matches_against_each_kept_server(self, admin):
        keep(Origin("http", "127.0.0.1", 1), label="Desk", hosting=Hosting.LOOPBACK)
        keep(Origin("http", "192.0.2.7", 1), label="Box", hosting=Hosting.GLOBAL)
        found = post(admin, f"{LIST}check/", source=source()).json()
        rows = [(row["server"], row["verdict"]) for row in found["servers"]]
        assert rows == [("server-1 Desk", "ok"), ("server-2 Box", "no")]
        assert found["remark"] == (
            "Until its review it is for servers on this machine only."
        )

    def test_it_says_what_waits_for_a_review(self, admin):
        text = source("context: {commands: [{argv: [git, diff]}]}")
        found = post(admin, f"{LIST}check/", source=text).json()
        assert "nobody can use it before its review" in found["remark"]

    @pytest.mark.parametrize("text", ["", "\x00", "---\n" * 1000, "\ud800"])
    def test_it_survives_any_text(self, admin, text):
        raw = (
            b"source="
            + quote_from_bytes(text.encode("utf-8", "surrogatepass")).encode()
        )
        kind = "application/x-www-form-urlencoded"
        response = admin.post(f"{LIST}check/", raw, content_type=kind)
        assert response.json()["ok"] is False

    def test_it_answers_to_no_get(self, admin):
        assert admin.get(f"{LIST}check/").status_code == 405


class ReviewTests:
    def test_it_lets_another_curator_review_the_text_that_was_read(
        self, client, make_user, gpt
    ):
        client.force_login(make_user("cy", "curators"))
        path = reverse("admin:gpts_gpt_review", args=[gpt.pk])
        post(client, path, revision="2")
        gpt.refresh_from_db()
        assert gpt.current.reviewed_by.username == "cy"
        assert "Revision 2 reviewed." in LogEntry.objects.get().change_message

    @pytest.mark.parametrize("revision", ["1", "", "x"])
    def test_it_reviews_no_text_that_was_not_read(
        self, client, make_user, gpt, revision
    ):
        client.force_login(make_user("cy", "curators"))
        path = reverse("admin:gpts_gpt_review", args=[gpt.pk])
        response = client.post(path, {"revision": revision}, follow=True)
        assert "The text changed meanwhile" in response.content.decode()
        gpt.refresh_from_db()
        assert gpt.current.reviewed_at is None

    def test_it_refuses_the_author(self, admin, gpt):
        path = reverse("admin:gpts_gpt_review", args=[gpt.pk])
        response = admin.post(path, {"revision": "2"}, follow=True)
        assert "Somebody else has to review this" in response.content.decode()
        gpt.refresh_from_db()
        assert gpt.current.reviewed_at is None

    def test_it_withdraws_the_review_with_an_edit(self, client, make_user, gpt, ada):
        client.force_login(make_user("cy", "curators"))
        post(client, reverse("admin:gpts_gpt_review", args=[gpt.pk]), revision="2")
        client.force_login(ada)
        text = source(question="Third")
        post(client, f"{LIST}{gpt.pk}/change/", source=text, base="2")
        gpt.refresh_from_db()
        assert gpt.current.reviewed_at is None
        assert "waits for its review" in client.get(LIST).content.decode()


class StandingTests:
    def test_it_says_that_a_reviewed_gpt_of_that_name_is_used_instead(self, admin, ada):
        copy = Gpt(stem="sql-explain")
        revise(copy, source(), ada)
        html = admin.get(f"{LIST}{copy.pk}/change/").content.decode()
        assert "A reviewed gpt of that name is used instead" in html

    def test_it_says_nothing_of_a_gpt_in_use(self, admin, gpt):
        html = admin.get(f"{LIST}{gpt.pk}/change/").content.decode()
        assert "is used instead" not in html


class RevisionTests:
    def test_it_shows_what_changed(self, admin, gpt):
        path = reverse("admin:gpts_gpt_revision", args=[gpt.pk, 1])
        html = admin.get(path).content.decode()
        assert '<span class="diff-added">+Second' in html
        assert '<span class="diff-removed">-What is {topic}?' in html

    def test_it_restores_with_one_click(self, admin, gpt):
        path = reverse("admin:gpts_gpt_restore", args=[gpt.pk, 1])
        response = admin.post(path, follow=True)
        assert "Revision 1 is back" in response.content.decode()
        gpt.refresh_from_db()
        assert (gpt.current.number, gpt.current.source) == (3, source())

    def test_it_finds_no_revision_of_another_gpt(self, admin, gpt, ada):
        revise(Gpt(stem="other"), source(), ada)
        path = reverse("admin:gpts_gpt_restore", args=[gpt.pk, 7])
        assert admin.post(path).status_code == 404

    def test_it_restores_nothing_by_get(self, admin, gpt):
        path = reverse("admin:gpts_gpt_restore", args=[gpt.pk, 1])
        assert admin.get(path).status_code == 405
        assert gpt.revisions.count() == 2


class AccessTests:
    @pytest.mark.parametrize(
        ("name", "arguments"),
        [
            ("check", []),
            ("review", [1]),
            ("restore", [1, 1]),
        ],
    )
    def test_it_shows_members_nothing(self, client, make_user, gpt, name, arguments):
        client.force_login(make_user("bob"))
        path = reverse(f"admin:gpts_gpt_{name}", args=arguments)
        assert client.post(path, {"source": "x"}).status_code == 404
        assert gpt.revisions.count() == 2

    @pytest.mark.parametrize(
        ("name", "arguments"),
        [("check", []), ("review", ["pk"]), ("restore", ["pk", 1])],
    )
    def test_it_refuses_curators_without_the_write_right(
        self, client, make_user, gpt, name, arguments
    ):
        reader = make_user("eve")
        reader.is_staff = True
        reader.save()
        client.force_login(reader)
        places = [gpt.pk if part == "pk" else part for part in arguments]
        path = reverse(f"admin:gpts_gpt_{name}", args=places)
        form = {"source": "x", "revision": "2"}
        assert client.post(path, form).status_code == 403
        gpt.refresh_from_db()
        assert (gpt.current.number, gpt.current.reviewed_at) == (2, None)


class PrivateConfigTests:
    FORM = {"stem": "mine", "server": "", "model": "", "addition": "", "inputs": ""}

    def test_it_keeps_what_was_typed(self, admin, gpt):
        kept = keep(Origin("http", "127.0.0.1", 1), hosting=Hosting.LOOPBACK)
        form = self.FORM | {
            "server": str(kept.pk),
            "model": "qwen",
            "addition": "For our team.",
            "inputs": "topic = a = b\n\ntone=calm",
        }
        response = admin.post("/admin/gpts/privateconfig/add/", form)
        assert response.status_code == 302
        assert private_of("mine") == Private(
            kept.pk, "qwen", {"topic": "a = b", "tone": "calm"}, "For our team."
        )

    def test_it_shows_what_was_kept_again(self, admin, gpt):
        row = PrivateConfig.objects.create(
            stem="mine", config={"addition": "For our team.", "inputs": {"topic": "x"}}
        )
        path = f"/admin/gpts/privateconfig/{row.pk}/change/"
        html = admin.get(path).content.decode()
        assert "For our team." in html
        assert "topic = x" in html
        listed = admin.get("/admin/gpts/privateconfig/").content.decode()
        assert "For our team." not in listed

    @pytest.mark.parametrize(
        "form", [{"inputs": "topic"}, {"stem": "nothing"}, {"server": "99"}]
    )
    def test_it_refuses_what_means_nothing(self, admin, gpt, form):
        response = admin.post("/admin/gpts/privateconfig/add/", self.FORM | form)
        assert response.status_code == 200
        assert not PrivateConfig.objects.exists()

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.urls import reverse

from servers import scan_views
from servers.retained import kept_servers
from tests.fakes import Replay
from tests.servers.discovery.test_sweep import closed_port, listener

pytestmark = pytest.mark.django_db
JSON: dict[str, Any] = {"headers": {"accept": "application/json"}}
OLLAMA = "source/ollama/0.33.0-ready.json"


def url(name: str = "") -> str:
    return reverse("admin:servers_server_scan" + (f"_{name}" if name else ""))


@pytest.fixture(autouse=True)
def _idle():
    """Each test begins and ends without a scan."""
    yield
    scan_views.scanner().stop()
    wait_until_over()


def wait_until_over() -> Any:
    while (seen := scan_views.scanner().follow()) and seen.running:
        threading.Event().wait(0.01)
    return seen


@pytest.fixture
def ada(make_user) -> Client:
    client = Client()
    client.force_login(make_user("ada", "curators"))
    return client


@pytest.fixture
def ollama():
    with Replay.of_capture(OLLAMA) as server:
        yield server


def scan(client: Client, typed: str) -> Any:
    answer = client.post(url("start"), {"typed": typed}, **JSON)
    assert answer.status_code == 200, answer.content
    return wait_until_over()


class AccessTests:
    PAGES = ("", "count", "start", "stop", "leave", "progress", "keep")

    @pytest.mark.parametrize("name", PAGES)
    def test_anonymous_people_meet_the_login(self, name):
        answer = Client().get(url(name))
        assert answer.status_code == 302
        assert answer["location"].startswith("/accounts/login/")

    @pytest.mark.parametrize("name", PAGES)
    @pytest.mark.parametrize("method", ["get", "post"])
    def test_for_members_there_is_nothing(self, make_user, name, method):
        client = Client()
        client.force_login(make_user("mo"))
        assert getattr(client, method)(url(name)).status_code == 404

    @pytest.mark.parametrize("name", PAGES)
    def test_the_permission_alone_is_not_enough(self, make_user, name):
        user = make_user("mo")
        user.user_permissions.add(Permission.objects.get(codename="scan"))
        client = Client()
        client.force_login(user)
        assert client.post(url(name)).status_code == 404

    def test_a_curator_without_the_permission_sees_nothing(self, make_user):
        user = make_user("ada", "curators")
        scan_permission = Permission.objects.get(codename="scan")
        Group.objects.get(name="curators").permissions.remove(scan_permission)
        client = Client()
        client.force_login(user)
        assert client.get(url()).status_code == 404

    def test_who_may_look_may_not_keep_without_the_right(self, make_user):
        user = make_user("ada", "curators")
        add = Permission.objects.get(codename="add_server")
        Group.objects.get(name="curators").permissions.remove(add)
        client = Client()
        client.force_login(user)
        assert client.get(url()).status_code == 200
        assert client.post(url("keep"), {"run": 1, "row": 0}).status_code == 403

    @pytest.mark.parametrize("name", ["count", "start", "stop", "leave", "keep"])
    def test_a_get_changes_nothing(self, ada, name):
        assert ada.get(url(name)).status_code == 405

    def test_a_post_needs_its_token(self, make_user):
        client = Client(enforce_csrf_checks=True)
        client.force_login(make_user("ada", "curators"))
        assert client.post(url("start"), {"source": "loopback"}).status_code == 403


class PageTests:
    def test_it_offers_this_machine_and_obeys_the_policy(self, ada):
        answer = ada.get(url())
        text = answer.content.decode()
        assert "This machine" in text
        assert " style=" not in text
        assert "<script>" not in text
        assert "default-src 'self'" in answer["Content-Security-Policy"]

    def test_the_admin_leads_to_it(self, ada):
        for page in ("admin:index", "admin:servers_server_changelist"):
            assert url() in ada.get(reverse(page)).content.decode()

    def test_it_shows_a_scan_after_a_reload(self, ada, ollama):
        scan(ada, f"127.0.0.1:{ollama.port}")
        text = ada.get(url()).content.decode()
        assert "<strong>Ollama</strong> 0.33.0" in text
        assert f"127.0.0.1:{ollama.port}" in text

    def test_a_second_curator_sees_whose_scan_it_is(self, ada, ollama, make_user):
        scan(ada, f"127.0.0.1:{ollama.port}")
        client = Client()
        client.force_login(make_user("cy", "curators"))
        assert "started by ada" in client.get(url()).content.decode()

    def test_what_a_server_announces_is_text(self, ada):
        hostile = {"object": "list", "data": [{"id": "<img src=x onerror=1>"}]}
        with Replay({"GET /v1/models": {"json": hostile}}) as server:
            scan(ada, f"127.0.0.1:{server.port}")
        for text in (
            ada.get(url()).content.decode(),
            "".join(ada.get(url("progress")).json()["rows"]),
        ):
            assert "<img" not in text
            assert "&lt;img src=x onerror=1&gt;" in text


class CountTests:
    def test_it_counts_without_asking_anybody(self, ada, ollama):
        typed = {"typed": f"127.0.0.1:{ollama.port}"}
        found = ada.post(url("count"), typed, **JSON).json()
        assert found["targets"] == 1
        assert found["words"] == "1 port on 1 address"
        assert ollama.connections == 0

    @pytest.mark.parametrize(
        "typed",
        ["10.0.0.0/8", "8.8.8.0/24", "me:hunter2@box", "169.254.169.254", "a b"],
    )
    def test_it_refuses_in_a_sentence(self, ada, typed):
        answer = ada.post(url("count"), {"typed": typed}, **JSON)
        assert answer.status_code == 400
        assert answer.json()["problem"].endswith(".")
        assert "hunter2" not in answer.content.decode()

    def test_it_refuses_sources_that_are_none(self, ada):
        for source in ("host:10.0.0.1", "everything", "network:10.0.0.0/8"):
            answer = ada.post(url("count"), {"source": source}, **JSON)
            assert answer.status_code == 400

    def test_a_public_host_is_typed_twice(self, ada):
        first = ada.post(url("count"), {"typed": "203.0.113.9"}, **JSON)
        assert first.json()["retype"] == "203.0.113.9"
        for typed in ("203.0.113.9", "203.0.113.9/32"):
            wrong = {"typed": typed, "retyped": "203.0.113.8"}
            assert ada.post(url("count"), wrong, **JSON).status_code == 400
            right = {"typed": typed, "retyped": " 203.0.113.9 "}
            assert ada.post(url("count"), right, **JSON).status_code == 200

    def test_a_public_host_of_the_ssh_configuration_is_only_listed(
        self, ada, home, printing
    ):
        (home / ".ssh" / "config").write_text("Host far\n")
        printing("ssh", "hostname 203.0.113.9\n")
        found = ada.post(url("count"), {"source": "ssh"}, **JSON).json()
        assert found["targets"] == 0
        assert found["left_out"][0].startswith("far: a public address")


class StartTests:
    def test_it_starts_and_is_followed_by_number(self, ada, ollama):
        seen = scan(ada, f"127.0.0.1:{ollama.port}")
        first = ada.get(url("progress")).json()
        assert first["run"] == seen.number
        assert first["stage"] == "done"
        assert len(first["rows"]) == 1
        place = {"run": first["run"], "after": first["seen"]}
        assert ada.get(url("progress"), place).json()["rows"] == []
        other = {"run": first["run"] + 1, "after": first["seen"]}
        assert len(ada.get(url("progress"), other).json()["rows"]) == 1

    def test_without_a_script_it_leads_back_to_the_page(self, ada):
        port = closed_port().port
        answer = ada.post(url("start"), {"typed": f"127.0.0.1:{port}"})
        assert answer.status_code == 302
        assert answer["location"] == url()

    def test_without_a_script_a_refusal_is_on_the_page_with_what_was_typed(self, ada):
        answer = ada.post(url("start"), {"typed": "10.0.0.0/8"})
        assert answer.status_code == 400
        text = answer.content.decode()
        assert "wider than a /24" in text
        assert 'value="10.0.0.0/8"' in text

    def test_it_needs_something_to_ask(self, ada):
        answer = ada.post(url("start"), {}, **JSON)
        assert answer.status_code == 400
        assert "nothing to ask" in answer.json()["problem"]

    def test_a_second_start_follows_the_first(self, ada, settings):
        settings.LLMHUB_PROBE_SECONDS = 30
        with listener() as quiet:
            typed = {"typed": f"127.0.0.1:{quiet.port}"}
            assert ada.post(url("start"), typed, **JSON).json()["started"]
            assert not ada.post(url("start"), typed, **JSON).json()["started"]
            assert ada.get(url("progress")).json()["stage"] == "running"
            ada.post(url("stop"), **JSON)
            assert wait_until_over().stage == "stopped"
        assert "Stopped" in ada.get(url("progress")).json()["closing"]

    def test_the_progress_of_no_scan_is_none(self, ada):
        scan_views.scanner()._run = None
        assert ada.get(url("progress")).json()["stage"] == "none"


class KeepTests:
    def test_it_keeps_what_was_ticked_with_label_and_group(self, ada, ollama):
        group = Group.objects.create(name="rack")
        with Replay.of_capture(OLLAMA) as other:
            network = f"127.0.0.1:{ollama.port}"
            seen = scan(ada, network)
            form = {"run": seen.number, "row": 0, "label": " Big ", "group": group.pk}
            answer = ada.post(url("keep"), form, follow=True)
            assert "Kept: server-1." in answer.content.decode()
            assert "already kept as" in answer.content.decode()
            assert other.connections == 0
        (kept,) = kept_servers()
        assert (kept.label, kept.family) == ("Big", "ollama")

    def test_it_says_what_is_kept_already(self, ada, ollama):
        seen = scan(ada, f"127.0.0.1:{ollama.port}")
        form = {"run": seen.number, "row": 0}
        ada.post(url("keep"), form)
        again = ada.post(url("keep"), form, follow=True)
        assert "Already kept as server-1." in again.content.decode()
        assert len(kept_servers()) == 1

    @pytest.mark.parametrize(
        "form", [{}, {"run": "x", "row": "y"}, {"run": 10**30, "row": [0]}]
    )
    def test_it_keeps_nothing_of_a_scan_that_is_gone(self, ada, form):
        answer = ada.post(url("keep"), form, follow=True)
        assert "Nothing was chosen" in answer.content.decode()
        assert kept_servers() == []

    def test_nothing_is_written_of_what_was_not_kept(self, ada, ollama):
        scan(ada, f"127.0.0.1:{ollama.port}")
        assert kept_servers() == []
        assert str(ollama.port) not in str(dict(ada.session))

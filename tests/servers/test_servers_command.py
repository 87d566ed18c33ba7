"""`manage.py servers`: keep, list, order and forget, without saying where they are."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command

from servers.models import Server
from tests.fakes import Replay

pytestmark = pytest.mark.django_db


def run(*argv: str) -> str:
    out = StringIO()
    call_command("servers", *argv, stdout=out)
    return out.getvalue()


@pytest.fixture
def ollama():
    with Replay.of_capture("source/ollama/0.33.0-ready.json") as server:
        yield server


class AddTests:
    def test_it_keeps_what_it_recognised(self, ollama):
        assert "server-1 (ollama)" in run("add", ollama.url, "--label", "Workshop")
        row = Server.objects.get()
        assert (row.family, row.hosting, row.label) == (
            "ollama",
            "loopback",
            "Workshop",
        )
        assert row.default_model

    def test_it_never_sends_the_key_it_keeps(self, ollama, tmp_path):
        key_file = tmp_path / "key"
        key_file.write_text("canary-key-1\n")
        run("add", ollama.url, "--key-file", str(key_file))
        assert Server.objects.get().api_key == "canary-key-1"
        assert ollama.seen
        assert "canary-key-1" not in repr(ollama.seen)

    def test_it_takes_an_api_root_for_its_server(self, ollama):
        run("add", f"{ollama.url}/v1")
        assert Server.objects.get().origin.prefix == ""

    def test_it_keeps_a_silent_address_only_when_told(self):
        with pytest.raises(CommandError, match="Nothing answers"):
            run("add", "http://127.0.0.1:9")
        assert run("add", "http://127.0.0.1:9", "--down") == "Kept as server-1.\n"

    @pytest.mark.parametrize(
        ("argv", "says"),
        [
            (["http://me:hunter2@10.0.0.1"], "user name or password"),
            (["http://169.254.169.254"], "never a target"),
            (["ftp://10.0.0.1"], "http and https"),
            (["http://127.0.0.1:9", "--group", "nobody"], "No group"),
            (["http://127.0.0.1:9", "--slots", "0"], "--slots"),
            (["http://127.0.0.1:9", "--key-file", "/nonexistent"], "cannot be read"),
        ],
    )
    def test_it_refuses_in_one_line(self, argv, says):
        with pytest.raises(CommandError, match=says) as caught:
            run("add", *argv)
        assert "hunter2" not in str(caught.value)
        assert not Server.objects.exists()

    def test_it_refuses_a_key_file_without_a_key(self, tmp_path):
        path = tmp_path / "key"
        path.write_text("two words\nand lines")
        with pytest.raises(CommandError, match="holds no key"):
            run("add", "http://127.0.0.1:9", "--down", "--key-file", str(path))

    def test_it_keeps_an_address_once(self, ollama):
        run("add", ollama.url)
        with pytest.raises(CommandError, match="Already kept as server-1"):
            run("add", ollama.url)

    def test_it_shows_it_to_the_groups_named(self, ollama):
        Group.objects.create(name="gpu")
        run("add", ollama.url, "--group", "gpu")
        assert Server.objects.get().groups.get().name == "gpu"


class ListTests:
    def test_it_says_no_address_unless_asked(self, ollama):
        run("add", ollama.url, "--label", "Workshop")
        plain = run("--json") + run("list")
        assert str(ollama.port) not in plain
        assert "Workshop" not in plain
        told = json.loads(run("list", "--addresses", "--json"))
        assert told[0]["url"] == ollama.url
        assert told[0]["label"] == "Workshop"

    def test_it_exits_1_with_nothing_to_list(self):
        with pytest.raises(SystemExit) as done:
            run("list")
        assert done.value.code == 1


class ChangeTests:
    def test_it_puts_one_first_and_forgets_one(self, ollama):
        run("add", "http://127.0.0.1:9", "--down")
        run("add", ollama.url)
        run("first", "server-2")
        assert json.loads(run("--json"))[0]["family"] == "ollama"
        run("forget", "server-1")
        assert [row.family for row in Server.objects.all()] == [""]

    def test_it_refuses_a_handle_nobody_has(self):
        with pytest.raises(CommandError, match="No kept server"):
            run("forget", "server-1")

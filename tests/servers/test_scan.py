from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from servers.discovery.ports import DEFAULT_PORTS
from servers.retained import kept_servers
from tests.fakes import Replay
from tests.servers.discovery.test_sweep import closed_port, listener

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.django_db
OLLAMA = "source/ollama/0.33.0-ready.json"


def scan(*argv: str) -> tuple[int, str]:
    """The exit code and what was printed."""
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("scan", *argv, stdout=out)
    return int(ended.value.code or 0), out.getvalue()


def document(*argv: str) -> tuple[int, dict[str, Any]]:
    code, text = scan("--json", *argv)
    read: dict[str, Any] = json.loads(text)
    return code, read


def refused(*argv: str) -> CommandError:
    with pytest.raises(CommandError) as caught:
        call_command("scan", *argv, stdout=io.StringIO())
    return caught.value


@pytest.fixture
def ollama():
    with Replay.of_capture(OLLAMA) as server:
        yield server


class FoundTests:
    def test_it_prints_one_document(self, ollama):
        code, found = document("--host", "localhost", "--port", str(ollama.port))
        assert code == 0
        assert set(found) >= {
            "targets",
            "open",
            "seconds",
            "sources",
            "servers",
            "unrecognised",
        }
        (server,) = found["servers"]
        assert server["host"] == "127.0.0.1"
        assert server["family"] == "ollama"
        assert found["sources"]["host"]["targets"] == 2
        assert found["sources"]["host"]["problem"] is None

    def test_it_prints_a_line_when_found_and_a_table(self, ollama):
        code, text = scan("--host", f"127.0.0.1:{ollama.port}")
        assert code == 0
        assert f"Ollama 0.33.0 at 127.0.0.1:{ollama.port}" in text
        assert "server-1" in text
        assert "1 server found: 1 open of 1 targets" in text

    def test_it_says_when_there_is_nothing(self):
        code, text = scan("--host", "127.0.0.1", "--port", str(closed_port().port))
        assert code == 1
        assert "No server found" in text

    def test_it_finds_a_typed_network(self, ollama):
        code, found = document("--network", "127.0.0.0/30", "--port", str(ollama.port))
        assert code == 0
        assert len(found["servers"]) == 1

    def test_it_says_what_does_not_resolve(self):
        code, text = scan("--host", "nothing.invalid", "--port", "9")
        assert code == 1
        assert "nothing.invalid (does not resolve)" in text

    def test_what_a_server_announces_never_moves_the_cursor(self):
        hostile = {"object": "list", "data": [{"id": "\x1b[2Jevil\n[red]x"}]}
        with Replay({"GET /v1/models": {"json": hostile}}) as server:
            _, text = scan("--host", f"127.0.0.1:{server.port}")
        assert "\x1b" not in text


class ListTests:
    def test_it_lists_and_probes_nothing(self, ollama):
        code, found = document(
            "--list-targets", "--host", "localhost", "--port", str(ollama.port)
        )
        assert code == 0
        assert [t["host"] for t in found["target_list"]] == ["127.0.0.1", "::1"]
        assert set(found["target_list"][0]) == {"host", "port", "source", "note"}
        assert found["targets"] == 2
        assert ollama.connections == 0

    def test_alone_it_means_this_machine(self):
        _, found = document("--list-targets")
        assert set(found["sources"]) == {"loopback"}
        ports = [t["port"] for t in found["target_list"] if t["host"] == "127.0.0.1"]
        assert ports == list(DEFAULT_PORTS)

    def test_typed_ones_are_probed_alone(self):
        _, found = document("--list-targets", "--network", "10.0.0.0/30")
        assert set(found["sources"]) == {"network"}

    def test_all_ports_are_more(self):
        _, few = document("--list-targets", "--host", "10.0.0.1")
        _, many = document("--list-targets", "--host", "10.0.0.1", "--port", "all")
        assert many["targets"] > few["targets"] == 20

    def test_it_never_offers_a_service_known_by_its_name(self):
        code, found = document("--list-targets", "--host", "api.openai.com")
        assert code == 1
        assert found["target_list"] == []

    def test_it_never_offers_the_hub_itself(self, settings):
        settings.LLMHUB_ADDRESS = "127.0.0.1:8080"
        _, found = document("--list-targets", "--port", "8080")
        assert [t["host"] for t in found["target_list"]] in (["::1"], [])

    def test_it_prints_for_people_too(self):
        _, text = scan(
            "--list-targets", "--network", "192.168.77.67/31", "--port", "80"
        )
        assert "read as 192.168.77.66/31" in text
        assert "192.168.77.66:80  network" in text


class RefusalTests:
    @pytest.mark.parametrize(
        "argv",
        [
            ("--network", "10.0.0.0/8"),
            ("--network", "10.0.0.0/255.0.0.0"),
            ("--network", "8.8.8.0/24"),
            ("--host", "http://box/path"),
            ("--port", "0"),
            ("--port", "70000"),
            ("--source", "everything"),
            ("--source", "ssh-networks"),
            ("--keep", "some"),
            ("--keep", "0"),
        ],
    )
    def test_unusable_arguments_are_one_line_and_code_two(self, argv):
        error = refused(*argv)
        assert error.returncode == 2
        assert "\n" not in str(error)

    def test_a_password_is_not_echoed(self):
        assert "hunter2" not in str(refused("--host", "http://me:hunter2@box"))


class KeepTests:
    def test_it_keeps_all(self, ollama):
        code, found = document("--host", f"127.0.0.1:{ollama.port}", "--keep", "all")
        assert code == 0
        assert found["kept"][0]["handle"] == "server-1"
        (kept,) = kept_servers()
        assert (kept.family, kept.origin.port) == ("ollama", ollama.port)

    def test_it_keeps_by_number_and_says_what_is_kept_already(self, ollama):
        place = f"127.0.0.1:{ollama.port}"
        _, first = scan("--host", place, "--keep", "1")
        assert "Kept Ollama as server-1." in first
        _, again = scan("--host", place, "--keep", "1")
        assert "Already kept as server-1." in again
        assert "kept: server-1" in again
        assert len(kept_servers()) == 1

    def test_it_keeps_nothing_when_a_number_is_none(self, ollama):
        error = refused("--host", f"127.0.0.1:{ollama.port}", "--keep", "1,7")
        assert error.returncode == 1
        assert str(error) == "There is no row 7."
        assert kept_servers() == []


def child(argv: list[str], folder: Path, **more: Any) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "LLMHUB_VAR": str(folder / "var"),
        "DATABASE_URL": f"sqlite:///{folder}/none.sqlite3",
        "LLMHUB_ENV_FILE": "/nonexistent",
        **more,
    }
    return subprocess.Popen(
        [sys.executable, "manage.py", "scan", *argv],
        cwd=ROOT,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


class ProcessTests:
    def test_it_needs_no_database_and_writes_nothing(self, ollama, tmp_path):
        with child(["--host", f"127.0.0.1:{ollama.port}"], tmp_path) as run:
            out, err = run.communicate(timeout=60)
        assert (run.returncode, err) == (0, "")
        assert "server-1" in out
        assert list(tmp_path.iterdir()) == []

    def test_it_says_in_one_line_that_there_is_no_database_to_keep_in(
        self, ollama, tmp_path
    ):
        argv = ["--host", f"127.0.0.1:{ollama.port}", "--keep", "all"]
        with child(argv, tmp_path) as run:
            _, err = run.communicate(timeout=60)
        assert run.returncode == 1
        assert err.count("\n") == 1
        assert "There is no database yet" in err
        assert list(tmp_path.iterdir()) == []

    def test_ctrl_c_stops_at_once_and_prints_what_was_found(self, ollama, tmp_path):
        argv = ["--host", f"127.0.0.1:{ollama.port}", "--host", "127.0.0.1"]
        with listener() as quiet:
            argv += ["--port", str(quiet.port)]
            with child(argv, tmp_path, LLMHUB_PROBE_SECONDS="30") as run:
                assert run.stdout is not None
                seen = ""
                while "Ollama" not in seen:
                    seen += run.stdout.readline()
                run.send_signal(signal.SIGINT)
                out, err = run.communicate(timeout=20)
        assert run.returncode == 130
        assert err == ""
        assert "1 server found" in out
        assert "stopped early" in out

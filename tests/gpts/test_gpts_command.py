from __future__ import annotations

import json
import os
import socket
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from servers.addresses import Origin
from servers.hosting import Hosting
from servers.retained import keep
from tests.gpts.sources import source


def run(*words: str) -> tuple[int, str]:
    """Exit code and what was printed."""
    printed = StringIO()
    try:
        call_command("gpts", *words, stdout=printed)
    except SystemExit as error:
        return int(error.code or 0), printed.getvalue()
    return 0, printed.getvalue()


class CheckTests:
    def test_it_accepts_good_files_without_a_database(self, tmp_path):
        (tmp_path / "good.md").write_text(source(question="Q"))
        code, printed = run("check", str(tmp_path / "good.md"), "--json")
        assert code == 0
        assert json.loads(printed) == [
            {"stem": "good", "ok": True, "problems": [], "match": None}
        ]

    def test_it_ends_with_one_for_a_fatal_problem(self, tmp_path):
        (tmp_path / "bad.md").write_text(source("requires: {hosting: moon}"))
        (tmp_path / "good.md").write_text(source())
        code, printed = run("check", str(tmp_path))
        assert code == 1
        assert f"{tmp_path}/bad.md:5: error: requires.hosting must be" in printed
        assert "good.md:9: warning: {topic} is no declared input" in printed
        assert "2 checked, 1 refused." in printed

    def test_it_ends_with_zero_for_warnings_alone(self, tmp_path):
        (tmp_path / "good.md").write_text(source("colour: red"))
        code, printed = run("check", str(tmp_path), "--json")
        assert code == 0
        assert [p["fatal"] for p in json.loads(printed)[0]["problems"]] == [False] * 2

    def test_it_reads_a_folder_flat(self, tmp_path):
        (tmp_path / "deep.md").mkdir()
        (tmp_path / "sub").mkdir()
        (tmp_path / "sub" / "x.md").write_text("bad")
        code, printed = run("check", str(tmp_path), "--json")
        assert code == 1
        assert [row["stem"] for row in json.loads(printed)] == ["deep"]

    def test_it_ends_with_one_where_there_is_nothing(self, tmp_path):
        assert run("check", str(tmp_path)) == (1, "0 checked, 0 refused.\n")

    def test_it_reports_a_file_that_is_not_there(self, tmp_path):
        code, printed = run("check", str(tmp_path / "no.md"))
        assert code == 1
        assert "There is no such file." in printed

    def test_it_prints_no_control_character_of_a_file_name(self, tmp_path):
        (tmp_path / "a\x1b[31m.md").write_text("x")
        (tmp_path / os.fsdecode(b"b\xff.md")).write_text("x")
        code, printed = run("check", str(tmp_path))
        assert code == 1
        assert "\x1b" not in printed
        assert "a\\u001b[31m.md" in printed
        printed.encode()

    @pytest.mark.parametrize("words", [[], ["check"], ["list"], ["sing"]])
    def test_it_refuses_other_arguments(self, words):
        with pytest.raises(CommandError):
            call_command("gpts", *words)


@pytest.mark.django_db
class ListTests:
    def test_it_lists_by_fit_with_reasons(self, tmp_path, settings, closed_port):
        settings.LLMHUB_GPT_FOLDERS = [f"{tmp_path}=reviewed"]
        (tmp_path / "mine.md").write_text(source().replace("A name", "Aaa"))
        (tmp_path / "bad.md").write_text("---\n")
        keep(Origin("http", "127.0.0.1", closed_port), hosting=Hosting.LOOPBACK)
        code, printed = run("list", "--server", "server-1", "--json")
        rows = json.loads(printed)
        assert code == 0
        assert rows[0]["stem"] == "mine"
        assert rows[0]["match"] == {
            "verdict": "ok",
            "reason": "fits: stays on this machine",
        }
        assert rows[1]["match"]["verdict"] == "unknown"
        assert (rows[-1]["stem"], rows[-1]["ok"], rows[-1]["match"]) == (
            "bad",
            False,
            None,
        )

    def test_it_prints_one_line_each(self, closed_port):
        keep(Origin("http", "127.0.0.1", closed_port), hosting=Hosting.LOOPBACK)
        _code, printed = run("list", "--server", "server-1")
        assert "sql-explain" in printed
        assert "127.0.0.1" not in printed

    def test_it_refuses_a_server_that_is_not_kept(self):
        with pytest.raises(CommandError, match="No kept server") as caught:
            call_command("gpts", "list", "--server", "server-9")
        assert caught.value.returncode == 2


@pytest.fixture
def closed_port():
    """A port of this machine where nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]

"""`gate`, `preview` and `protected_names`, by exit code and document."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from gpts.models import Gpt
from gpts.private import Private, keep_private
from gpts.protected import add
from gpts.revisions import revise
from tests.gpts.sources import source

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).parents[2]
CONTEXT = (
    "inputs: {path: {type: repo_path, required: true}}\ncontext: {files: ['{path}']}"
)
PRIVATE = "Write to bob@acme-works.com about it."


def run(*words: str) -> tuple[int, str]:
    """Exit code and what was printed."""
    printed = StringIO()
    try:
        call_command(*words, stdout=printed)
    except SystemExit as error:
        return int(error.code or 0), printed.getvalue()
    except CommandError as error:
        return error.returncode, str(error)
    return 0, printed.getvalue()


def document(*words: str) -> tuple[int, Any]:
    code, printed = run(*words, "--json")
    return code, json.loads(printed)


class GateTests:
    def test_it_warns_of_what_stays_in_the_house(self, tmp_path):
        (tmp_path / "a.txt").write_text(f"one\n{PRIVATE}\n")
        code, printed = run("gate", str(tmp_path / "a.txt"))
        assert code == 0
        assert f"{tmp_path}/a.txt:2: email: bob@acme-works.com" in printed
        assert "warn: 1 private thing found (email)" in printed

    @pytest.mark.parametrize(
        "encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
    )
    def test_it_reads_every_encoding_of_unicode(self, tmp_path, encoding):
        (tmp_path / "a.txt").write_bytes(PRIVATE.encode(encoding))
        code, found = document("gate", str(tmp_path / "a.txt"))
        assert [finding["kind"] for finding in found["findings"]] == ["email"]

    def test_it_ends_with_one_where_it_may_not_leave(self, tmp_path):
        (tmp_path / "a.txt").write_text(PRIVATE)
        path = str(tmp_path / "a.txt")
        code, found = document("gate", "--hosting", "global", path)
        assert (code, found["verdict"], found["names_checked"]) == (1, "block", True)
        (finding,) = found["findings"]
        assert finding["kind"] == "email"
        assert PRIVATE[finding["start"] : finding["end"]] == "bob@acme-works.com"

    def test_it_reads_standard_input_as_a_filter(self, monkeypatch):
        typed = io.TextIOWrapper(io.BytesIO(b"\xff nothing here\n"))
        monkeypatch.setattr(sys, "stdin", typed)
        code, found = document("gate", "-")
        assert (code, found["verdict"], found["findings"]) == (0, "ok", [])
        assert "no protected name is entered yet" in found["reason"]

    def test_it_works_without_a_database_and_makes_none(self, tmp_path):
        database = tmp_path / "none.sqlite3"
        done = subprocess.run(
            [sys.executable, "manage.py", "gate", "--json"],
            cwd=ROOT,
            env={
                **os.environ,
                "DJANGO_SETTINGS_MODULE": "tests.settings",
                "DATABASE_URL": f"sqlite:///{database}",
            },
            input=PRIVATE,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        found = json.loads(done.stdout)
        assert (found["verdict"], found["names_checked"]) == ("warn", False)
        assert not database.exists()

    @pytest.mark.parametrize("name", ["no.txt", "", "a\0b"])
    def test_it_refuses_what_cannot_be_read(self, tmp_path, name):
        code, printed = run("gate", f"{tmp_path}/{name}")
        assert code == 2
        assert "\0" not in printed


class PreviewFileTests:
    @pytest.fixture
    def gpt(self, tmp_path) -> str:
        (tmp_path / "mine.md").write_text(source(CONTEXT, question="Explain {path}."))
        (tmp_path / "root").mkdir()
        (tmp_path / "root" / "notes.md").write_text("Two\nlines.\n")
        (tmp_path / "root" / ".env").write_text("KEY=canary")
        return str(tmp_path / "mine.md")

    def root(self, gpt: str) -> str:
        return str(Path(gpt).parent / "root")

    def test_it_shows_exactly_what_would_be_sent(self, gpt):
        code, found = document(
            *("preview", "--file", gpt, "--root", self.root(gpt)),
            *("--input", "path=notes.md", "--question", "In short."),
        )
        assert code == 0
        assert found["messages"] == [
            {"role": "system", "content": "Be brief."},
            {
                "role": "user",
                "content": "Explain notes.md.\n\n"
                "notes.md:\n```\nTwo\nlines.\n```\n\nIn short.",
            },
        ]
        assert found["sources"] == [
            {"label": "notes.md", "bytes": 11, "truncated": False, "refused": None}
        ]
        assert (found["verdict"], found["findings"]) == ("ok", [])

    @pytest.mark.parametrize("path", [".env", "../mine.md", "/etc/passwd"])
    def test_it_names_what_it_refuses_and_why(self, gpt, path):
        code, found = document(
            *("preview", "--file", gpt, "--root", self.root(gpt)),
            *("--input", f"path={path}"),
        )
        (refused,) = found["sources"]
        assert code == 0
        assert refused["bytes"] == 0
        assert refused["refused"]
        assert "canary" not in json.dumps(found)

    def test_it_reads_nothing_without_a_root(self, gpt, settings):
        settings.LLMHUB_CONTEXT_ROOTS = [self.root(gpt)]
        _code, found = document("preview", "--file", gpt, "--input", "path=notes.md")
        assert "Two" not in json.dumps(found["messages"])

    def test_it_ends_with_one_where_the_gate_blocks(self, gpt):
        code, found = document(
            *("preview", "--file", gpt, "--input", "path=notes.md"),
            *("--hosting", "global", "--question", PRIVATE),
        )
        assert (code, found["verdict"]) == (1, "block")
        assert [one["source"] for one in found["findings"]] == ["question"]

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ([], "--input path: Please fill this in."),
            (["--input", "x=y"], "There is no input x"),
            (["--input", "path=a", "--root", "/nowhere/at/all"], "is no folder"),
        ],
    )
    def test_it_refuses_arguments_that_cannot_be_used(self, gpt, words, message):
        code, printed = run("preview", "--file", gpt, *words)
        assert code == 2
        assert message in printed

    def test_it_gives_the_line_of_a_file_with_problems(self, tmp_path):
        (tmp_path / "bad.md").write_text(source("requires: {hosting: moon}"))
        code, printed = run("preview", "--file", str(tmp_path / "bad.md"))
        assert code == 2
        assert printed.startswith("line 5: requires.hosting")


class PreviewGptTests:
    def test_it_adds_what_the_hub_keeps_to_itself(self):
        private = Private(inputs={"query": "SELECT 2"}, addition="For us.")
        keep_private("sql-explain", private)
        _code, found = document("preview", "sql-explain")
        assert found["messages"][0]["content"].endswith("For us.")
        assert "SELECT 2" in found["messages"][1]["content"]

    def test_it_reads_nothing_for_an_unreviewed_gpt(
        self, tmp_path, settings, make_user
    ):
        (tmp_path / "notes.md").write_text("Two\nlines.\n")
        settings.LLMHUB_CONTEXT_ROOTS = [str(tmp_path)]
        revise(Gpt(stem="draft"), source(CONTEXT), make_user("ada", "curators"))
        _code, found = document("preview", "draft", "--input", "path=notes.md")
        assert "lines." not in json.dumps(found["messages"])
        assert found["sources"][0]["refused"]

    def test_it_prints_for_people_by_default(self):
        code, printed = run("preview", "sql-explain", "--input", "query=SELECT 1")
        assert code == 0
        assert printed.startswith("--- system\nYou explain SQL")
        assert "ok: Nothing private found" in printed

    def test_it_finds_protected_names(self):
        add(["Project Halcyon"])
        words = ("preview", "sql-explain", "--input", "query=x")
        code, found = document(*words, "--question", "Ask project halcyon.")
        assert (code, found["verdict"]) == (0, "warn")
        assert [one["kind"] for one in found["findings"]] == ["name"]

    def test_it_refuses_a_gpt_that_is_not_there(self):
        assert run("preview", "nothing") == (2, "There is no gpt of that name.")


class ProtectedNamesTests:
    def test_it_counts_without_showing(self):
        assert document("protected_names", "add", "Halcyon", "Borealis") == (
            0,
            {"count": 2},
        )
        code, printed = run("protected_names")
        assert (code, printed) == (0, "2 protected names.\n")

    def test_it_shows_names_when_asked(self):
        add(["Halcyon"])
        assert document("protected_names", "--show") == (
            0,
            {"count": 1, "names": ["Halcyon"]},
        )

    def test_it_removes_whatever_the_capitals_and_accents(self):
        add(["Hálcyon"])
        assert document("protected_names", "remove", "HALCYON") == (0, {"count": 0})

    def test_it_ends_with_one_where_nothing_changed(self):
        add(["Halcyon"])
        assert run("protected_names", "add", "halcyon")[0] == 1
        assert run("protected_names", "remove", "Borealis")[0] == 1

    @pytest.mark.parametrize(
        "words", [["add"], ["remove"], ["list", "x"], ["add", "x"], ["add", "y" * 300]]
    )
    def test_it_refuses_what_is_no_name(self, words):
        assert run("protected_names", *words)[0] == 2

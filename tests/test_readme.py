"""The README stays true: its commands run, its settings exist, none is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import call_command, get_commands

from llmhub.version import read_version

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SETTINGS = (ROOT / "llmhub" / "settings.py").read_text(encoding="utf-8")
APPS = ("llmhub", "servers", "gpts", "chat")

documented = sorted(set(re.findall(r"manage\.py ([a-z_]+)", README)) | {"restore"})
targets = sorted(set(re.findall(r"`make ([a-z]+)`", README)))


class CommandTests:
    @pytest.mark.parametrize("name", documented)
    def test_it_has_every_command_it_documents(self, name, capsys):
        with pytest.raises(SystemExit) as done:
            call_command(name, "--help")
        assert done.value.code == 0
        assert "usage:" in capsys.readouterr().out

    def test_it_documents_every_command_of_its_own(self):
        own = {name for name, app in get_commands().items() if app in APPS}
        # What `make run` and `make demo` do has a make target for people; Django's
        # runserver is `serve` under the name that people know.
        assert own - {"start", "demo", "runserver"} <= set(documented)

    @pytest.mark.parametrize("name", targets)
    def test_it_has_every_make_target_it_documents(self, name):
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        assert re.search(rf"^{name}:", makefile, re.MULTILINE)


class SettingTests:
    def test_it_documents_every_setting(self):
        read = set(re.findall(r'"(LLMHUB_[A-Z_]+)"', SETTINGS)) - {"LLMHUB_ENV_FILE"}
        assert read == set(re.findall(r"`(LLMHUB_[A-Z_]+)`", README))

    def test_it_shows_only_settings_that_exist_in_the_example(self):
        example = (ROOT / ".env.example").read_text(encoding="utf-8")
        names = set(re.findall(r"^#? ?([A-Z_]+)=", example, re.MULTILINE))
        assert all(f'"{name}"' in SETTINGS for name in names)


class VersionTests:
    def test_it_is_written_in_the_changelog_alone(self):
        assert re.fullmatch(r"\d+\.\d+\.\d+", read_version(ROOT / "CHANGELOG.md"))

    def test_it_is_0_0_0_without_a_release(self, tmp_path):
        (tmp_path / "C.md").write_text("# Changelog\n")
        assert read_version(tmp_path / "C.md") == "0.0.0"


OURS = ("llmhub", "servers", "gpts", "chat", "tests", ".ci")


class RepositoryTests:
    def test_it_names_no_machine_path(self):
        files = [path for folder in OURS for path in (ROOT / folder).rglob("*")]
        texts = [p for p in files if p.suffix in {".py", ".md", ".html", ".js", ".sh"}]
        machine = re.compile("/(?:wo" + "rk|fa" + "rm)/|/ro" + "ot/[.]")
        found = [p.name for p in texts if machine.search(p.read_text("utf-8"))]
        assert found == []

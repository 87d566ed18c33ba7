"""`start` prepares what is missing once, and changes nothing the second time."""

from __future__ import annotations

import re
import stat
from pathlib import Path

from tests.llmhub.test_commandline import manage

CURATORS = """
from django.contrib.auth.models import User
for user in User.objects.all():
    print(user.username, user.is_superuser, [g.name for g in user.groups.all()])
"""


def start(var: Path) -> str:
    done = manage("start", "--prepare-only", LLMHUB_VAR=str(var))
    assert done.returncode == 0, done.stderr
    return done.stdout


class StartTests:
    def test_it_prepares_everything_once(self, tmp_path):
        var = tmp_path / "var"
        first = start(var)
        password = re.search(r"^  password +(\S+)$", first, re.MULTILINE)
        assert password and len(password.group(1)) >= 16
        assert "targets" in first
        assert stat.S_IMODE(var.stat().st_mode) == 0o700
        assert stat.S_IMODE((var / "hub.sqlite3").stat().st_mode) == 0o600
        assert (var / "static" / "staticfiles.json").exists()
        collected = (var / "static" / "staticfiles.json").stat().st_mtime_ns

        assert start(var) == ""
        assert (var / "static" / "staticfiles.json").stat().st_mtime_ns == collected

    def test_it_makes_a_curator_whose_password_is_stored_nowhere(self, tmp_path):
        var = tmp_path / "var"
        password = re.search(r"^  password +(\S+)$", start(var), re.MULTILINE)
        assert password
        stored = (var / "hub.sqlite3").read_bytes()
        assert password.group(1).encode() not in stored
        shown = manage("shell", "-v0", "-c", CURATORS, LLMHUB_VAR=str(var))
        assert shown.stdout.strip() == "curator True ['curators']"

    def test_it_closes_a_folder_that_stood_open(self, tmp_path):
        var = tmp_path / "var"
        var.mkdir(mode=0o755)
        start(var)
        assert stat.S_IMODE(var.stat().st_mode) == 0o700

"""`backup` and `restore` on a real SQLite file, through the command line."""

from __future__ import annotations

import stat

from tests.llmhub.test_commandline import manage


class BackupTests:
    def test_it_brings_back_what_was_there(self, tmp_path):
        env = {"DATABASE_URL": f"sqlite:///{tmp_path / 'hub.sqlite3'}"}
        copy = tmp_path / "copy.sqlite3"
        assert manage("migrate", "-v0", **env).returncode == 0
        done = manage("backup", str(copy), **env)
        assert done.returncode == 0, done.stderr
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
        done = manage("restore", str(copy), **env)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "hub.sqlite3.before-restore").exists()

    def test_it_overwrites_no_file(self, tmp_path):
        env = {"DATABASE_URL": f"sqlite:///{tmp_path / 'hub.sqlite3'}"}
        copy = tmp_path / "precious"
        copy.write_text("precious")
        manage("migrate", "-v0", **env)
        done = manage("backup", str(copy), **env)
        assert done.returncode == 1
        assert copy.read_text() == "precious"

    def test_it_restores_no_other_file(self, tmp_path):
        env = {"DATABASE_URL": f"sqlite:///{tmp_path / 'hub.sqlite3'}"}
        other = tmp_path / "notes.txt"
        other.write_text("notes")
        manage("migrate", "-v0", **env)
        done = manage("restore", str(other), **env)
        assert done.returncode == 1
        assert "no intact copy" in done.stderr

    def test_it_keeps_the_database_to_its_owner(self, tmp_path):
        path = tmp_path / "hub.sqlite3"
        manage("migrate", "-v0", DATABASE_URL=f"sqlite:///{path}")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

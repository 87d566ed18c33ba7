"""`.env`: fresh keys, its owner's alone, never overwritten."""

from __future__ import annotations

import stat

from cryptography.fernet import Fernet

from llmhub.make_env import main, make_env


def values(path) -> dict[str, str]:
    lines = path.read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and line[0] != "#")


class MakeEnvTests:
    def test_it_writes_fresh_keys_for_its_owner(self, tmp_path):
        first, second = tmp_path / "a", tmp_path / "b"
        assert make_env(first)
        assert make_env(second)
        assert stat.S_IMODE(first.stat().st_mode) == 0o600
        found, other = values(first), values(second)
        Fernet(found["LLMHUB_KEYS"])
        assert len(found["SECRET_KEY"]) >= 50
        assert not set(found.values()) & set(other.values())

    def test_it_never_overwrites(self, tmp_path):
        path = tmp_path / ".env"
        path.write_text("mine")
        assert not make_env(path)
        assert path.read_text() == "mine"

    def test_it_follows_no_dangling_link(self, tmp_path):
        link = tmp_path / ".env"
        link.symlink_to(tmp_path / "elsewhere")
        assert not make_env(link)
        assert not (tmp_path / "elsewhere").exists()

    def test_it_prints_a_key_and_writes_nothing(self, tmp_path, capsys):
        assert main([str(tmp_path / ".env"), "--print-key"]) == 0
        Fernet(capsys.readouterr().out.strip())
        assert not (tmp_path / ".env").exists()

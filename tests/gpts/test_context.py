from __future__ import annotations

import os
import socket
import threading
from pathlib import Path

import pytest

from gpts.allowed import Allowed
from gpts.context import ALL_CHARACTERS, SOURCE_CHARACTERS, Gathered, gather, roots_at
from gpts.detectors.names import NOT_CHECKED
from gpts.document import Command, Context
from tests.gpts import labelled

GIT_LOG = Allowed(("git", "log"), ("--oneline", "--stat", "-n N", "--since=WHEN"), 1)


@pytest.fixture
def home(tmp_path):
    """A home folder with keys beside the project: what must never be reached."""
    ssh = tmp_path / "mira" / ".ssh"
    ssh.mkdir(parents=True)
    (ssh / "id_ed25519").write_text("the private key")
    (ssh / "config").write_text("Host box")
    (ssh / "id_ed25519.pub").write_text("the public key")
    return tmp_path / "mira"


@pytest.fixture
def root(tmp_path):
    project = tmp_path / "proj"
    project.mkdir()
    return project


def read(
    root: Path,
    *files: str,
    commands: tuple[Command, ...] = (),
    allowed: tuple[Allowed, ...] = (),
    **inputs: str,
) -> Gathered:
    return gather(
        Context(files, commands),
        inputs,
        roots=roots_at([root]),
        allowed=allowed,
        names=NOT_CHECKED,
    )


def labels(gathered: Gathered) -> list[str]:
    return [piece.label for piece in gathered.pieces]


def reasons(gathered: Gathered) -> dict[str, str]:
    return {left.label: left.reason for left in gathered.left}


def texts(gathered: Gathered) -> str:
    return "\n".join(piece.text for piece in gathered.pieces)


class LinkTests:
    def test_it_refuses_a_linked_folder_in_the_middle_of_a_path(self, root, home):
        (root / "docs").mkdir()
        (root / "docs" / "keys").symlink_to(home / ".ssh")

        gathered = read(root, "docs/keys/config", "docs/keys/not-there")

        assert labels(gathered) == []
        assert len(set(reasons(gathered).values())) == 1  # there or not: the same

    def test_it_refuses_a_pattern_that_leads_through_a_linked_folder(self, root, home):
        (root / "docs").mkdir()
        (root / "docs" / "keys").symlink_to(home / ".ssh")

        gathered = read(root, "docs/**/*.pub", "docs/keys/*.pub", "docs/*/*.pub")

        assert labels(gathered) == []
        assert gathered.left

    def test_it_refuses_a_chain_of_links_to_a_denied_name(self, root):
        (root / ".env").write_text("X=1")
        (root / "a.txt").symlink_to(".env")
        (root / "b.txt").symlink_to("a.txt")

        gathered = read(root, "b.txt")

        assert labels(gathered) == []

    def test_it_says_that_a_dangling_link_does_not_exist(self, root):
        (root / "c.txt").symlink_to("missing")

        assert reasons(read(root, "c.txt")) == {"c.txt": "it does not exist"}

    def test_it_refuses_a_denied_name_that_links_to_an_innocent_one(self, home):
        (home / "dotfiles").mkdir()
        (home / ".ssh" / "id_ed25519").rename(home / "dotfiles" / "key")
        (home / ".ssh" / "id_ed25519").symlink_to("../dotfiles/key")

        gathered = read(home, str(home / ".ssh" / "id_ed25519"), ".ssh/id_ed25519")

        assert labels(gathered) == []

    def test_it_refuses_a_link_through_a_denied_one(self, root):
        (root / ".git").mkdir()
        (root / "notes").mkdir()
        (root / "notes" / "n.md").write_text("n")
        (root / ".git" / "x").symlink_to("../notes/n.md")
        (root / "ok.md").symlink_to(".git/x")

        assert labels(read(root, "ok.md")) == []

    def test_it_refuses_a_hard_link(self, root):
        (root / ".env").write_text("X=1")
        os.link(root / ".env", root / "notes.txt")

        gathered = read(root, "notes.txt")

        assert labels(gathered) == []
        assert "several names" in reasons(gathered)["notes.txt"]

    def test_it_refuses_a_circle_of_links(self, root):
        (root / "a").symlink_to("b")
        (root / "b").symlink_to("a")

        assert "circle" in reasons(read(root, "a"))["a"]

    def test_it_refuses_a_link_that_climbs_out(self, root, home):
        (root / "up.md").symlink_to("../mira/.bashrc")
        (home / ".bashrc").write_text("x")

        assert labels(read(root, "up.md")) == []

    def test_it_follows_a_link_within_the_root(self, root):
        (root / "real").mkdir()
        (root / "real" / "n.md").write_text("text")
        (root / "docs").symlink_to("real")

        assert labels(read(root, "docs/n.md")) == ["docs/n.md"]

    def test_it_follows_an_absolute_link_within_the_root(self, root):
        (root / "n.md").write_text("text")
        (root / "m.md").symlink_to(root / "n.md")

        assert labels(read(root, "m.md")) == ["m.md"]

    def test_it_reads_below_a_root_that_is_a_link(self, root, tmp_path):
        (root / "n.md").write_text("text")
        (tmp_path / "alias").symlink_to(root)

        assert labels(read(tmp_path / "alias", "n.md")) == ["n.md"]

    def test_it_never_reads_what_is_swapped_in(self, root, home):
        """A folder becomes a link to the keys and back, while it is read."""
        (root / "docs").mkdir()
        (root / "docs" / "config").write_text("harmless")
        stop = threading.Event()
        swapper = threading.Thread(target=_swap, args=(root, home, stop))
        swapper.start()
        try:
            seen = {texts(read(root, "docs/config")) for _ in range(300)}
        finally:
            stop.set()
            swapper.join()

        assert seen <= {"harmless", ""}


def _swap(root: Path, home: Path, stop: threading.Event) -> None:
    while not stop.is_set():
        (root / "docs").rename(root / "aside")
        (root / "docs").symlink_to(home / ".ssh")
        (root / "docs").unlink()
        (root / "aside").rename(root / "docs")


class SystemTests:
    @pytest.mark.parametrize(
        "path",
        [
            "/proc/self/root/etc/passwd",
            "/proc/self/environ",
            "/proc/1/root/etc/shadow",
            "/proc/self/cwd/../../etc/passwd",
            "/dev/fd/../root/etc/shadow",
            "/dev/zero",
            "/sys/kernel/notes",
            "//proc/self/environ",
            "/./proc/self/environ",
            "/etc/passwd",
            "../proj/a.md",
            "docs/../../mira/x",
            "~mira/x",
            "~/x",
            "a\0.md",
            "a\n.md",
            " ",
            "x" * 300,
            "d/" * 3000 + "x",
            "..\\..\\windows\\win.ini",
            "C:\\Users\\mira\\x",
        ],
    )
    def test_it_refuses_what_is_no_path_below_a_root(self, root, path):
        gathered = read(root, path)

        assert labels(gathered) == []
        assert len(gathered.left) == 1

    def test_it_takes_no_part_of_the_system_as_a_root(self):
        assert roots_at(["/proc", "/dev", "/sys", "/nonexistent"]) == ()

    def test_it_refuses_devices_quickly(self, root):
        for name in ("zero", "stdin", "tty", "fd"):
            (root / f"{name}.md").symlink_to(f"/dev/{name}")

        gathered = read(root, "zero.md", "stdin.md", "tty.md", "fd.md")

        assert set(reasons(gathered).values()) == {"it is not a regular file"}

    def test_it_refuses_a_socket(self, root, monkeypatch):
        monkeypatch.chdir(root)  # a socket's path is short
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("sock.md")

            gathered = read(root, "sock.md")

        assert reasons(gathered) == {"sock.md": "it is not a regular file"}

    @pytest.mark.timeout(10)
    def test_it_passes_over_a_fifo(self, root):
        os.mkfifo(root / "notes.md")
        (root / "real.md").write_text("text")

        gathered = read(root, "*.md")

        assert labels(gathered) == ["real.md"]
        assert reasons(gathered) == {"notes.md": "it is not a regular file"}

    def test_it_says_that_a_folder_is_none(self, root):
        (root / "docs").mkdir()

        assert reasons(read(root, "docs")) == {"docs": "it is a folder"}

    def test_it_reads_nothing_without_a_root(self):
        gathered = gather(
            Context(("a.md",)), {}, roots=(), allowed=(), names=NOT_CHECKED
        )

        assert "LLMHUB_CONTEXT_ROOTS" in gathered.left[0].reason


class DeniedTests:
    @pytest.mark.parametrize(
        "path",
        [
            ".env",
            ".ENV",
            ".env.local",
            "prod.env",
            ".env.",
            ".env ",
            ".env::$DATA",
            ".e\u200bnv",
            "\uff0eenv",
            ".SSH/Id_Rsa",
            "Secrets.YAML",
            "secrets-prod.json",
            "credentials",
            "server.pem",
            "server.key.old",
            "vault.kdbx",
            "id_rsa",
            "id_ed25519.bak",
            "node_modules/x/readme.md",
            ".venv/pyvenv.cfg",
            "venv/x.md",
            ".git/config",
            "sub/.git/config",
            ".aws/config",
            "aux.md",
            "a.p12",
            "terraform.tfstate",
        ],
    )
    def test_it_refuses_protected_names_in_every_spelling(self, root, path):
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("X=1")

        assert labels(read(root, path)) == []

    @pytest.mark.parametrize(
        "path",
        [
            ".gitignore",
            ".env.example",
            "environment.md",
            "keys.md",
            "secrets.md",
            "id_rsa.pub",
            "gitlab.md",
            "monkey.txt",
            "auxiliary.md",
        ],
    )
    def test_it_reads_names_that_only_resemble_them(self, root, path):
        (root / path).write_text("text")

        assert labels(read(root, path)) == [path]

    def test_it_does_not_go_into_protected_folders(self, root):
        (root / "node_modules").mkdir()
        (root / "node_modules" / "a.md").write_text("x")
        (root / "b.md").write_text("x")

        gathered = read(root, "**/*.md")

        assert labels(gathered) == ["b.md"]
        assert list(reasons(gathered)) == ["node_modules"]


class NameTests:
    def test_it_finds_a_name_composed_in_another_way(self, root):
        folder = root / "Pru\u0308fung"
        folder.mkdir()
        (folder / "a.md").write_text("text")

        assert labels(read(root, "Pr\u00fcfung/a.md")) == ["Pr\u00fcfung/a.md"]

    def test_it_gives_one_file_once_below_a_link_to_itself(self, root):
        (root / "d").mkdir()
        (root / "d" / "f.md").write_text("t")
        (root / "d" / "self").symlink_to(".")

        gathered = read(root, "**/*.md")

        assert labels(gathered) == ["d/f.md"]
        assert gathered.left == ()

    def test_it_matches_as_a_shell_does(self, root):
        for name in ("a.md", "b.txt", ".hidden.md", "sub/c.md", "sub/deep/d.md"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(name)

        assert labels(read(root, "*.md")) == ["a.md"]
        assert labels(read(root, "sub/**/*.md")) == ["sub/c.md", "sub/deep/d.md"]
        assert labels(read(root, "[ab].*")) == ["a.md", "b.txt"]
        assert labels(read(root, "*/c.md")) == ["sub/c.md"]

    def test_it_says_that_nothing_matches(self, root):
        assert reasons(read(root, "*.none")) == {"*.none": "no file matches"}

    def test_it_reads_the_first_root_that_has_the_file(self, root, tmp_path):
        other = tmp_path / "other"
        other.mkdir()
        (other / "b.md").write_text("other")

        gathered = gather(
            Context(("b.md",)),
            {},
            roots=roots_at([root, other]),
            allowed=(),
            names=NOT_CHECKED,
        )

        assert texts(gathered) == "other"


class InputTests:
    def test_it_fills_a_path_in_once(self, root):
        (root / "{b}.md").write_text("literal")
        (root / "x.md").write_text("twice")

        assert texts(read(root, "{a}.md", a="{b}", b="x")) == "literal"

    def test_it_refuses_a_placeholder_without_value_by_name(self, root):
        gathered = read(root, "docs/{topic}.md")

        assert reasons(gathered) == {"docs/{topic}.md": "{topic} has no value"}

    @pytest.mark.parametrize("value", ["../../mira/.ssh/config", "/etc/passwd", ".env"])
    def test_it_checks_the_path_with_its_value(self, root, value):
        (root / ".env").write_text("X")

        assert labels(read(root, "{path}", path=value)) == []

    def test_it_takes_no_pattern_from_a_value(self, root):
        (root / "a.md").write_text("a")

        assert labels(read(root, "{path}", path="*.md")) == []
        assert labels(read(root, "{name}*", name="[a]")) == []


class BoundTests:
    def test_it_cuts_at_a_line_end_and_says_so(self, root):
        (root / "a.md").write_text("line of text\n" * 1000)

        (piece,) = read(root, "a.md").pieces

        assert piece.truncated
        assert len(piece.text) <= SOURCE_CHARACTERS
        body, mark = piece.text.rsplit("\n", 1)
        assert body.endswith("line of text")
        assert "cut here" in mark
        assert piece.bytes == 13_000

    def test_it_sends_no_half_of_a_secret_and_reports_it(self, root):
        token = "gh" + "p_" + labelled._random(36)
        before = "x \n" * (SOURCE_CHARACTERS // 3 - 6)
        (root / "a.md").write_text(f"{before}{token}\n" + "y \n" * 200)

        gathered = read(root, "a.md")

        assert token[:10] not in texts(gathered)
        assert [finding.kind for finding in gathered.findings] == ["token"]

    def test_it_sends_no_half_of_a_secret_in_one_long_line(self, root):
        token = "gh" + "p_" + labelled._random(36)
        (root / "a.md").write_text(
            "x " * (SOURCE_CHARACTERS // 2 - 30) + token + "y" * 99
        )

        gathered = read(root, "a.md")

        assert "gh" + "p_" not in texts(gathered)
        assert gathered.findings

    def test_it_stops_at_the_characters_of_all_sources(self, root):
        for number in range(5):
            (root / f"{number}.md").write_text("line of text\n" * 1000)

        gathered = read(root, "*.md")

        assert sum(len(piece.text) for piece in gathered.pieces) <= ALL_CHARACTERS
        assert len(gathered.pieces) == 3
        assert len(gathered.left) == 2
        assert "used up" in gathered.left[0].reason

    def test_it_keeps_a_text_that_just_fits(self, root):
        (root / "a.md").write_text("x" * SOURCE_CHARACTERS)

        assert not read(root, "a.md").pieces[0].truncated

    @pytest.mark.parametrize(
        "raw",
        [b"\x00\x01\x02", b"\x7fELF\x02\x01", b"abc\xff\xfe", b"\xe9t\xe9 en latin-1"],
    )
    def test_it_refuses_what_is_no_text(self, root, raw):
        (root / "a.md").write_bytes(raw)

        assert labels(read(root, "a.md")) == []

    def test_it_refuses_a_huge_sparse_file(self, root):
        with (root / "big.md").open("wb") as file:
            file.truncate(1 << 40)

        assert reasons(read(root, "big.md")) == {"big.md": "it is a binary file"}

    def test_it_reads_utf_16_that_says_so(self, root):
        (root / "a.md").write_bytes("Prüfung".encode("utf-16"))

        assert texts(read(root, "a.md")) == "Prüfung"

    def test_it_drops_a_byte_order_mark(self, root):
        (root / "a.md").write_bytes(b"\xef\xbb\xbftext")

        assert texts(read(root, "a.md")) == "text"

    def test_it_cuts_within_no_character(self, root):
        (root / "a.md").write_text("é\n" * 400_000)

        assert "\ufffd" not in texts(read(root, "a.md"))


@pytest.fixture
def repository(root):
    os.system(  # noqa: S605 - a fixture of the test's own
        f"cd {root} && git init -q && git config user.email a@b.c && "
        "git config user.name n && echo 1 > a.txt && git add . && "
        "git commit -q -m first"
    )
    return root


def command(*argv: str, label: str = "cmd") -> tuple[Command, ...]:
    return (Command(label, argv),)


class CommandTests:
    def test_it_refuses_what_is_not_allowed(self, root):
        gathered = read(root, commands=command("git", "log"))

        assert "LLMHUB_CONTEXT_COMMANDS" in reasons(gathered)["cmd"]

    def test_it_runs_what_is_allowed(self, repository):
        gathered = read(
            repository,
            commands=command("git", "log", "--oneline", "-n", "5"),
            allowed=(GIT_LOG,),
        )

        assert "first" in texts(gathered)

    def test_it_passes_a_value_behind_dashes_as_a_name(self, repository):
        target = repository / "x"
        gathered = read(
            repository,
            commands=command("git", "log", "--oneline", "-n", "5", "--", "{path}"),
            allowed=(GIT_LOG,),
            path=f"--output={target}",
        )

        assert not target.exists()
        assert gathered.left == ()

    def test_it_refuses_a_value_that_would_become_an_option(self, repository):
        target = repository / "y"
        gathered = read(
            repository,
            commands=command("git", "log", "-n", "5", "{ref}"),
            allowed=(GIT_LOG,),
            ref=f"--output={target}",
        )

        assert not target.exists()
        assert "{ref}" in reasons(gathered)["cmd"]

    @pytest.mark.parametrize(
        "value", [".env", "HEAD:.env", "../x", "/etc/passwd", "@f"]
    )
    def test_it_refuses_operands_that_lead_to_protected_files(self, repository, value):
        gathered = read(
            repository,
            commands=command("git", "log", "{ref}"),
            allowed=(GIT_LOG,),
            ref=value,
        )

        assert labels(gathered) == []

    def test_it_names_a_placeholder_without_value(self, repository):
        gathered = read(
            repository, commands=command("git", "log", "{ref}"), allowed=(GIT_LOG,)
        )

        assert reasons(gathered)["cmd"] == "{ref} has no value"

    @pytest.mark.timeout(20)
    def test_it_sees_the_end_of_input_at_once(self, root):
        gathered = read(root, commands=command("cat"), allowed=(Allowed(("cat",)),))

        assert texts(gathered) == ""
        assert gathered.left == ()

    @pytest.mark.timeout(20)
    def test_it_stops_endless_output_at_the_bound_and_marks_it(self, root):
        gathered = read(root, commands=command("yes"), allowed=(Allowed(("yes",)),))

        assert gathered.pieces[0].truncated
        assert len(gathered.pieces[0].text) <= SOURCE_CHARACTERS

    def test_it_shows_the_error_stream_only_of_a_failure(self, repository):
        gathered = read(
            repository,
            commands=command("git", "log", "nonesuch"),
            allowed=(Allowed(("git", "log", "nonesuch")),),
        )

        assert "exit code 128" in texts(gathered)
        assert "nonesuch" in texts(gathered)

    def test_it_says_what_is_not_installed(self, root):
        gathered = read(
            root, commands=command("nonesuch"), allowed=(Allowed(("nonesuch",)),)
        )

        assert "not installed" in reasons(gathered)["cmd"]

    def test_it_gives_a_command_nothing_of_the_hub(self, root, monkeypatch):
        monkeypatch.setenv("LLMHUB_KEYS", "canary")

        gathered = read(
            root, commands=command("printenv"), allowed=(Allowed(("printenv",)),)
        )

        assert "canary" not in texts(gathered)
        assert "GIT_TERMINAL_PROMPT=0" in texts(gathered)

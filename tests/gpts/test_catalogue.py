from __future__ import annotations

import os

import pytest

from gpts.catalogue import LIBRARY, Folder, Shelf, find, folder_of, shelf
from gpts.entries import Layer
from gpts.errors import NoSuchGpt
from gpts.models import Gpt
from gpts.revisions import review, revise
from servers.hosting import Hosting
from tests.gpts.sources import source

pytestmark = pytest.mark.django_db

COMMAND = "context: {commands: [{argv: [git, diff]}]}"


def named(name: str, header: str = "") -> str:
    return source(header).replace("name: A name", f"name: {name}")


def write(folder, stem: str, text: str | bytes) -> None:
    raw = text.encode() if isinstance(text, str) else text
    (folder / f"{stem}.md").write_bytes(raw)


@pytest.fixture
def folders(tmp_path):
    """A reviewed folder and, later, an unreviewed one."""
    found = (Folder(tmp_path / "a", reviewed=True), Folder(tmp_path / "b"))
    for folder in found:
        folder.path.mkdir()
    return found


class FolderTests:
    def test_it_reads_markdown_files_of_the_folder_alone(self, folders):
        write(folders[0].path, "one", source())
        (folders[0].path / "notes.txt").write_text("no gpt")
        (folders[0].path / ".hidden.md").write_text("no gpt")
        (folders[0].path / "deep").mkdir()
        write(folders[0].path / "deep", "two", source())
        found = Shelf(folders).catalogue()
        assert list(found.entries) == ["one"]
        assert not found.aside

    def test_it_orders_by_name(self, folders):
        write(folders[0].path, "a", named("zebra"))
        write(folders[0].path, "b", named("Apple"))
        assert list(Shelf(folders).catalogue().entries) == ["b", "a"]

    def test_it_lists_broken_files_beside_the_others(self, folders):
        write(folders[0].path, "good", source())
        write(folders[0].path, "bad", b"\xff\xfe")
        write(folders[0].path, "Bad name", source())
        os.mkfifo(folders[0].path / "pipe.md")
        (folders[0].path / "folder.md").mkdir()
        (folders[0].path / "gone.md").symlink_to("nowhere")
        found = Shelf(folders).catalogue()
        assert list(found.entries) == ["good"]
        assert {entry.stem: entry.why_not_usable for entry in found.aside} == {
            "bad": "This looks like UTF-16: save it as UTF-8.",
            "Bad name": "Rename the file: letters, digits, - and _ before .md only.",
            "pipe": "This is no regular file.",
            "folder": "The file cannot be read: Is a directory.",
            "gone": "There is no such file.",
        }

    def test_it_refuses_two_files_that_differ_by_capitals(self, folders):
        write(folders[0].path, "One", source())
        write(folders[0].path, "one", source())
        found = Shelf(folders).catalogue()
        assert list(found.entries) == ["one"]
        assert "capitals" in found.aside[0].why_not_usable

    def test_it_lists_a_folder_that_is_not_there(self, tmp_path):
        found = Shelf((Folder(tmp_path / "gone"),)).catalogue()
        assert found.aside[0].why_not_usable == (
            "This folder of gpts cannot be read: No such file or directory."
        )

    @pytest.mark.parametrize(
        ("setting", "path", "reviewed"),
        [("/a/b", "/a/b", False), ("/a/b=reviewed", "/a/b", True)],
    )
    def test_it_reads_the_trust_of_a_folder(self, setting, path, reviewed):
        found = folder_of(setting)
        assert (str(found.path), found.reviewed) == (path, reviewed)


class CacheTests:
    def test_it_reads_a_file_once_and_again_when_it_changed(self, folders):
        for number in range(5):
            write(folders[0].path, f"g{number}", source())
        tested = Shelf(folders)
        first = tested.catalogue()
        assert tested.parses == 5
        assert tested.catalogue() is first
        write(folders[0].path, "g3", named("Another"))
        changed = tested.catalogue()
        assert tested.parses == 6
        assert changed.entries["g3"].document.name == "Another"
        assert changed.entries["g1"].parsed is first.entries["g1"].parsed

    def test_it_notices_a_file_that_was_replaced_by_one_of_equal_size(self, folders):
        write(folders[0].path, "one", named("Apple"))
        tested = Shelf(folders)
        tested.catalogue()
        path = folders[0].path / "one.md"
        before = path.stat()
        new = folders[0].path / "new"
        new.write_text(named("Peach"))
        os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
        new.rename(path)
        assert tested.catalogue().entries["one"].document.name == "Peach"

    def test_it_forgets_a_file_that_went(self, folders):
        write(folders[0].path, "one", source())
        tested = Shelf(folders)
        tested.catalogue()
        (folders[0].path / "one.md").unlink()
        assert not tested.catalogue().entries

    def test_it_reads_a_stored_revision_once(self, make_user):
        revise(Gpt(stem="mine"), source(), make_user("ada", "curators"))
        tested = Shelf(())
        tested.catalogue()
        tested.catalogue()
        assert tested.parses == 1


class TrustTests:
    def test_it_lets_a_later_reviewed_one_override_and_say_so(self, tmp_path):
        layers = []
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
            write(tmp_path / name, "one", named(name))
            layers.append(Folder(tmp_path / name, reviewed=True))
        entry = Shelf(tuple(layers)).catalogue().entries["one"]
        assert entry.document.name == "b"
        assert entry.overrides is Layer.FOLDER

    def test_it_never_lets_an_unreviewed_one_shadow_a_reviewed_one(self, folders):
        write(folders[0].path, "one", named("reviewed"))
        write(folders[1].path, "ONE", named("unreviewed"))
        found = Shelf(folders).catalogue()
        assert found.entries["one"].document.name == "reviewed"
        assert found.aside[0].why_not_usable == (
            "A reviewed gpt of that name is used instead, from a folder of this hub."
        )

    def test_it_keeps_a_reviewed_one_when_a_later_one_is_broken(self, folders):
        write(folders[0].path, "one", source())
        write(folders[1].path, "one", "---\n")
        found = Shelf(folders).catalogue()
        assert found.entries["one"].reviewed
        assert len(found.aside) == 1

    def test_it_keeps_unreviewed_ones_on_this_machine(self, folders):
        for folder in folders:
            write(folder.path, folder.path.name, source("requires: {hosting: any}"))
        found = Shelf(folders).catalogue().entries
        assert found["a"].requires.hosting is Hosting.GLOBAL
        assert found["b"].requires.hosting is Hosting.LOOPBACK

    def test_it_refuses_commands_of_unreviewed_ones(self, folders):
        for folder in folders:
            write(folder.path, folder.path.name, source(COMMAND))
        found = Shelf(folders).catalogue()
        assert list(found.entries) == ["a"]
        assert found.aside[0].why_not_usable == (
            "It declares commands and waits for its review."
        )

    def test_it_uses_a_stored_gpt_with_commands_once_it_is_reviewed(self, make_user):
        gpt = Gpt(stem="mine")
        revise(gpt, source(COMMAND), make_user("ada", "curators"))
        tested = Shelf(())
        assert not tested.catalogue().entries
        review(gpt, make_user("bob", "curators"))
        entry = tested.catalogue().entries["mine"]
        assert (entry.reviewer, entry.trust) == ("bob", "reviewed by bob")

    def test_it_withdraws_the_review_with_any_edit(self, make_user):
        gpt, ada = Gpt(stem="mine"), make_user("ada", "curators")
        revise(gpt, source(), ada)
        review(gpt, make_user("bob", "curators"))
        revise(gpt, source() + "\n", ada)
        assert not Shelf(()).catalogue().entries["mine"].reviewed


class FindTests:
    def test_it_finds_a_shipped_gpt_whatever_the_capitals(self):
        stem = next(iter(shelf().catalogue().entries))
        assert find(stem.upper()).stem == stem

    def test_it_says_that_there_is_none(self):
        with pytest.raises(NoSuchGpt, match=r"There is no gpt of that name\."):
            find("nothing-like-it")

    def test_it_says_why_one_cannot_be_used(self, tmp_path, settings):
        write(tmp_path, "bad", "---\n")
        settings.LLMHUB_GPT_FOLDERS = [str(tmp_path)]
        with pytest.raises(NoSuchGpt, match="is not closed"):
            find("bad")

    def test_it_ships_a_library_that_is_reviewed_and_without_problems(self):
        found = Shelf(
            (Folder(LIBRARY, reviewed=True, layer=Layer.LIBRARY),)
        ).catalogue()
        assert len(found.entries) >= 8
        assert not found.aside
        assert [e.problems for e in found.entries.values() if e.problems] == []

"""Code that a round shows: below one root, what is meant, and nothing denied."""

from __future__ import annotations

import pytest

from chat.cards.board import Board
from chat.cards.code import look
from chat.cards.prompt import Code, round_payload
from gpts.detectors.names import NOT_CHECKED


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "product"
    (folder / "sync").mkdir(parents=True)
    (folder / "README.md").write_text("A product for notes.")
    (folder / "sync" / "wifi.py").write_text("ONLY_WIFI = True")
    (folder / ".env").write_text("SECRET=canary")
    (tmp_path / "outside.py").write_text("OUTSIDE = 1")
    return folder


def text(root, message):
    seen = look(str(root), message, NOT_CHECKED)
    assert seen.code is not None
    return seen.code.text


class LookTests:
    def test_it_lists_files_and_shows_what_introduces_the_product(self, root):
        found = text(root, "What is there?")
        assert "Files: README.md, sync/wifi.py" in found
        assert "A product for notes." in found
        assert "ONLY_WIFI" not in found

    @pytest.mark.parametrize("word", ["sync/wifi.py", "wifi.py"])
    def test_it_shows_the_files_that_are_named(self, root, word):
        found = text(root, f"Does {word} fit the card?")
        assert "--- sync/wifi.py\nONLY_WIFI = True" in found

    def test_it_shows_nothing_that_is_denied(self, root):
        assert "canary" not in text(root, "What is in .env and ./.env?")

    def test_it_reads_nothing_outside(self, root, tmp_path):
        (root / "link.py").symlink_to(tmp_path / "outside.py")
        found = text(root, "../outside.py link.py /etc/passwd")
        assert "OUTSIDE" not in found
        assert "root:" not in found

    @pytest.mark.parametrize("folder", ["", "/nonexistent"])
    def test_it_sees_nothing_in_a_dead_folder(self, folder):
        assert look(folder, "x", NOT_CHECKED).code is None


class PromptTests:
    def system(self, code):
        return round_payload(Board(), "x", code=code).messages[0].content

    def test_it_says_that_the_code_cannot_be_seen(self):
        assert "cannot see the product's code" in self.system(None)
        assert "cannot see the product's code" in self.system(Code())

    def test_it_asks_for_the_file_that_the_answer_leans_on(self):
        found = self.system(Code("--- a.py\nx = 1"))
        assert "Name the file that you lean on" in found
        assert "x = 1" in found
        assert "cannot see" not in found

    def test_it_knows_a_session_that_reads_by_itself(self):
        assert "with your tools" in self.system(Code(by_tools=True))

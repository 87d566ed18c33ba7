from __future__ import annotations

import pytest

from gpts.fitting import Place, use
from gpts.gathering import prepared
from gpts.private import Private, keep_private
from servers.hosting import Hosting
from tests.gpts.sources import source

pytestmark = pytest.mark.django_db

CONTEXT = (
    "inputs: {path: {type: repo_path, required: true}}\n"
    "context: {files: ['{path}', gone.md]}"
)


@pytest.fixture
def root(tmp_path, settings):
    """A root with one file, beside a folder of gpts with `mine` in it."""
    (tmp_path / "gpts").mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "gpts" / "mine.md").write_text(
        source(CONTEXT, question="Explain {path}.")
    )
    (tmp_path / "root" / "notes.md").write_text("Two\nlines.\n")
    settings.LLMHUB_GPT_FOLDERS = [f"{tmp_path / 'gpts'}=reviewed"]
    settings.LLMHUB_CONTEXT_ROOTS = [str(tmp_path / "root")]
    return tmp_path / "root"


def made(**inputs: str):
    return prepared(use("mine", Place(Hosting.LOOPBACK)), inputs)


class PreparedTests:
    def test_it_ends_the_question_with_what_the_gpt_declares(self, root):
        question = made(path="notes.md").rendered.question
        assert question.startswith("Explain notes.md.\n\nnotes.md:\n```\nTwo\nlines.\n")
        assert "Not included:\n- gone.md: " in question

    def test_it_reads_nothing_while_an_input_is_missing(self, root):
        found = made()
        assert found.rendered.problems == {"path": "Please fill this in."}
        assert "Not included" not in found.rendered.question

    def test_it_takes_the_hub_s_own_values_for_paths_too(self, root):
        keep_private("mine", Private(inputs={"path": "notes.md"}))
        assert "Two\nlines." in made().rendered.question

    @pytest.mark.parametrize("path", ["../gpts/mine.md", "/etc/passwd", ".env"])
    def test_it_never_leaves_the_root(self, root, path):
        (root / ".env").write_text("KEY=canary")
        question = made(path=path).rendered.question
        assert "```" not in question
        assert "canary" not in question
        assert f"- {path}: " in question or "Not included" in question

    def test_it_reads_nothing_for_an_unreviewed_gpt(self, root, settings):
        settings.LLMHUB_GPT_FOLDERS = [str(root.parent / "gpts")]
        question = made(path="notes.md").rendered.question
        assert "Two" not in question
        assert "- gone.md: only a reviewed gpt may read it" in question

    def test_it_reads_files_whatever_the_allow_list_says(self, root, settings):
        settings.LLMHUB_CONTEXT_COMMANDS = "git diff"
        assert "Two\nlines." in made(path="notes.md").rendered.question

from __future__ import annotations

import pytest

from gpts.checks import (
    context_commands_are_readable,
    context_roots_exist,
    gpt_folders_exist,
)


class FolderCheckTests:
    def test_it_warns_of_a_folder_that_is_not_there(self, settings, tmp_path):
        settings.LLMHUB_GPT_FOLDERS = [str(tmp_path), f"{tmp_path}/no=reviewed"]
        (found,) = gpt_folders_exist()
        assert found.id == "gpts.W001"
        assert f"{tmp_path}/no=reviewed" in found.msg

    def test_it_says_nothing_where_all_are_there(self, settings, tmp_path):
        settings.LLMHUB_GPT_FOLDERS = [f"{tmp_path}=reviewed"]
        assert gpt_folders_exist() == []


class ContextCheckTests:
    def test_it_warns_of_a_root_that_is_not_there(self, settings, tmp_path):
        settings.LLMHUB_CONTEXT_ROOTS = [str(tmp_path), f"{tmp_path}/no"]
        assert [one.id for one in context_roots_exist()] == ["gpts.W002"]

    @pytest.mark.parametrize(
        "setting", ["git diff", {"git": 1}, ["git diff"], [{"argv": []}], [[1]]]
    )
    def test_it_refuses_an_allow_list_that_cannot_be_read(self, settings, setting):
        settings.LLMHUB_CONTEXT_COMMANDS = setting
        (found,) = context_commands_are_readable()
        assert found.id == "gpts.E001"
        assert "LLMHUB_CONTEXT_COMMANDS" in found.msg

    def test_it_accepts_argument_lists(self, settings):
        settings.LLMHUB_CONTEXT_COMMANDS = [["git", "diff", "--staged"]]
        assert context_commands_are_readable() == []

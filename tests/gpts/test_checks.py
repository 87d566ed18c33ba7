from __future__ import annotations

from gpts.checks import gpt_folders_exist


class FolderCheckTests:
    def test_it_warns_of_a_folder_that_is_not_there(self, settings, tmp_path):
        settings.LLMHUB_GPT_FOLDERS = [str(tmp_path), f"{tmp_path}/no=reviewed"]
        (found,) = gpt_folders_exist()
        assert found.id == "gpts.W001"
        assert f"{tmp_path}/no=reviewed" in found.msg

    def test_it_says_nothing_where_all_are_there(self, settings, tmp_path):
        settings.LLMHUB_GPT_FOLDERS = [f"{tmp_path}=reviewed"]
        assert gpt_folders_exist() == []

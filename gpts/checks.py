"""System checks of gpts: folders named in the settings that are not there."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning, register

from gpts.catalogue import folder_of


@register()
def gpt_folders_exist(**kwargs: Any) -> list[CheckMessage]:
    return [
        Warning(
            f"LLMHUB_GPT_FOLDERS names {setting!r}, which is no folder.",
            hint="Write `path` or `path=reviewed`, separated by commas.",
            id="gpts.W001",
        )
        for setting in settings.LLMHUB_GPT_FOLDERS
        if not folder_of(setting).path.is_dir()
    ]

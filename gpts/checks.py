"""System checks of gpts: settings that name what is not there or cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from gpts.allowed import BadAllowList, read_allowed
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


@register()
def context_roots_exist(**kwargs: Any) -> list[CheckMessage]:
    return [
        Warning(
            f"LLMHUB_CONTEXT_ROOTS names {path!r}, which is no folder.",
            hint="Name folders below which reviewed gpts may read, by commas.",
            id="gpts.W002",
        )
        for path in settings.LLMHUB_CONTEXT_ROOTS
        if not Path(path).is_dir()
    ]


@register()
def context_commands_are_readable(**kwargs: Any) -> list[CheckMessage]:
    try:
        read_allowed(settings.LLMHUB_CONTEXT_COMMANDS)
    except BadAllowList as error:
        hint = 'For example [["git", "diff", "--staged"]].'
        return [Error(str(error), hint=hint, id="gpts.E001")]
    return []

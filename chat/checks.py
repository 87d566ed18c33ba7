"""System checks of chat: sessions that are switched on, where there are none."""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning, register

from chat.claude.child import find_program


@register()
def claude_is_there(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Switched on, but nothing to ask: the page would always be empty."""
    if not settings.LLMHUB_CLAUDE or find_program(os.environ):
        return []
    return [
        Warning(
            "LLMHUB_CLAUDE is on, but there is no claude program on PATH.",
            hint="Add its folder to the PATH of the process that runs the hub.",
            id="chat.W001",
        )
    ]

"""What every page needs to know about the person who looks at it."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from llmhub.roles import is_curator


def site(request: HttpRequest) -> dict[str, Any]:
    """Template context: the version, and whether the admin is theirs to enter."""
    user = getattr(request, "user", None)
    return {
        "hub_version": settings.VERSION,
        "claude_on": settings.LLMHUB_CLAUDE,
        # Called by the templates that ask: a query that a fragment does not need.
        "is_curator": partial(_is_curator, user),
    }


def _is_curator(user: Any) -> bool:
    return bool(user and user.is_authenticated and is_curator(user))

"""Who may read and write in the chat, asked the same way on every road.

Whose a conversation is, `transcript` answers; here is what a person may do at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q

READ = "chat.view_conversation"
WRITE = "chat.add_turn"
ASK_CLAUDE = "chat.ask_claude"


def may_read(user: Any) -> bool:
    return bool(user.is_active and user.has_perm(READ))


def may_write(user: Any) -> bool:
    return bool(user.is_active and user.has_perm(WRITE))


def may_ask_claude(user: Any) -> bool:
    return bool(user.is_active and user.has_perm(ASK_CLAUDE))


def people_who_may(permission: str, pks: Iterable[int]) -> dict[int, User]:
    """Those of these people, active ones alone, in one query; by primary key."""
    app, codename = permission.split(".")
    named = {"content_type__app_label": app, "codename": codename}
    by_group = Q(**{f"groups__permissions__{name}": v for name, v in named.items()})
    directly = Q(**{f"user_permissions__{name}": v for name, v in named.items()})
    rows = User.objects.filter(pk__in=pks, is_active=True)
    may = rows.filter(Q(is_superuser=True) | by_group | directly)
    return {user.pk: user for user in may.distinct()}

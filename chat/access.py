"""Who may read and write in the chat, asked the same way on every road.

Whose a conversation is, `transcript` answers; here is what a person may do at all.
"""

from __future__ import annotations

from typing import Any

READ = "chat.view_conversation"
WRITE = "chat.add_turn"
ASK_CLAUDE = "chat.ask_claude"


def may_read(user: Any) -> bool:
    return bool(user.is_active and user.has_perm(READ))


def may_write(user: Any) -> bool:
    return bool(user.is_active and user.has_perm(WRITE))


def may_ask_claude(user: Any) -> bool:
    return bool(user.is_active and user.has_perm(ASK_CLAUDE))

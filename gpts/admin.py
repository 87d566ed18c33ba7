"""The admin of gpts."""

from __future__ import annotations

from gpts.gpt_admin import GptAdmin
from gpts.private_admin import PrivateConfigAdmin
from gpts.protected_admin import ProtectedNameAdmin

__all__ = ["GptAdmin", "PrivateConfigAdmin", "ProtectedNameAdmin"]

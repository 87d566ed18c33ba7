"""The rows of gpts."""

from __future__ import annotations

from gpts.protected_models import ProtectedName
from gpts.rows import Gpt, PrivateConfig, Revision

__all__ = ["Gpt", "PrivateConfig", "ProtectedName", "Revision"]

"""The rows of gpts."""

from __future__ import annotations

from gpts.protected_models import ProtectedName

__all__ = ["ProtectedName"]

"""System checks of gpts."""

from __future__ import annotations

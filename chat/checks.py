"""System checks of chat."""

from __future__ import annotations

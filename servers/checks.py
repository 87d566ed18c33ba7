"""System checks of servers."""

from __future__ import annotations

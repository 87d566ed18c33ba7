"""App configuration."""

from __future__ import annotations

from django.apps import AppConfig


class GptsConfig(AppConfig):
    name = "gpts"

    def ready(self) -> None:
        from gpts import checks  # noqa: F401

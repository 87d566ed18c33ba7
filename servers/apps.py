"""App configuration."""

from __future__ import annotations

from django.apps import AppConfig


class ServersConfig(AppConfig):
    name = "servers"

    def ready(self) -> None:
        from servers import checks  # noqa: F401

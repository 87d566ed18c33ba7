"""App configuration."""

from __future__ import annotations

from django.apps import AppConfig


class GptsConfig(AppConfig):
    name = "gpts"

    def ready(self) -> None:
        from gpts import checks  # noqa: F401
        from gpts.logs import without_private
        from llmhub.redaction import also_redact

        also_redact(without_private)

"""App configuration of the project itself."""

from __future__ import annotations

from django.apps import AppConfig


class LLMHubConfig(AppConfig):
    name = "llmhub"
    verbose_name = "LLM Hub"

    def ready(self) -> None:
        from llmhub import checks  # noqa: F401

"""System checks of the project: keys, hosts, the state folder."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.core.exceptions import ImproperlyConfigured

from llmhub.encryption import keyring


@register()
def keys_are_usable(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    try:
        keyring()
    except ImproperlyConfigured as error:
        return [
            Error(
                str(error),
                hint="Make one with `python -m llmhub.make_env --print-key`.",
                id="llmhub.E001",
            )
        ]
    return []


@register()
def keys_are_apart(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    if settings.SECRET_KEY in settings.LLMHUB_KEYS:
        return [
            Error(
                "SECRET_KEY is also one of LLMHUB_KEYS.",
                hint="Sessions and stored secrets need keys of their own.",
                id="llmhub.E002",
            )
        ]
    return []


@register()
def lan_needs_tls(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    host = settings.LLMHUB_ADDRESS.rpartition(":")[0].strip("[]")
    if host in {"127.0.0.1", "::1", "localhost"} or settings.LLMHUB_TLS:
        return []
    return [
        Warning(
            "The hub listens beyond this machine without TLS.",
            hint="Put a TLS proxy in front and set LLMHUB_TLS=1.",
            id="llmhub.W001",
        )
    ]

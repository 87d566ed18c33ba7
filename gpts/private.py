"""The private config of a gpt: read as a value, kept encrypted, by stem.

Never part of a document, an export or a page of a member.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import DatabaseError, connection

from gpts.models import PrivateConfig
from llmhub.encryption import Unreadable


@dataclass(frozen=True, slots=True)
class Private:
    """`server` is the primary key of a kept server. `unreadable`: no key opens it."""

    server: int | None = None
    model: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)
    addition: str = ""
    unreadable: bool = False


def private_of(stem: str) -> Private:
    """Nothing before the first migration; commands may work without a database."""
    try:
        row = PrivateConfig.objects.filter(stem=stem).first()
    except DatabaseError:
        if is_migrated():
            raise
        row = None
    if row is None:
        return Private()
    return _read(row.config)


def is_migrated() -> bool:
    """Whether this app's tables are there: what fails then is the database itself."""
    try:
        return PrivateConfig._meta.db_table in connection.introspection.table_names()
    except DatabaseError:
        return False


def _read(config: Any) -> Private:
    if isinstance(config, Unreadable) or not isinstance(config, dict):
        return Private(unreadable=True)
    server, inputs = config.get("server"), config.get("inputs")
    return Private(
        server=server if isinstance(server, int) else None,
        model=str(config.get("model") or ""),
        inputs={str(k): str(v) for k, v in inputs.items()}
        if isinstance(inputs, dict)
        else {},
        addition=str(config.get("addition") or ""),
    )


def keep_private(stem: str, private: Private) -> None:
    """Store it, replacing what was there; an empty one is removed."""
    if private == Private():
        PrivateConfig.objects.filter(stem=stem).delete()
        return
    config = as_config(private)
    PrivateConfig.objects.update_or_create(stem=stem, defaults={"config": config})


def as_config(private: Private) -> dict[str, Any]:
    """The document that is stored."""
    return {
        "server": private.server,
        "model": private.model,
        "inputs": dict(private.inputs),
        "addition": private.addition,
    }

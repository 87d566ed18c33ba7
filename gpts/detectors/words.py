"""The word lists of rules.yaml: what looks private and is nobody's."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

_FILE = Path(__file__).with_name("rules.yaml")


@lru_cache(maxsize=1)
def document() -> dict[str, Any]:
    """rules.yaml as it stands."""
    read: dict[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return read


@lru_cache(maxsize=32)
def words(name: str) -> frozenset[str]:
    """The list called `name`, in lower case. Raises KeyError for no such list."""
    return frozenset(str(word).lower() for word in document()["words"][name])

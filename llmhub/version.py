"""The hub's version, read from CHANGELOG.md: the one place where it is written."""

from __future__ import annotations

import re
from pathlib import Path

_HEADING = re.compile(r"^## (\d+\.\d+\.\d+)", re.MULTILINE)


def read_version(changelog: Path) -> str:
    """The newest `## X.Y.Z` heading of the changelog; `0.0.0` if there is none."""
    found = _HEADING.search(changelog.read_text(encoding="utf-8"))
    return found.group(1) if found else "0.0.0"

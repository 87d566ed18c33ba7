"""The recorded cases of discovery."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CASES = Path(__file__).resolve().parents[2] / "cases" / "discovery"


def case(name: str) -> dict[str, Any]:
    """A case by the start of its file name."""
    (path,) = CASES.glob(f"{name}*.json")
    read: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return read

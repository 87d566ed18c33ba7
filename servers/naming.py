"""Which listed model a typed name means: the very one, or suggestions. Pure.

Never a base name, a prefix or another case: those silently pick another quantization
with another window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_SUGGESTIONS = 5


@dataclass(frozen=True, slots=True)
class Match:
    """The model, or None and the listed names that come near."""

    model: str | None
    near: tuple[str, ...] = ()


def match_model(asked: str, listed: Sequence[str], family: str | None) -> Match:
    """`asked` among `listed`. Ollama alone reads a name without a tag as `:latest`."""
    if asked in listed:
        return Match(asked)
    latest = f"{asked}:latest"
    if family == "ollama" and ":" not in asked and latest in listed:
        return Match(latest)
    near = (name for name in listed if _base(name) == _base(asked))
    return Match(None, tuple(near)[:_SUGGESTIONS])


def _base(name: str) -> str:
    """Without owner, tag, quantization and case: for suggestions only."""
    last = name.rpartition("/")[2]
    return last.partition("@")[0].partition(":")[0].lower()

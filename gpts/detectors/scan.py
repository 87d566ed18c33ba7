"""The one entry of the detectors: a text in, its private spans out."""

from __future__ import annotations

from gpts.detectors.hits import Hit, merge
from gpts.detectors.names import NameMatcher


def scan(text: str, names: NameMatcher) -> tuple[Hit, ...]:
    """Every private span of `text`, in order, none overlapping another."""
    return merge(names.find(text))

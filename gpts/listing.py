"""The list of gpts as HTML, kept while nothing that it depends on changed.

A thousand tiles take a template ten times as long as a page may take, and change only
with the catalogue, the server's claims, the words searched for and the language.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from gpts.asked import Asked
from gpts.entries import Catalogue
from gpts.fitting import ranked
from gpts.tiles import Tile, language, searched, tiles

MOST_KEPT = 16


def tiles_of(wanted: Asked, found: Catalogue) -> list[Tile]:
    return tiles(ranked(searched(found.entries.values(), wanted.words), wanted.place))


@dataclass(slots=True)
class Listings:
    """Rendered lists, the least recently used one forgotten first. Thread-safe."""

    _kept: OrderedDict[tuple[object, ...], SafeString] = field(
        default_factory=OrderedDict
    )
    _of: Catalogue | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def html(self, template: str, wanted: Asked, found: Catalogue) -> SafeString:
        key = _key(template, wanted)
        with self._lock:
            if self._of is not found:
                self._kept.clear()
                self._of = found
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        html = _render(template, wanted, found)
        with self._lock:
            if self._of is found:
                self._kept[key] = html
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
        return html


def _key(template: str, wanted: Asked) -> tuple[object, ...]:
    """Readings are values: an equal one gives an equal list."""
    reading = wanted.reading
    claims = (reading.claims, reading.identity.models) if reading else None
    hosting = wanted.server.hosting if wanted.server else None
    return (template, wanted.query, hosting, claims, wanted.words, language())


def _render(template: str, wanted: Asked, found: Catalogue) -> SafeString:
    context = {
        "tiles": tiles_of(wanted, found),
        "query": wanted.query,
        "words": wanted.words,
    }
    # Django's own rendering escaped it; the string lost its mark on the way.
    return mark_safe(render_to_string(template, context))  # noqa: S308


listings = Listings()

"""The one entry of the detectors: a text in, its private spans out.

Remembers, by a digest of the text, what it found before: a long history costs its
scan once. Nothing of a text is remembered but where and what kind.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterator
from threading import Lock

from gpts.detectors import rules
from gpts.detectors.addresses import six
from gpts.detectors.connections import urls
from gpts.detectors.disguises import narrow, unmask
from gpts.detectors.encoded import decoded
from gpts.detectors.hits import Hit, merge
from gpts.detectors.names import NameMatcher

_LAYERS = 3  # of encodings and disguises over each other
_REMEMBERED = 20_000  # texts
_seen: OrderedDict[tuple[bytes, str], tuple[Hit, ...]] = OrderedDict()
_lock = Lock()


def scan(text: str, names: NameMatcher) -> tuple[Hit, ...]:
    """Every private span of `text`, in order, none overlapping another."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass")).digest()
    key = (digest, names.fingerprint)
    with _lock:
        known = _seen.get(key)
        if known is not None:
            _seen.move_to_end(key)
            return known
    found = merge(_layers(narrow(text), names, _LAYERS))
    with _lock:
        _seen[key] = found
        if len(_seen) > _REMEMBERED:
            _seen.popitem(last=False)
    return found


def _layers(text: str, names: NameMatcher, layers: int) -> Iterator[Hit]:
    yield from rules.apply(text)
    yield from six(text)
    yield from urls(text)
    yield from names.find(text)
    if layers:
        yield from _disguised(text, names, layers - 1)
        yield from _encoded(text, names, layers - 1)


def _disguised(text: str, names: NameMatcher, layers: int) -> Iterator[Hit]:
    """Only what a disguise is part of: the rest was seen in the open."""
    for plain in unmask(text, rules.lowered(text)):
        for hit in _layers(plain.text, names, layers):
            if plain.disguised(hit.start, hit.end):
                start, end = plain.span(hit.start, hit.end)
                yield Hit(hit.kind, start, end, hit.value)


def _encoded(text: str, names: NameMatcher, layers: int) -> Iterator[Hit]:
    """What is doubtful in the open is noise behind an encoding."""
    for piece in decoded(text):
        for hit in merge(_layers(piece.text, names, layers)):
            if not hit.doubtful:
                yield Hit(hit.kind, piece.start, piece.end, hit.value)

"""Bytes that a server announced, as values that cannot hurt.

Pure. Parses JSON once, hostile bodies included, reads what stands in a cut body, and
makes announced texts printable. Knows no path and no product.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from html import unescape
from typing import Any, Final

NAME_LENGTH = 200
_LONG = 8_000
_DEEP = 200
_FIRST = frozenset('{["-0123456789tfn')
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]', re.DOTALL)
_TITLE = re.compile(r"<title[^>]*>([^<]{0,300})</title>", re.IGNORECASE)
_ROUTE = re.compile(r'"(/[^"\\]{0,200})":\s*\{')
_CLOSERS = {"{": "}", "[": "]"}


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


MISSING: Final = _Missing()


def decoded(body: bytes) -> str:
    """Text whatever the bytes: a BOM goes, invalid UTF-8 is replaced."""
    return body.decode("utf-8-sig", "replace")


def _float(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


def _int(text: str) -> int | None:
    return int(text) if len(text) <= 20 else None


_DECODER = json.JSONDecoder(
    parse_float=_float, parse_int=_int, parse_constant=lambda _: None
)


def parsed(text: str, *, cut: bool = False) -> Any:
    """The JSON value of `text`, or MISSING.

    Numbers no program can use (1e999, NaN, a thousand digits) become None; nesting
    too deep to read is MISSING. What stands complete in a `cut` text is read; a long
    one that does not parse counts as cut (a proxy has a cap of its own).
    """
    text = text.strip()
    if not text or text[0] not in _FIRST:
        return MISSING
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return _mended(text) if cut or len(text) > _LONG else MISSING


def _mended(text: str) -> Any:
    """A cut document up to its last complete entry, closed by us.

    Of a cut OpenAPI document only `info` is read: walking 256 KiB takes 30 ms.
    """
    head = text.find('"info":', 0, 200)
    if head >= 0:
        return _entry(text, "info", head + len('"info":'))
    stack: list[str] = []
    end, closing = 0, ""
    for token in _TOKENS.finditer(text):
        mark = token[0]
        if mark in _CLOSERS:
            stack.append(_CLOSERS[mark])
            if len(stack) > _DEEP:
                return MISSING
        elif mark in "]}" and stack:
            stack.pop()
        elif mark == ",":
            end, closing = token.start(), "".join(reversed(stack))
    try:
        return _DECODER.decode(text[:end] + closing) if end else MISSING
    except (ValueError, RecursionError):
        return MISSING


def _entry(text: str, name: str, start: int) -> Any:
    try:
        value, _ = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return MISSING
    return {name: value}


def title_of(text: str) -> str:
    """The title of a page, on one line."""
    found = _TITLE.search(text)
    return " ".join(unescape(found[1]).split()) if found else ""


def routes_of(text: str) -> frozenset[str]:
    """The paths an OpenAPI document lists, in as much of it as came."""
    start = text.find('"paths"')
    return frozenset(_ROUTE.findall(text[start:])) if start >= 0 else frozenset()


def printable(text: object, length: int = NAME_LENGTH) -> str:
    """An announced text as one line without control characters; "" for no text.

    Directions, invisible characters and lone surrogates go too: they would write
    something else into a terminal or a page than what is compared.
    """
    if not isinstance(text, str):
        return ""
    kept = (
        " " if char.isspace() else char
        for char in text[: length * 4]
        if char.isspace() or unicodedata.category(char)[0] != "C"
    )
    return " ".join("".join(kept).split())[:length]

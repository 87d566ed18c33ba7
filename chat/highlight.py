"""Colours in code: Pygments classes, for languages worth it, within bounds.

Everything returned is escaped HTML made of text and `<span class="t-..">`.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

PREFIX = "t-"
CLASSES = frozenset(f"{PREFIX}{name}" for name in STANDARD_TYPES.values() if name)
# Lexers are regular expressions over hostile text: longer code stays plain.
MOST_CHARACTERS = 20_000
LONGEST_LINE = 1_000
# Measured to read such code in time linear to its length.
_NAMES = """
bash c c++ c# cmake console cpp cs csharp css diff docker dockerfile elixir erl
erlang go golang graphql haskell hcl hs html ini java javascript jinja js json
jsx kotlin lua make makefile nginx nix objective-c ocaml perl php
powershell ps1 proto protobuf py python python3 r rb ruby rs rust scala scss sh
shell sql swift terraform tf toml ts tsx typescript vim xml yaml yml zig zsh
"""
LANGUAGES = frozenset(_NAMES.split())

_FORMATTER: HtmlFormatter[str] = HtmlFormatter(nowrap=True, classprefix=PREFIX)


def coloured(code: str, language: str) -> str:
    """`code` as HTML; plain where the language is unknown or the code too long."""
    lexer = _lexer(language.lower())
    too_long = len(code) > MOST_CHARACTERS or _longest_line(code) > LONGEST_LINE
    if lexer is None or too_long:
        return escape(code, quote=False)
    return highlight(code, lexer, _FORMATTER)


def _longest_line(code: str) -> int:
    return max(map(len, code.split("\n")), default=0)


@lru_cache(maxsize=128)
def _lexer(language: str) -> Lexer | None:
    if language not in LANGUAGES:
        return None
    try:
        # Nothing of the code is added or stripped.
        return get_lexer_by_name(
            language, stripnl=False, ensurenl=False, stripall=False
        )
    except ClassNotFound:
        return None

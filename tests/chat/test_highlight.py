"""Colours in code, within bounds."""

from __future__ import annotations

import re
from html import unescape

import pytest
from pygments.lexers import get_lexer_by_name

from chat.highlight import (
    CLASSES,
    LANGUAGES,
    LONGEST_LINE,
    MOST_CHARACTERS,
    coloured,
)


def words_of(html: str) -> str:
    return unescape(re.sub(r"</?span[^>]*>", "", html))


class HighlightTests:
    @pytest.mark.parametrize("language", sorted(LANGUAGES))
    def test_it_keeps_every_character_of_the_code(self, language):
        code = "\n\n  if (a < b && c > '\\n') { return \"é</code>\"; } # x\n\n"
        assert words_of(coloured(code, language)) == code

    @pytest.mark.parametrize("language", sorted(LANGUAGES))
    def test_it_knows_every_language_it_names(self, language):
        assert get_lexer_by_name(language)
        html = coloured("if (1 < 2) { x = 'y'; } // z\n", language)
        assert set(re.findall(r'class="([^" ]*)', html)) <= CLASSES

    def test_it_colours_what_it_knows(self):
        assert 'class="t-k"' in coloured("def f(): pass", "python")

    @pytest.mark.parametrize("language", ["", "no-such", "text", "../x", "PYTHON "])
    def test_it_leaves_the_unknown_plain(self, language):
        assert coloured("<b>&", language) == "&lt;b&gt;&amp;"

    @pytest.mark.parametrize(
        "code", ["x = 1\n" * MOST_CHARACTERS, "x" * (LONGEST_LINE + 1)]
    )
    def test_it_leaves_very_long_code_plain(self, code):
        assert coloured(code, "python") == code

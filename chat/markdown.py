"""A model's text as HTML: markdown-it-py reads it, nh3 has the last word.

Owns what may appear: no raw HTML, images, styles or scripts; links as `links` allows
and with their host. Works block by block, so that a streamed answer can keep what is
finished (`streaming`). Knows no turn and no page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping, Sequence
from functools import lru_cache
from html import escape
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.table import table
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from chat.highlight import CLASSES, coloured
from chat.links import BARE, Link, bare_end, read_link, says_its_host

# Deeper lists and quotes, longer paragraphs and wider tables are nobody's prose:
# they stand as they were written, and cost next to nothing.
DEEPEST = 40
LONGEST_PARAGRAPH = 5_000
MOST_BRACKETS = 400
WIDEST_TABLE = 30
# Answers that are shown again and again: parsed once while this process lives.
_REMEMBERED = 400
_LONGEST_REMEMBERED = 20_000

_Env = MutableMapping[str, Any]
_LANGUAGE = re.compile(r"[A-Za-z0-9+#._-]{1,24}")
_SPECIAL = re.compile(r"[\\`*_~\[\]<&!]|://|  \n")
_NEWLINE = re.compile(r"\r\n?")
_ALIGN = {"text-align:right": "to-right", "text-align:center": "to-middle"}

_TAGS = (
    "a blockquote br code div em h3 h4 h5 h6 hr li ol p pre s span strong"
    " table tbody td th thead tr ul"
)
_CLEANER = nh3.Cleaner(
    tags=set(_TAGS.split()),
    attributes={"a": {"href"}, "ol": {"start"}, "div": {"data-lang"}},
    allowed_classes={
        "span": {*CLASSES, "host"},
        "div": {"code", "table-wrap"},
        "p": {"plain"},
        "th": set(_ALIGN.values()),
        "td": set(_ALIGN.values()),
    },
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
    link_rel="noopener noreferrer nofollow",
    set_tag_attribute_values={"a": {"target": "_blank"}},
)


def normal(text: str) -> str:
    """Only `\\n` ends a line; no NUL."""
    return _NEWLINE.sub("\n", text).replace("\0", "\ufffd")


def render(text: str) -> str:
    """The whole text as HTML that may stand in a page."""
    return render_blocks(normal(text))


@lru_cache(maxsize=_REMEMBERED)
def _render_kept(text: str) -> str:
    return render(text)


def render_finished(text: str) -> str:
    """`render` for a text that will be shown again; long ones are not remembered."""
    return _render_kept(text) if len(text) < _LONGEST_REMEMBERED else render(text)


def render_blocks(source: str, *, finished: bool = True) -> str:
    """Normal text, block by block. An unfinished one gets no colours in its code."""
    env: _Env = {"finished": finished}
    lines = source.split("\n")
    return "".join(
        _CLEANER.clean(_block(tokens, lines, env))
        for tokens in top_blocks(_MARKDOWN.parse(source, env))
    )


def first_lines(source: str) -> list[int]:
    """The line on which each top-level block of a normal text begins."""
    tokens: list[Token] = []
    _MARKDOWN.block.parse(source, _MARKDOWN, {}, tokens)
    return [block[0].map[0] for block in top_blocks(tokens) if block[0].map]


def top_blocks(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    start = 0
    for index, token in enumerate(tokens):
        if token.level == 0 and token.nesting <= 0:
            yield tokens[start : index + 1]
            start = index + 1


def _block(tokens: Sequence[Token], lines: list[str], env: _Env) -> str:
    if max(token.level for token in tokens) >= DEEPEST - 4 and tokens[0].map:
        first, last = tokens[0].map
        written = "\n".join(lines[first:last])
        return f'<p class="plain">{escape(written)}</p>'
    return str(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, env))


class _Renderer(RendererHTML):
    """Where our HTML is not markdown-it's own."""

    def fence(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Env
    ) -> str:
        found = _LANGUAGE.match(tokens[idx].info.strip())
        return _code(tokens[idx].content, found[0] if found else "", env)

    def code_block(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Env
    ) -> str:
        return _code(tokens[idx].content, "", env)

    def heading_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Env
    ) -> str:
        """The page has h1 and h2: an answer's headings begin below them."""
        return f"<h{min(int(tokens[idx].tag[1]) + 2, 6)}>"

    def heading_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Env
    ) -> str:
        return f"</h{min(int(tokens[idx].tag[1]) + 2, 6)}>\n"

    def table_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Env
    ) -> str:
        return '<div class="table-wrap"><table>\n'

    def table_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Env
    ) -> str:
        return "</table></div>\n"

    def th_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Env
    ) -> str:
        """Alignment as a class: the policy of the page allows no style."""
        name = _ALIGN.get(str(tokens[idx].attrGet("style")), "")
        tag = tokens[idx].tag
        return f'<{tag} class="{name}">' if name else f"<{tag}>"

    td_open = th_open

    def link_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Env
    ) -> str:
        return f'<a href="{escape(str(tokens[idx].attrGet("href")))}">'

    def link_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: _Env
    ) -> str:
        """The full host behind the link, unless its words say it already."""
        start = idx
        while tokens[start].type != "link_open":
            start -= 1
        link = read_link(str(tokens[start].attrGet("href")))
        words = "".join(token.content for token in tokens[start:idx])
        if link is None or says_its_host(words, link):
            return "</a>"
        return f'</a> <span class="host">{escape(link.shown)}</span>'


def _code(code: str, language: str, env: _Env) -> str:
    finished = env.get("finished", True)
    inner = coloured(code, language) if finished else escape(code, quote=False)
    attributes = f' data-lang="{language}"' if language else ""
    return f'<div class="code"{attributes}><pre><code>{inner}</code></pre></div>\n'


class _Markdown(MarkdownIt):
    """Links go through `read_link`, whatever wrote them."""

    def normalizeLink(self, url: str) -> str:
        link = read_link(url)
        return link.href if link else ""

    def normalizeLinkText(self, link: str) -> str:
        return link

    def validateLink(self, url: str) -> bool:
        return read_link(url) is not None


def _narrow_table(
    state: StateBlock, startLine: int, endLine: int, silent: bool
) -> bool:
    """markdown-it's table, unless it would be so wide that rows explode."""
    for line in (startLine, startLine + 1):
        if line < endLine:
            text = state.src[state.bMarks[line] : state.eMarks[line]]
            if text.count("|") > WIDEST_TABLE:
                return False
    return table(state, startLine, endLine, silent)


def _inline(state: StateCore) -> None:
    """markdown-it's inline pass, where there is something to find."""
    for token in state.tokens:
        if token.type != "inline":
            continue
        content = token.content
        if not _SPECIAL.search(content) or _is_nobodys_prose(content):
            token.children = [_text(content)]
        else:
            token.children = []
            state.md.inline.parse(content, state.md, state.env, token.children)
            if "://" in content:
                token.children = list(_with_bare_links(token.children))


def _is_nobodys_prose(content: str) -> bool:
    return len(content) > LONGEST_PARAGRAPH or content.count("[") > MOST_BRACKETS


def _with_bare_links(children: list[Token]) -> Iterator[Token]:
    inside = False
    for child in children:
        inside = child.type == "link_open" or (inside and child.type != "link_close")
        if inside or child.type != "text":
            yield child
        else:
            yield from _linked(child.content)


def _linked(text: str) -> Iterator[Token]:
    done = 0
    for found in BARE.finditer(text):
        address = found[0][: bare_end(found[0])]
        link = read_link(address)
        if link is None:
            continue
        yield _text(text[done : found.start()])
        yield from _link(link, address)
        done = found.start() + len(address)
    yield _text(text[done:])


def _link(link: Link, words: str) -> Iterator[Token]:
    yield Token("link_open", "a", 1, attrs={"href": link.href})
    yield _text(words)
    yield Token("link_close", "a", -1)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _make() -> MarkdownIt:
    """CommonMark with tables; without references, which reach back over blocks."""
    made = _Markdown(
        "commonmark",
        {"html": False, "maxNesting": DEEPEST, "xhtmlOut": False},
        renderer_cls=_Renderer,
    )
    made.enable(["table", "strikethrough"])
    made.disable(["image", "reference", "html_block", "html_inline"])
    made.block.ruler.at("table", _narrow_table, {"alt": ["paragraph", "reference"]})
    made.core.ruler.at("inline", _inline)
    return made


_MARKDOWN = _make()

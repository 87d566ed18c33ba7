"""Cards and changed texts in templates, quick enough for boards of hundreds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from django import template
from django.template.loader import get_template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from chat.cards.board import Card
from chat.cards.words import Segment

register = template.Library()
_TAGS = {"same": "span", "removed": "del", "added": "ins"}


@register.filter
def marked(segments: Iterable[Segment]) -> SafeString:
    """What goes and what comes, each in its element; the texts are escaped."""
    rows = ((_TAGS[one.kind], one.text) for one in segments)
    return format_html_join("", "<{0}>{1}</{0}>", rows)


@register.filter
def items(lines: Iterable[str]) -> SafeString:
    """Lines as elements of a list, escaped."""
    return format_html_join("", "<li>{}</li>", ((line,) for line in lines))


@register.simple_tag
def show_card(card: Card, may_write: bool) -> SafeString:
    """A card; the same card is rendered once."""
    return _card(card, may_write, get_language() or "")


@lru_cache(maxsize=4_000)
def _card(card: Card, may_write: bool, language: str) -> SafeString:
    words = {
        "built": _("built"),
        "ordered": _("ordered"),
        "order": _("order it again"),
        "build": _("mark as built"),
        "test": _("Test:"),
        "untested": _("No test yet."),
        "edit": _("Edit"),
    }
    context = {"card": card, "may_write": may_write, "words": words}
    found = get_template("chat/_board_card.html").render(context)
    # Rendered by a template, which escaped what is in the card.
    return mark_safe(found)  # noqa: S308

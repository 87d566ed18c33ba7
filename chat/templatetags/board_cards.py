"""Cards as the Markdown that a person edits."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext as _

from chat.cards.board import Board, Card, Function
from chat.cards.markdown import export_card, export_vision, mark_of

register = template.Library()


@register.filter
def card_markdown(card: Card) -> str:
    return export_card(card)


@register.filter
def card_mark(card: Card) -> str:
    return mark_of(card)


@register.filter
def vision_markdown(board: Board) -> str:
    return export_vision(board)


@register.simple_tag
def new_card_markdown() -> str:
    """A card to fill in: every marker is there."""
    function = Function(_("What one does"), tests=(_("How one checks it"),))
    card = Card("new", _("Title"), goal=_("What for"), functions=(function,))
    return export_card(card)

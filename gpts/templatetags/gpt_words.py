"""What the composer says of the gpt in use, for templates of the chat."""

from __future__ import annotations

from django import template
from django.utils.text import capfirst

from gpts.catalogue import find
from gpts.errors import NoSuchGpt
from gpts.fitting import place_of
from gpts.matching import Fit
from gpts.tiles import language
from servers.retained import Kept

register = template.Library()


@register.simple_tag
def gpt_name(stem: str) -> str:
    """The gpt's name in the reader's language; the stem of one that is gone."""
    try:
        document = find(stem).document
    except NoSuchGpt as error:
        return f"{stem}: {error}"
    return document.name_in(language()) if document else stem


@register.simple_tag
def gpt_doubt(stem: str, server: Kept | None, model: str) -> str:
    """What could not be checked, or contradicts; said where one sends, else empty."""
    if server is None:
        return ""
    try:
        found = place_of(server, model).match(find(stem))
    except NoSuchGpt:
        return ""
    return "" if found.verdict is Fit.OK else capfirst(found.reason)

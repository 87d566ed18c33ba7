"""Small words and numbers of the chat's templates."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

register = template.Library()


@register.filter
def moment(value: datetime | None) -> SafeString | str:
    """Relative, with the exact moment on hover."""
    if value is None:
        return ""
    seconds = (timezone.now() - value).total_seconds()
    if seconds < 60:
        words = _("just now")
    elif seconds < 7 * 86_400:
        words = _("%(time)s ago") % {"time": timesince(value, depth=1)}
    else:
        words = date_format(timezone.localtime(value), "DATE_FORMAT")
    exact = date_format(timezone.localtime(value), "DATETIME_FORMAT")
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', value.isoformat(), exact, words
    )


@register.filter
def clock(value: datetime | None) -> str:
    """Hours and minutes; with the date when that is not today."""
    if value is None:
        return ""
    local = timezone.localtime(value)
    if local.date() == timezone.localdate():
        return date_format(local, "TIME_FORMAT")
    return date_format(local, "SHORT_DATETIME_FORMAT")


@register.filter
def word_count(text: str) -> str:
    count = len(str(text).split())
    words = ngettext("%(count)s word", "%(count)s words", count)
    return words % {"count": number_format(count, force_grouping=True)}


@register.filter
def lanes(count: int, server: str) -> str:
    """What follows "2 people are ahead of you"."""
    words = ngettext(
        "on %(server)s, which answers one at a time.",
        "on %(server)s, which answers %(count)s at a time.",
        count,
    )
    return words % {"server": server, "count": count}


@register.filter
def ask_words(server: Any) -> str:
    return _("Ask %(server)s instead") % {"server": server.handle}


@register.filter
def kind_words(kind: str) -> str:
    """A finding's kind, in words for the person who wrote the text."""
    doubtful = kind.startswith("possible-")
    words = _kind(kind.removeprefix("possible-"))
    return _("perhaps %(kind)s") % {"kind": words} if doubtful else words


def _kind(kind: str) -> str:
    words = {
        "address": _("network address"),
        "mac": _("hardware address"),
        "email": _("e-mail address"),
        "account-path": _("path with an account name"),
        "host": _("host name"),
        "connection": _("connection string"),
        "private-key": _("private key"),
        "token": _("token or password"),
        "card": _("card number"),
        "iban": _("bank account"),
        "name": _("protected name"),
    }
    return words.get(kind, kind)


@register.filter
def follow_url(turn_pk: int) -> str:
    """Where a page follows this turn: served beside Django, by its path."""
    return f"/turns/{turn_pk}/events"

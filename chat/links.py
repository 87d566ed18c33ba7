"""Which addresses in a model's text may become links, and the host a person sees.

Pure. Written back in one normal form, so that what was checked is what a browser
opens: schemes http, https and mailto, no user name, an ASCII host.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

MOST_CHARACTERS = 2_000

_WEB = re.compile(r"(?i)(https?)://([^/?#\\\s@]+)([/?#][^\s]*)?")
_MAIL = re.compile(r"(?i)mailto:([^\s?@/\\]{1,64}@[A-Za-z0-9.-]{1,253})(?:\?[^\s]*)?")
_HOST = re.compile(
    r"(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.?)+(?::\d{1,5})?"
    r"|\[[0-9a-f:.]{2,45}\](?::\d{1,5})?"
)
# What may stand in a path as it is; everything else is percent-encoded.
_PATH_SAFE = "/?#:@!$&'()*+,;=%-._~[]"
# Bare addresses in running text; brackets and punctuation at the end are prose.
BARE = re.compile(r"(?i)\bhttps?://[^\s<>\"`\\^{}|]{3,1900}")
_PROSE_END = ".,;:!?'\"*_~"


@dataclass(frozen=True, slots=True)
class Link:
    """`href` as the page writes it; `shown` is the full host or mail address."""

    href: str
    shown: str


def read_link(address: str) -> Link | None:
    """The link behind `address`, or None where there must be none."""
    if len(address) > MOST_CHARACTERS or not address.isprintable():
        return None
    address = address.strip()
    if mail := _MAIL.fullmatch(address):
        return Link("mailto:" + quote(mail[1], safe="@.+-_%"), mail[1])
    found = _WEB.fullmatch(address)
    if found is None:
        return None
    host = _ascii_host(found[2])
    if host is None:
        return None
    rest = quote(found[3] or "", safe=_PATH_SAFE)
    return Link(f"{found[1].lower()}://{host}{rest}", host)


def _ascii_host(text: str) -> str | None:
    """The host and port in ASCII: look-alike letters show as `xn--`."""
    text = text.lower()
    if not text.isascii():
        name, colon, port = text.partition(":")
        try:
            text = name.encode("idna").decode("ascii") + colon + port
        except UnicodeError:
            return None
    return text if len(text) <= 260 and _HOST.fullmatch(text) else None


def bare_end(text: str) -> int:
    """How many characters of a bare address are address and not prose."""
    end = len(text)
    while end:
        last = text[end - 1]
        unopened = last in ")]" and text.count(last, 0, end) > text.count(
            "(" if last == ")" else "[", 0, end
        )
        if last not in _PROSE_END and not unopened:
            break
        end -= 1
    return end


def says_its_host(text: str, link: Link) -> bool:
    """Whether a link's own words already show where it leads."""
    words = text.strip().lower()
    for lead in (f"http://{link.shown}", f"https://{link.shown}", link.shown.lower()):
        if words.startswith(lead):
            rest = words[len(lead) : len(lead) + 1]
            return rest in {"", "/", "?", "#"}
    return False

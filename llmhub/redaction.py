"""Takes addresses, keys and accounts out of log records before they are written.

Knows no app: the gpts app lends its detectors to it with `also_redact`.
"""

from __future__ import annotations

import ipaddress
import logging
import re
from collections.abc import Callable

# The few kinds that must never reach a log, even before the apps are loaded.
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}"), r"\1 <key>"),
    (re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s'\"<>]+"), "<url>"),
    (re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b"), "<address>"),
    (re.compile(r"\bsk-[A-Za-z0-9_-]{8,}"), "<key>"),
)
_IPV6_SHAPE = re.compile(r"(?<![\w:.])[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*")

_lent: list[Callable[[str], str]] = []


def also_redact(rule: Callable[[str], str]) -> None:
    """Apply `rule` (text in, text out) to every record from now on."""
    if rule not in _lent:
        _lent.append(rule)


def redact(text: str) -> str:
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    text = _IPV6_SHAPE.sub(_without_ipv6, text)
    for rule in _lent:
        text = rule(text)
    return text


def _without_ipv6(found: re.Match[str]) -> str:
    """A time (12:30:45) has the shape, `a::b` even parses: both are left alone."""
    text = found.group()
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return text
    return "<address>" if any(c.isdigit() for c in text) else text


class RedactionFilter(logging.Filter):
    """Rewrites the message, its arguments merged in, and the traceback's text."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = redact(record.getMessage())
        record.args = None
        if record.exc_info:
            trace = logging.Formatter().formatException(record.exc_info)
            record.exc_text = redact(trace)
            record.exc_info = None
        return True

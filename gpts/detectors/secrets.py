"""Keys, passwords and the strings that carry them."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections import Counter

from gpts.detectors.around import before
from gpts.detectors.hits import DOUBTFUL, Hit

# --- private keys ------------------------------------------------------------------

_GAP = r"(?:\\{1,4}[nrt]|[\s\"'+,\\])*+"
_BODY = re.compile(
    _GAP + r"(?:[\w-]{3,20}: [^\n\\]{1,80}" + _GAP + r")*+[A-Za-z0-9+/=]{8,}+"
)
_MORE = re.compile(r"(?:" + _GAP + r"[A-Za-z0-9+/=]{16,}+)*+")
_FOOTER = re.compile(r"-----?[ ]?END[ ][A-Z0-9 ]{0,60}KEY(?:[ ]BLOCK)?[ ]?-----?")
_ONLY_GAP = re.compile(_GAP + r"\Z")
_KEY_LIMIT = 20_000  # characters from BEGIN to END


def private_key(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """From BEGIN to END, or as far as the key goes where the END was cut off."""
    body = _BODY.match(text, match.end())
    if body is None:
        return _bodiless_key(kind, match, text)
    footer = _FOOTER.search(text, body.end(), match.end() + _KEY_LIMIT)
    more = _MORE.match(text, body.end(), match.end() + _KEY_LIMIT)
    end = footer.end() if footer else (more.end() if more else body.end())
    return Hit(kind, match.start(), end, text[match.start() : end])


def _bodiless_key(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """Cut off right behind BEGIN, or a line of its own; a quoted one is code."""
    rest = _ONLY_GAP.match(text, match.end(), match.end() + 64)
    if rest is not None and match.end() + 64 > len(text):
        return Hit(kind, match.start(), len(text), match.group())
    if text[match.end()] in "\r\n":
        return Hit(DOUBTFUL + kind, match.start(), match.end(), match.group())
    return None


# --- tokens ------------------------------------------------------------------------

_PLACEHOLDER = re.compile(
    r"[xX*.#0_-]+|\$.*|%.*%|\{.*|<.*|.*\.\.\.+|.*…"
    r"|(?:your|my|the|some|an?|example|sample|dummy|fake|insert|enter|put|replace|change"
    r"|paste|add)[-_ ]?[a-z_-]*(?:key|token|secret|password|passw|pwd|me|here|value)?"
    r"[a-z_-]*|null|none|nil|true|false|undefined|password|passwd|secret|token|string"
    r"|changeme|redacted|hidden|removed|empty|optional|required|default|test|str|bytes"
    r"|bool|int",
    re.I,
)
_HEX_DIGITS = re.compile(r"[0-9a-f]{32}")
_PARTS = re.compile(r"[_.-]")


def is_placeholder(value: str) -> bool:
    return _PLACEHOLDER.fullmatch(value) is not None


def mixed(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """A vendor's prefix is not enough: `sk-learn-contrib` has words behind it."""
    value = match.group()
    longest = max(_PARTS.split(value), key=len)
    random = len(longest) >= 20 or (len(longest) >= 10 and _has_digit(longest))
    if not random or len(set(longest)) < 3:
        return None
    return Hit(kind, match.start(), match.end(), value)


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)


def jwt(kind: str, match: re.Match[str], text: str) -> Hit | None:
    header = match.group().partition(".")[0]
    try:
        parsed = json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4)))
    except (ValueError, RecursionError):
        return None
    if not isinstance(parsed, dict) or not {"alg", "typ", "kid", "enc"} & parsed.keys():
        return None
    return Hit(kind, match.start(), match.end(), match.group())


def tail_key(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """A Mailchimp key: 32 hexadecimal digits before its data centre."""
    start = match.start() - 32
    if start < 0 or not _HEX_DIGITS.fullmatch(text, start, match.start()):
        return None
    return Hit(kind, start, match.end(), text[start : match.end()])


def header_key(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """`Bearer x`, `Basic x`, `Token x`: words of prose as well."""
    key = match["key"]
    scheme = match.group()[:6].lower()
    if is_placeholder(key):
        return None
    if scheme.startswith("basic"):
        real = _is_basic(key)
    elif scheme.startswith("token"):
        left = before(text, match.start(), 24).lower()
        real = "authorization" in left and len(key) >= 12
    else:
        real = (len(key) >= 10 and _has_digit(key)) or len(key) >= 40
    return Hit(kind, *match.span("key"), key) if real else None


def _is_basic(key: str) -> bool:
    try:
        decoded = base64.b64decode(key + "=" * (-len(key) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in decoded[1:] and all(byte >= 32 for byte in decoded)


# --- assignments -------------------------------------------------------------------

_NOT_SECRET_SUFFIX = re.compile(
    r"[_-]?(?:names?|ids?|files?|paths?|dirs?|ur[il]s?|types?|fields?|headers?|lengths?"
    r"|sizes?|counts?|limits?|refs?|expir\w*|ttl|hash\w*|algorithms?|placeholder|labels?"
    r"|prefix|suffix|vars?|env|class|index|format|version|policy|validator\w*|strength"
    r"|min\w*|max\w*|regex|pattern|endpoint|usage|budget|reset\w*|changed?|error|hint"
    r"|input|form|column|age|scope|issuer|audience|reuse\w*|per\w*|s\d*)",
    re.I,
)
_CODE = re.compile(
    r"(?:[A-Za-z_$][\w$]*(?:\.|->|::|\[)[\w.\[\]$>:-]*|self|this|os|process|env|settings"
    r"|request|config)(?:[.(\[].*)?",
)
_PATH_OR_URL = re.compile(r"(?:[~.]{0,2}/|[a-z][a-z0-9+.-]{1,12}://|[A-Za-z]:\\)", re.I)
_VERSION = re.compile(r"[v^~]?\d+(?:[.:-]\d+)*")
_IDENTIFIER = re.compile(r"[A-Za-z]+(?:[_-][A-Za-z]+)*\d?|[a-z]+(?:[A-Z][a-z]+)+\d?")
_PASSWORDS = ("passw", "passp", "pwd", "mot_de")


def assigned(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """`password = "x"`, `API_KEY=x`, `"token": "x"`, `password is x`, `?token=x`."""
    groups = match.groupdict()
    rest = groups.get("rest") or ""
    if rest and _NOT_SECRET_SUFFIX.fullmatch(rest):
        return None
    group = _value_group(groups)
    value = match[group].rstrip(".,:")
    word = (groups.get("word") or "key").lower()
    if not value or is_placeholder(value) or _is_code(value, group == "quoted"):
        return None
    doubt = _secret_doubt(word, value, quoted=group == "quoted")
    if doubt is None:
        return None
    start = match.start(group)
    return Hit(doubt + kind, start, start + len(value), value)


def _value_group(groups: dict[str, str | None]) -> str:
    if groups.get("quoted"):
        return "quoted"
    return "value" if "value" in groups else "key"


def _is_code(value: str, quoted: bool) -> bool:
    """An expression, a path, a version, a sentence: not the secret itself."""
    if _PATH_OR_URL.match(value) or _VERSION.fullmatch(value) or " " in value:
        return True
    return not quoted and bool(_CODE.fullmatch(value))


def _secret_doubt(word: str, value: str, *, quoted: bool) -> str | None:
    if _IDENTIFIER.fullmatch(value) and len(value) < 24:
        # `hunter2` may be one; `password2` is the name of a field.
        may_be = word.startswith(_PASSWORDS) and value[-1].isdigit()
        own_name = value.lower().startswith(word[:4])
        return DOUBTFUL if may_be and not own_name and len(value) >= 6 else None
    letters = any(char.isalpha() for char in value)
    digits = sum(char.isdigit() for char in value)
    if word.startswith(_PASSWORDS):
        if not letters or not (digits or re.search(r"[^\w-]", value)):
            return None
        return "" if quoted or digits > 1 or len(value) > 9 else DOUBTFUL
    if not letters or len(value) < 12 or digits < 2:
        return None
    return "" if _entropy(value) >= 2.8 else DOUBTFUL


def _entropy(value: str) -> float:
    """Bits per character."""
    total = len(value)
    counts = Counter(value).values()
    return -sum(count / total * math.log2(count / total) for count in counts)

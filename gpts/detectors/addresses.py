"""Network addresses in every spelling, and the numbers that only look like one."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from gpts.detectors.around import after, before
from gpts.detectors.hits import DOUBTFUL, Hit

# --- IPv4 --------------------------------------------------------------------------

_PRIVATE = tuple(
    ipaddress.IPv4Network(block)
    for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
)
# Ranges everybody knows name no network of anybody's.
_KNOWN_RANGES = frozenset(
    ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"]
    + ["169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4", "192.0.2.0/24"]
    + ["198.51.100.0/24", "203.0.113.0/24", "198.18.0.0/15"]
)
# Object identifiers of X.500, X.509 and the internet: names, not machines.
_OID = re.compile(r"(?:2\.5\.(?:4|29)|1\.3\.6)\.\d+")
_PORT_OR_PREFIX = re.compile(r":\d{2,5}(?!\d)|/\d{1,2}(?!\d)")
_ADDRESS_BEFORE = re.compile(r"(?://|@|\bip[v4]*[=: ]{1,2}|\baddr\w*[=: ]{1,2})$", re.I)
_VERSION_WORD = re.compile(
    r"(?:\b(?:versions?|ver\.?|release[ds]?|build|revision|bump\w*|updat\w*|upgrad\w*|downgrad\w*)"
    r"\b[^;]{0,44}|[A-Za-z][\w.]{0,30}[/-]|[A-Za-z)\]] ?\()$",
    re.I,
)
_VERSION_KEY = re.compile(r"version[\"']?\s{0,3}[:=(]\s{0,3}[\"']?$", re.I)
_HEADING = re.compile(r"^\s{0,8}(?:#{1,6}|={1,6}|\*{1,2})\s{0,3}(?:[\w.-]+ ){0,3}\[?$")
_DATED = re.compile(
    r"\]?\s{0,3}[-–—(/:]{0,2}\s{0,3}\(?(?:\d{4}-\d\d|[A-Z][a-z]{2,8}\.? \d"
    r"|\d{1,2} [A-Z]|unreleased)",
    re.I,
)
_FILE_OR_SUFFIX = re.compile(
    r"(?:-(?!\d{1,3}\.\d)[a-z0-9]|\+\w|\.(?:tar|zip|whl|jar|gem|exe|dll|so|deb|rpm|tgz"
    r"|dmg|msi|nupkg|crate|js|css|txt|egg))",
    re.I,
)
_PINNED = re.compile(r"\s{0,2}(?:\\\s*\n|;|--hash)")
_WEAK = re.compile(
    r"(?:[=<>~!^]=?|\b(?:section|chapter|clause|figure|table|paragraph|oid|§))\s{0,2}$",
    re.I,
)


def quad(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """Four numbers between dots (or `dot`s)."""
    address = _four(match.group().split(" dot ")) or _four(match.group().split("."))
    if address is None or _says_nothing(address) or _OID.fullmatch(match.group()):
        return None
    start, end = match.span()
    known = _PORT_OR_PREFIX.match(text, end)
    if known and f"{address}{known.group()}" in _KNOWN_RANGES:
        return None
    doubt = 0 if known else _doubt(text, start, end, address)
    if doubt == 2 and not _is_private(address):
        return None
    return Hit((DOUBTFUL if doubt else "") + "address", start, end, str(address))


def _four(parts: list[str]) -> ipaddress.IPv4Address | None:
    if len(parts) != 4:
        return None
    octal = all(len(part) > 1 and part.startswith("0") for part in parts)
    numbers = [_number(part, octal) for part in parts]
    if any(number is None or number > 255 for number in numbers):
        return None
    return ipaddress.IPv4Address(".".join(str(number) for number in numbers))


def _number(part: str, octal: bool) -> int | None:
    if part[:2].lower() == "0x":
        return int(part, 16)
    if len(part) > 3 and not octal:
        return None
    try:
        return int(part, 8 if octal else 10)
    except ValueError:
        return int(part)  # 08 and 09: padded, not octal


def _says_nothing(address: ipaddress.IPv4Address) -> bool:
    """Loopback, unspecified, and masks: 0.0.0.255, 255.255.255.0."""
    first = address.packed[0]
    return first in (0, 127, 255)


def _is_private(address: ipaddress.IPv4Address) -> bool:
    return any(address in block for block in _PRIVATE)


def _doubt(text: str, start: int, end: int, address: ipaddress.IPv4Address) -> int:
    """0 an address, 1 perhaps a version, 2 surely a version as far as words tell."""
    left, right = before(text, start), after(text, end)
    if _ADDRESS_BEFORE.search(left):
        return 0
    if _WEAK.search(left):
        return 2 if _PINNED.match(right) or _VERSION_KEY.search(left) else 1
    if _VERSION_WORD.search(left) or _VERSION_KEY.search(left):
        return 2
    if _FILE_OR_SUFFIX.match(right):
        return 2
    if _HEADING.match(left) or _DATED.match(right):
        return 2
    # Sections of standards and versions count in small numbers, networks do not.
    small = max(address.packed) < 60 and not _is_private(address)
    return 1 if small else 0


def integer(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """An address written as one number, where a word before says so."""
    group = "number" if "number" in match.re.groupindex else 0
    address = whole(match.group(group))
    if address is None:
        return None
    start, end = match.span(group)
    return Hit(kind, start, end, str(address))


def whole(number: str) -> ipaddress.IPv4Address | None:
    """One number as the address it reaches; None where it reaches none."""
    base = 16 if number[:2].lower() == "0x" else 10
    if base == 10 and number.startswith("0"):
        base = 8
    if base == 8 and set(number) & {"8", "9"}:
        return None
    value = int(number, base)
    if not 0x01000000 <= value <= 0xDFFFFFFF or (base == 10 and len(number) < 9):
        return None
    address = ipaddress.IPv4Address(value)
    return None if _says_nothing(address) else address


def private_integer(kind: str, match: re.Match[str], text: str) -> Hit | None:
    address = whole(match.group())
    if address is None or not _is_private(address):
        return None
    return Hit(kind, match.start(), match.end(), str(address))


# --- MAC ---------------------------------------------------------------------------


def mac(kind: str, match: re.Match[str], text: str) -> Hit | None:
    digits = re.sub(r"[:.-]", "", match.group()).lower()
    if len(digits) not in (12, 16) or len(set(digits)) == 1:
        return None
    if ":" not in match.group() and (digits.isdigit() or digits.isalpha()):
        # 12-34-56-78-90-12 and 1234.5678.9012 are more often just numbers.
        return Hit(DOUBTFUL + kind, *match.span(), digits) if "-" in match[0] else None
    return Hit(kind, match.start(), match.end(), digits)


# --- IPv6 --------------------------------------------------------------------------

# The sure mark: two colons with at most four hexadecimal digits between.
_MARK = re.compile(r":[0-9A-Fa-f]{0,4}:")
_RUN = re.compile(r"[0-9A-Fa-f:.]*+")
_RUN_CHARS = frozenset("0123456789abcdefABCDEF:.")
_LONGEST = 45  # characters of an IPv6 address with an IPv4 tail
_EUI64 = re.compile(r"[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){7}")
_MAPPED = re.compile(r"::ffff:", re.I)


def six(text: str) -> Iterator[Hit]:
    """Every IPv6 address; brackets, prefix, zone, port and full stop stay outside."""
    seen = 0
    for mark in _MARK.finditer(text):
        if mark.start() < seen:
            continue
        start = mark.start()
        while start > seen and text[start - 1] in _RUN_CHARS:
            start -= 1
        run = _RUN.match(text, start)
        seen = run.end() if run else mark.end()
        if seen - start <= 2 * _LONGEST:
            hit = _six_in(text, start, seen)
            if hit is not None:
                yield hit


def _six_in(text: str, start: int, end: int) -> Hit | None:
    start, end = _trimmed(text, start, end)
    if not _stands_alone(text, start, end):
        return None
    written = text[start:end]
    try:
        address = ipaddress.IPv6Address(written)
    except ValueError:
        return None
    if _EUI64.fullmatch(written):
        return Hit("mac", start, end, written.replace(":", "").lower())
    return _judged(address, written, text, start, end)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without a full stop at the end, or a single colon at either end."""
    while end > start and (
        text[end - 1] == "." or (text[end - 1] == ":" and text[end - 2] != ":")
    ):
        end -= 1
    while start < end and (
        text[start] == "."
        or (text[start] == ":" and text[start + 1 : start + 2] != ":")
    ):
        start += 1
    return start, end


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Not a piece of a word, as `std::`, and not a slice, as `rows[::2]`."""
    left, right = text[start - 1 : start], text[end : end + 1]
    if (left and (left.isalnum() or left in "_$")) or right.isalnum() or right == "_":
        return False
    bracket = left == "[" and right == "]"
    owner = text[start - 2 : start - 1] if start > 1 else ""
    return not (bracket and (owner.isalnum() or owner in ("_", ")", "]", '"', "'")))


def _judged(
    address: ipaddress.IPv6Address, written: str, text: str, start: int, end: int
) -> Hit | None:
    inner = address.ipv4_mapped
    if inner is not None:
        return None if _says_nothing(inner) else Hit("address", start, end, str(inner))
    value = int(address)
    if value < 1 << 32 and "." not in written:
        return None  # ::1, ::, and the tail of a slice
    top = value >> 112
    if _is_assigned(top) or written.lower().startswith(("64:ff9b:", "::ffff:0:")):
        return Hit("address", start, end, str(address))
    digits = sum(char.isdigit() for char in written)
    telling = digits and len(written.replace(":", "")) >= 8
    return Hit(DOUBTFUL + "address", start, end, str(address)) if telling else None


def _is_assigned(top: int) -> bool:
    """Whether the first 16 bits belong to a block in use: global unicast (2000::/3),
    unique local (fc00::/7), link-local and site-local (fe80::/9), multicast
    (RFC 4291, RFC 4193)."""
    return (
        0x2000 <= top <= 0x3FFF
        or 0xFC00 <= top <= 0xFDFF
        or 0xFE80 <= top <= 0xFEFF
        or top >= 0xFF00
    )

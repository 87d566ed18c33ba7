"""Numbers that carry their own proof: payment cards (Luhn) and IBAN (mod 97)."""

from __future__ import annotations

import re

from gpts.detectors.hits import Hit

# Digits of each brand by its first digits (ISO/IEC 7812).
_BRANDS = (
    (re.compile(r"4"), {16}),
    (re.compile(r"5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)"), {16}),
    (re.compile(r"3[47]"), {15}),
    (re.compile(r"3(?:0[0-5]|095|6|[89])"), {14}),
    (re.compile(r"6(?:011|4[4-9]|5)"), {16, 19}),
    (re.compile(r"35(?:2[89]|[3-8])"), {16}),
    (re.compile(r"62"), {16, 17, 18, 19}),
    (re.compile(r"50|5[6-8]|6[37]"), {16, 18, 19}),
)
_GROUPS = frozenset([(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3)])

# Characters of an IBAN by country (SWIFT IBAN registry, release 99).
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22,
    "BH": 22, "BI": 27, "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24,
    "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
    "FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27,
    "GT": 28, "HN": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26,
    "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
    "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20,
    "MR": 27, "MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23, "PK": 24,
    "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24,
    "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25,
    "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
    "YE": 30,
}  # fmt: skip


def card(kind: str, match: re.Match[str], text: str) -> Hit | None:
    written = match.group()
    digits = re.sub(r"[ -]", "", written)
    if len(digits) != len(written):
        groups = tuple(len(group) for group in re.split(r"[ -]", written))
        if groups not in _GROUPS or (" " in written and "-" in written):
            return None
    if not _is_brand(digits) or not luhn(digits):
        return None
    return Hit(kind, match.start(), match.end(), digits)


def _is_brand(digits: str) -> bool:
    return any(
        len(digits) in lengths and first.match(digits) for first, lengths in _BRANDS
    )


def luhn(digits: str) -> bool:
    """ISO/IEC 7812-1, annex B."""
    total = 0
    for place, char in enumerate(reversed(digits)):
        number = int(char) * (1 + place % 2)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def iban(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """As many characters as the country's IBAN has; what follows is left alone."""
    wanted = _IBAN_LENGTHS.get(match.group()[:2])
    if wanted is None:
        return None
    end = _end_of(match.group(), wanted)
    number = re.sub(r"[ -]", "", match.group()[:end])
    following = text[match.start() + end : match.start() + end + 1]
    if len(number) != wanted or following.isalnum() or not mod97(number):
        return None
    return Hit(kind, match.start(), match.start() + end, number)


def _end_of(written: str, wanted: int) -> int:
    """Where the `wanted`-th letter or digit ends."""
    places = [end for end, char in enumerate(written, 1) if char.isalnum()]
    return places[wanted - 1] if len(places) >= wanted else len(written)


def mod97(number: str) -> bool:
    """ISO 7064, as ISO 13616 uses it."""
    moved = number[4:] + number[:4]
    return int("".join(str(int(char, 36)) for char in moved)) % 97 == 1

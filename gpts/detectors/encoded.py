"""Text behind base64 and hexadecimal: decoded where the result is text at all."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

_SHORTEST = 16  # characters of base64 that can hide something
# The first character is looked behind after it is found: runs begin at their start.
_RUN = re.compile(r"[A-Za-z0-9+/_-](?<![A-Za-z0-9+/_-].)[A-Za-z0-9+/_-]{15,}+={0,2}")
# How a long run goes on in the next line, as mail and YAML break it.
_NEXT_LINE = re.compile(r"\r?\n[ \t]{0,16}([A-Za-z0-9+/_-]++={0,2})")
_LINE = 60  # characters of a run that may go on
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){12,}+")
_ESCAPED_HEX = re.compile(r"(?:\\x[0-9a-fA-F]{2}){8,}+")
_SPACE = re.compile(r"\s+")
_PIECES = re.compile(r"[/_-]")
_GZIP = b"\x1f\x8b"
_UNPACKED_LIMIT = 1_000_000  # bytes


@dataclass(frozen=True, slots=True)
class Decoded:
    """What [start, end) of a text says once decoded."""

    start: int
    end: int
    text: str


def decoded(text: str) -> Iterator[Decoded]:
    seen = 0
    for match in _RUN.finditer(text):
        if match.start() < seen:
            continue
        seen = _run_end(text, match)
        yield from _from_run(text[match.start() : seen], match.start())
    if "\\x" in text:
        for match in _ESCAPED_HEX.finditer(text):
            found = _as_text(bytes.fromhex(match.group().replace("\\x", "")))
            if found:
                yield Decoded(match.start(), match.end(), found)


def _run_end(text: str, first: re.Match[str]) -> int:
    """Where a run ends that full lines continue."""
    end = first.end()
    length = end - first.start()
    while length >= _LINE and text[end - 1] != "=":
        line = _NEXT_LINE.match(text, end)
        if line is None:
            break
        end = line.end()
        length = len(line[1])
    return end


def _from_run(run: str, start: int) -> Iterator[Decoded]:
    """The whole run, or, where that says nothing, its parts between `/`, `-`, `_`."""
    found = _decode_hex(run) or (_decode(_SPACE.sub("", run)) if _is_mixed(run) else "")
    if found:
        yield Decoded(start, start + len(run), found)
    elif _is_mixed(run) and _PIECES.search(run):
        yield from _from_pieces(run, start)


def _is_mixed(run: str) -> bool:
    """Base64 of a text has letters of both cases; most names of code have one."""
    return not (run.islower() or run.isupper())


def _from_pieces(run: str, start: int) -> Iterator[Decoded]:
    for piece in _PIECES.split(run):
        found = _decode(piece) if len(piece) >= _SHORTEST else ""
        if found:
            yield Decoded(start, start + len(piece), found)
        start += len(piece) + 1


def _decode_hex(run: str) -> str:
    return _as_text(bytes.fromhex(run)) if _HEX.fullmatch(run) else ""


def _decode(run: str) -> str:
    bare = run.rstrip("=").translate({ord("-"): "+", ord("_"): "/"})
    if len(bare) % 4 == 1:
        bare = bare[:-1]
    # The first bytes decide for nearly every run: names of code decode to noise.
    if not _as_text(_bytes(bare[:24])) and not bare.startswith("H4sI"):
        return ""
    return _as_text(_unpacked(_bytes(bare)))


def _bytes(bare: str) -> bytes:
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4))
    except binascii.Error:
        return b""


def _unpacked(data: bytes) -> bytes:
    """Kubernetes and Helm keep secrets as base64 of gzip."""
    if not data.startswith(_GZIP):
        return data
    try:
        return zlib.decompressobj(31).decompress(data, _UNPACKED_LIMIT)
    except zlib.error:
        return b""


def _as_text(data: bytes) -> str:
    """The bytes as text, or nothing where they are not printable UTF-8."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        if error.start < len(data) - 3:
            return ""
        text = data[: error.start].decode()
    plain = text.replace("\n", "").replace("\r", "").replace("\t", "").rstrip("\0")
    return text if plain.isprintable() and len(plain) >= 8 else ""

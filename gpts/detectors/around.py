"""What stands beside a match: bounded looks to the left and to the right.

Regular expressions that begin with a repetition are tried at every character; these
walk from a sure mark instead.
"""

from __future__ import annotations

_ASCII_WORD = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
)


def is_word(char: str) -> bool:
    """A letter or digit of any script, or an underscore."""
    return char in _ASCII_WORD or (char > "\x7f" and char.isalnum())


def walk_left(text: str, end: int, extra: str, limit: int) -> int:
    """Where the run of word characters and `extra` that ends at `end` starts."""
    least = max(0, end - limit)
    start = end
    while start > least and (is_word(text[start - 1]) or text[start - 1] in extra):
        start -= 1
    return start


def before(text: str, start: int, limit: int = 48) -> str:
    """What precedes `start` on its own line, at most `limit` characters."""
    piece = text[max(0, start - limit) : start]
    return piece[piece.rfind("\n") + 1 :]


def after(text: str, end: int, limit: int = 48) -> str:
    """What follows `end`, at most `limit` characters."""
    return text[end : end + limit]

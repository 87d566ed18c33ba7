"""Characters that JSON escaped in two halves, over two chunks. Pure."""

from __future__ import annotations


class Joiner:
    """Feed it text; a first half waits for its second.

    `any`: something that can be seen came; white space alone is no answer.
    """

    def __init__(self) -> None:
        self._half = ""
        self.any = False

    def feed(self, text: str) -> str:
        if self._half:
            text, self._half = self._half + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        self.any = self.any or bool(text.strip())
        return text if text.isascii() else mended(text)

    def finish(self) -> str:
        left, self._half = self._half, ""
        self.any = self.any or bool(left)
        return mended(left)


def mended(text: str) -> str:
    """Pairs of surrogates as their character, lone ones as U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text

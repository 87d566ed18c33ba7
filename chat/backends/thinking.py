"""Thinking that a server left inside the answer, taken out while it streams. Pure.

A tag counts only at the very start of the content; anywhere else, in code or prose,
it is the model's text. Nothing that may still become a tag is let out.
"""

from __future__ import annotations

from enum import Enum, auto

# Opening and closing tags of the families seen in the field.
TAGS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
)
_CLOSERS = dict(TAGS)
_ALL = tuple(tag for pair in TAGS for tag in pair)
_LONGEST = max(len(tag) for tag in _ALL)
# White space before a tag is held back, but not without end.
_MOST_HELD = 1000


class _Where(Enum):
    START = auto()  # nothing but white space so far: a tag may come
    THINKING = auto()  # between the tags
    ANSWER = auto()  # past them, for good


class ThinkSplitter:
    """Feed it content; it returns (reasoning, answer) parts, either may be empty."""

    def __init__(self) -> None:
        self._where = _Where.START
        self._held = ""
        self._closer = ""
        self._opener = ""
        self._tag_seen = False
        self._thought_begun = False

    def feed(self, text: str) -> tuple[str, str]:
        if self._where is _Where.ANSWER:
            return "", text
        held, self._held = self._held + text, ""
        return self._split(held)

    def finish(self) -> tuple[str, str]:
        """What was held back and became no tag after all."""
        held, self._held = self._held, ""
        if self._where is _Where.THINKING:
            return self._thought(held), ""
        return "", "" if self._tag_seen and not held.strip() else held

    def _split(self, text: str) -> tuple[str, str]:
        """Walk through as many states as `text` decides."""
        reasoning = ""
        while text:
            if self._where is _Where.ANSWER:
                return reasoning, text
            if self._where is _Where.START:
                rest = self._start(text)
            else:
                part, rest = self._thinking(text)
                reasoning += part
            if rest is None:
                break
            text = rest
        return reasoning, ""

    def _start(self, text: str) -> str | None:
        """What is left to look at, None where more must come first."""
        bare = text.lstrip()
        for tag in _ALL:
            if bare.startswith(tag):
                self._tag_seen = True
                self._enter(tag)
                return bare[len(tag) :]
        may_come = len(bare) < _LONGEST and len(text) < _MOST_HELD
        if may_come and any(tag.startswith(bare) for tag in _ALL):
            self._held = text
            return None
        self._where = _Where.ANSWER
        return self._without_blank_lines(text) if self._tag_seen else text

    def _enter(self, tag: str) -> None:
        """A closing tag alone is dropped: a chat template had opened the block."""
        if tag in _CLOSERS:
            self._where = _Where.THINKING
            self._opener, self._closer = tag, _CLOSERS[tag]
            self._thought_begun = False

    @staticmethod
    def _without_blank_lines(text: str) -> str:
        """The indentation of the first line is the answer's own."""
        bare = text.lstrip()
        space = text[: len(text) - len(bare)]
        return (space.rpartition("\n")[2] if "\n" in space else "") + bare

    def _thinking(self, text: str) -> tuple[str, str | None]:
        before, closer, after = text.partition(self._closer)
        if closer:
            self._where = _Where.START
            return self._thought(before), after
        keep = _unfinished(text, self._closer)
        if not self._thought_begun:
            keep = max(keep, self._repeated_opener(text))
        self._held = text[len(text) - keep :]
        return self._thought(text[: len(text) - keep]), None

    def _repeated_opener(self, text: str) -> int:
        """Template and model may both open the block: hold until it is sure."""
        bare = self._bare(text)
        return len(bare) if self._opener.startswith(bare) else 0

    def _thought(self, text: str) -> str:
        """Reasoning without the white space and further opening tags before it."""
        if not self._thought_begun:
            text = self._bare(text)
            self._thought_begun = bool(text)
        return text

    def _bare(self, text: str) -> str:
        text = text.lstrip()
        while text.startswith(self._opener):
            text = text[len(self._opener) :].lstrip()
        return text


def _unfinished(text: str, tag: str) -> int:
    """How many characters at the end of `text` may be the beginning of `tag`."""
    for length in range(min(len(tag) - 1, len(text)), 0, -1):
        if text.endswith(tag[:length]):
            return length
    return 0

"""The lines of `--output-format stream-json` as they arrive, as bodies of a turn.

Pure. A line is JSON or noise; an answer's text comes as deltas, as whole messages, or
both, and is given once. What the end of the run means is for `envelope` to say.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from chat.claude.envelope import folded
from chat.claude.limits import read_limit
from chat.events import Body, Reasoning, Text, ToolActivity

_LONGEST_LINE = 8 * 1024 * 1024
_PARAGRAPH = "\n\n"


class LineReader:
    """Feed it bytes, take bodies; `text` is all the text it gave so far."""

    def __init__(self) -> None:
        self._rest = b""
        self._told: list[str] = []
        self._by_deltas = False
        self._between = False
        self.finished = False

    @property
    def text(self) -> str:
        return "".join(self._told)

    def feed(self, data: bytes) -> Iterator[Body]:
        """The bodies of the whole lines that `data` completes."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            self._rest = b""
        for line in lines:
            yield from self._line(line)

    def last_text(self, result: str) -> str:
        """What is missing so that the texts, joined, are the answer: mostly nothing.

        An answer may have been said whole already, or in its last message.
        """
        told = self.text.strip()
        if not result.strip() or told.endswith(result.strip()):
            return ""
        return (_PARAGRAPH if told else "") + result

    def _line(self, line: bytes) -> Iterator[Body]:
        try:
            item = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(item, dict) or item.get("parent_tool_use_id"):
            return  # noise, or what a helper of the session says to itself
        kind = item.get("type")
        if kind == "result":
            self.finished = True
        elif kind == "stream_event":
            yield from self._delta(item.get("event"))
        elif kind == "assistant":
            yield from self._message(item)

    def _delta(self, event: Any) -> Iterator[Body]:
        if not isinstance(event, dict):
            return
        delta = event.get("delta")
        if event.get("type") == "message_start":
            self._between = bool(self._told)
        if event.get("type") != "content_block_delta" or not isinstance(delta, dict):
            return
        if isinstance(delta.get("text"), str):
            self._by_deltas = True
            yield from self._say(delta["text"])
        elif isinstance(delta.get("thinking"), str):
            self._by_deltas = True
            yield Reasoning(delta["thinking"])

    def _message(self, item: dict[str, Any]) -> Iterator[Body]:
        message = item.get("message")
        if not isinstance(message, dict) or _is_notice(item, message):
            return
        blocks = message.get("content")
        self._between = self._between or (bool(self._told) and not self._by_deltas)
        for block in blocks if isinstance(blocks, list) else []:
            if isinstance(block, dict):
                yield from self._block(block)

    def _block(self, block: dict[str, Any]) -> Iterator[Body]:
        kind = block.get("type")
        if kind == "tool_use":
            # The tool's name alone: its arguments are paths of this machine.
            yield ToolActivity(folded(str(block.get("name") or "?")))
        elif self._by_deltas:
            return
        elif kind == "text" and isinstance(block.get("text"), str):
            if not read_limit(block["text"], datetime.now(UTC)):
                yield from self._say(block["text"])
        elif kind == "thinking" and isinstance(block.get("thinking"), str):
            yield Reasoning(block["thinking"])

    def _say(self, text: str) -> Iterator[Text]:
        if not text:
            return
        if self._between:
            text = _PARAGRAPH + text
            self._between = False
        self._told.append(text)
        yield Text(text)


def _is_notice(item: dict[str, Any], message: dict[str, Any]) -> bool:
    """Claude writes its own failures as messages of nobody's model."""
    if item.get("error") or item.get("isApiErrorMessage"):
        return True
    return message.get("model") == "<synthetic>"

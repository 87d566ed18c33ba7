"""Which model of a server's list to take when nobody names one. Pure."""

from __future__ import annotations

import re
from typing import Any

from chat.backends.bodies import parse

LIST_LIMIT_BYTES = 4 * 1024 * 1024
# Names of models that answer no chat; a list often begins with one of them.
_NO_CHAT = re.compile(
    r"embed|rerank|whisper|\btts\b|moderation|clip|bge-|e5-|gte-|stable-diffusion"
    r"|flux|dall-e|kokoro|parakeet",
    re.IGNORECASE,
)
_NO_CHAT_TYPES = {"embedding", "embeddings", "rerank", "tts", "stt", "image"}


def chat_model(body: bytes) -> str:
    """The first listed model that is loaded and chats, else the first; "" for none."""
    entries = _entries(parse(body))
    chats = [(name, entry) for name, entry in entries if _chats(name, entry)]
    for name, entry in chats:
        if _is_loaded(entry):
            return name
    return (chats or entries or [("", {})])[0][0]


def _entries(payload: Any) -> list[tuple[str, dict[str, Any]]]:
    """Names and entries of a list in OpenAI's shape, in Ollama's, or plain."""
    rows = payload
    if isinstance(payload, dict):
        rows = payload.get("data") or payload.get("models")
    found = []
    for row in rows if isinstance(rows, list) else ():
        entry = row if isinstance(row, dict) else {"id": row}
        name = next((entry[k] for k in ("id", "name", "model") if entry.get(k)), None)
        if isinstance(name, str):
            found.append((name, entry))
    return found


def _chats(name: str, entry: dict[str, Any]) -> bool:
    return str(entry.get("type", "")) not in _NO_CHAT_TYPES and not _NO_CHAT.search(
        name
    )


def _is_loaded(entry: dict[str, Any]) -> bool:
    """A router says so in `status.value`, LM Studio in `state`; others not at all."""
    status = entry.get("status")
    value = status.get("value") if isinstance(status, dict) else entry.get("state")
    return value == "loaded"

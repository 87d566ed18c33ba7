"""What an error body says, whatever its shape. Pure: bytes or parsed JSON in.

Every server dresses its errors differently, and routers wrap those of others as
strings of JSON: this finds the one sentence, and the words that classify it.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

SENTENCE_CHARACTERS = 500
# Objects, lists and strings of JSON within each other: routers wrap routers.
_DEPTH = 18
# In this order; "error" comes late because its text is often only a status.
_TEXT_KEYS = (
    "message", "msg", "detail", "error_description", "error_message", "errorMessage",
    "error", "errors", "title", "reason", "description", "details", "raw", "status",
)  # fmt: skip
_CODE_KEYS = ("code", "type", "status", "name")
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029\u200b\ufeff]+")
_TRACE = re.compile(r"\n[ \t]{0,20}File \"|Traceback \(most recent call last\)")
_PAGE = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype|html|head|body)\b", re.I)
_TITLES = tuple(
    re.compile(rf"<{tag}\b[^>]{{0,200}}>(.{{0,300}}?)</{tag}>", re.I | re.S)
    for tag in ("title", "h1")
)
_MARKUP = re.compile(r"<[^<>]{0,300}>")
_ADDRESS = re.compile(
    r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s'\"<>)\]]+"
    r"|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w.]*\d)"
    r"|\[(?=[^\]]{0,45}:)[0-9a-f:.]{2,45}\](?::\d{1,5})?",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Said:
    """An error as it was said.

    `words` are codes and types, lower case; `param` the parameter a field names;
    `page` is true for a web page, whose title then is the sentence.
    """

    sentence: str = ""
    words: str = ""
    param: str = ""
    payload: Any = None
    page: bool = False


def parse(raw: bytes | str) -> Any:
    """JSON as a value, None where it is none. Never raises."""
    try:
        text = raw if isinstance(raw, str) else raw.decode("utf-8", "replace")
        return json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None


def read_body(body: bytes) -> Said:
    """What the body of an answer says; an empty sentence where it says nothing."""
    payload = parse(body)
    if payload is not None:
        return read_payload(payload)
    if is_page(body):
        return Said(sentence=_title(body), page=True)
    text = body[:20_000].decode("utf-8", "replace")
    return Said(sentence=_without_trace(text).strip())


def read_payload(payload: Any) -> Said:
    """The same of a body that is parsed already (an error inside a stream)."""
    if isinstance(payload, list) and not any(isinstance(x, dict) for x in payload):
        return Said(sentence=_dump(payload), payload=payload)
    return Said(
        sentence=_sentence(payload, 0),
        words=" ".join(_words(payload)).lower(),
        param=_param(payload),
        payload=payload,
    )


def is_page(body: bytes) -> bool:
    return _PAGE.match(body[:2000]) is not None


def fold(text: str, limit: int = SENTENCE_CHARACTERS) -> str:
    """One line without control characters, at most `limit` characters."""
    line = _BLANKS.sub(" ", text).strip()
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def without_addresses(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without addresses, and without `secrets` (the key, the host)."""
    for secret in secrets:
        if len(secret) > 3:
            text = text.replace(secret, "[…]")
    return _ADDRESS.sub("[address]", text)


def _sentence(node: Any, depth: int) -> str:
    if depth > _DEPTH:
        return ""
    if isinstance(node, str):
        return _of_text(node, depth)
    if isinstance(node, list):
        found = (_sentence(item, depth + 1) for item in node[:3])
        return "; ".join(text for text in found if text)
    if isinstance(node, dict):
        return _of_object(node, depth) or _code(node)
    return ""


def _of_object(node: dict[str, Any], depth: int) -> str:
    if "loc" in node and isinstance(node.get("msg"), str):
        return f"{_location(node['loc'])}: {node['msg']}"
    for value in _candidates(node):
        if found := _sentence(value, depth + 1):
            return found
    return ""


def _candidates(node: dict[str, Any]) -> Iterable[Any]:
    """The places of a sentence, the innermost cause first."""
    metadata = node.get("metadata")
    if isinstance(metadata, dict):
        yield metadata.get("raw")
    for key in ("error", "errors"):
        if isinstance(node.get(key), dict | list):
            yield node[key]
    for key in _TEXT_KEYS:
        value = node.get(key)
        tried = key in {"error", "errors"} and isinstance(value, dict | list)
        if not (tried or isinstance(value, bool)):
            yield value


def _of_text(text: str, depth: int) -> str:
    """A sentence; JSON inside it (behind a prefix or not) is looked into."""
    text = _without_trace(text).strip()
    start = text.find("{")
    if start >= 0 and len(text) < 200_000:
        inner = parse(text[start : text.rfind("}") + 1])
        if isinstance(inner, dict) and (found := _sentence(inner, depth + 1)):
            return found
    return text


def _without_trace(text: str) -> str:
    match = _TRACE.search(text)
    return text[: match.start()] if match else text


def _location(loc: Any) -> str:
    parts = [str(p) for p in loc if p != "body"] if isinstance(loc, list) else [loc]
    return ".".join(str(part) for part in parts)


def _code(node: dict[str, Any]) -> str:
    for key in _CODE_KEYS:
        value = node.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and value:
            return str(value)
    return ""


def _layers(payload: Any) -> Iterable[dict[str, Any]]:
    """The objects that may carry codes: the body, its error, what that wraps."""
    for _ in range(_DEPTH):
        if isinstance(payload, str):
            payload = parse(payload)
        if isinstance(payload, list) and payload:
            payload = payload[0]
        if not isinstance(payload, dict):
            return
        yield payload
        metadata = payload.get("metadata")
        raw = metadata.get("raw") if isinstance(metadata, dict) else None
        inner = payload.get("error") or payload.get("detail") or raw
        payload = inner if isinstance(inner, dict | list | str) else None


def _words(payload: Any) -> Iterable[str]:
    for layer in _layers(payload):
        for key in _CODE_KEYS:
            if isinstance(layer.get(key), str | int):
                yield str(layer[key])[:200]


def _param(payload: Any) -> str:
    for layer in _layers(payload):
        value = layer.get("param")
        if isinstance(value, str) and value not in {"", "None", "null"}:
            return value[:200]
    return ""


def _title(body: bytes) -> str:
    text = body[:20_000].decode("utf-8", "replace")
    for pattern in _TITLES:
        if match := pattern.search(text):
            return html.unescape(_MARKUP.sub(" ", match[1])).strip()
    return ""


def _dump(payload: Any) -> str:
    return json.dumps(payload, ensure_ascii=False)[:SENTENCE_CHARACTERS]

"""One JSON object of an answer as a value. Pure: dicts stop here.

Deltas of a stream and messages of a whole answer differ in one word, so both are
read by the same road. Missing, null, empty and oddly shaped fields are nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from chat.backends.bodies import parse
from chat.events import Usage

_LARGEST_COUNT = 2**53
_NAME_CHARACTERS = 300
# Several servers send the same reasoning under two names: the first one counts.
_REASONING_KEYS = ("reasoning_content", "reasoning", "thinking", "reasoning_text")
_THOUGHTS = ("thinking", "reasoning", "reasoning.text", "reasoning.summary", "thought")
_PART_TEXTS = ("text", "content", "thinking", "reasoning", "summary", "refusal")
_DEPTH = 4
_SAY_NO_MORE = {
    "id", "object", "created", "model", "choices", "system_fingerprint",
    "service_tier", "usage",
}  # fmt: skip
_CHOICE_KEYS = {"index", "delta", "finish_reason", "logprobs"}
_DELTA_KEYS = {"role", "content"}


@dataclass(frozen=True, slots=True)
class ToolDelta:
    """A piece of a tool call. `index` None: the server did not number it."""

    index: int | None
    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one object adds. `error` holds the payload of an error, None without.

    `is_whole`: an answer that was not streamed, complete by being there.
    """

    text: str = ""
    reasoning: str = ""
    is_refusal: bool = False
    finish: str | None = None
    model: str = ""
    usage: Usage | None = None
    tools: tuple[ToolDelta, ...] = ()
    error: Any = None
    is_answer: bool = False
    is_whole: bool = False


def read_chunks(raw: bytes) -> list[Chunk] | None:
    """The chunks of one event's data; None where it is no JSON object or list."""
    payload = parse(raw)
    items = payload if isinstance(payload, list) else [payload]
    found = [read_chunk(item) for item in items if isinstance(item, dict)]
    return found or None


def read_chunk(payload: dict[str, Any]) -> Chunk:
    """One object; only the first choice of several is read."""
    return _plain_delta(payload) or _any_chunk(payload)


def _plain_delta(payload: dict[str, Any]) -> Chunk | None:
    """The chunk nearly all of them are, at a fifth of the cost; None for others.

    Only where nothing else can be in it: every key is one that says no more.
    """
    choices = payload.get("choices")
    if type(choices) is not list or len(choices) != 1 or payload.keys() - _SAY_NO_MORE:
        return None
    choice = choices[0]
    if type(choice) is not dict or choice.keys() - _CHOICE_KEYS:
        return None
    delta = choice.get("delta")
    if type(delta) is not dict or delta.keys() - _DELTA_KEYS:
        return None
    text, model = delta.get("content"), payload.get("model")
    counts = choice.get("index") in (0, None) and not payload.get("usage")
    if type(text) is not str or not counts or choice.get("finish_reason"):
        return None
    if payload.get("object") == "error":
        return None
    return Chunk(text, model=_name(model), is_answer=True)


def _any_chunk(payload: dict[str, Any]) -> Chunk:
    choice = _first_choice(payload.get("choices"))
    message = _message(payload, choice)
    text, thoughts = _content(message.get("content"))
    if not text and isinstance(choice.get("text"), str):
        text = choice["text"]
    refusal = _word(message.get("refusal")) or ""
    return Chunk(
        text=text + refusal,
        reasoning=thoughts + _reasoning(message),
        is_refusal=bool(refusal),
        finish=_finish(payload, choice),
        model=_name(payload.get("model")),
        usage=_usage(payload, choice),
        tools=tuple(_tools(message)),
        error=_error(payload, choice),
        is_answer="choices" in payload or bool(message),
        is_whole=_is_whole(payload, choice),
    )


def _first_choice(choices: Any) -> dict[str, Any]:
    """With several answers asked for (`n`), the one numbered 0 or not at all."""
    if not isinstance(choices, list):
        return {}
    for choice in choices:
        if isinstance(choice, dict) and choice.get("index") in (0, None):
            return choice
    return {}


def _message(payload: dict[str, Any], choice: dict[str, Any]) -> dict[str, Any]:
    for holder, key in ((choice, "delta"), (choice, "message"), (payload, "message")):
        found = holder.get(key)
        if isinstance(found, dict):
            return found
    return {}


def _finish(payload: dict[str, Any], choice: dict[str, Any]) -> str | None:
    """The server's word; Ollama's own API says `done`. "" means not yet."""
    ollama = payload.get("done_reason") or "stop" if payload.get("done") is True else ""
    return _name(choice.get("finish_reason")) or _name(ollama) or None


def _is_whole(payload: dict[str, Any], choice: dict[str, Any]) -> bool:
    kind = payload.get("object")
    return isinstance(choice.get("message"), dict) and kind != "chat.completion.chunk"


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _name(value: Any) -> str:
    """A model's name or an end's reason: short, whatever a server sends."""
    return value[:_NAME_CHARACTERS] if isinstance(value, str) else ""


def _content(content: Any) -> tuple[str, str]:
    """(answer, reasoning) of content that is a string, an object or typed parts."""
    if isinstance(content, str):
        return content, ""
    if content is None:
        return "", ""
    text: list[str] = []
    thoughts: list[str] = []
    for part in content if isinstance(content, list) else [content]:
        kind = part.get("type") if isinstance(part, dict) else None
        (thoughts if kind in _THOUGHTS else text).append(_part_text(part, 0))
    return "".join(text), "".join(thoughts)


def _part_text(part: Any, depth: int) -> str:
    """The text of one part, however deep: {"text": ..} and {"text": {"value": ..}}."""
    if isinstance(part, str):
        return part
    if depth > _DEPTH:
        return ""
    if isinstance(part, list):
        return "".join(_part_text(item, depth + 1) for item in part)
    if not isinstance(part, dict):
        return ""
    for key in (*_PART_TEXTS, "value"):
        if part.get(key):
            return _part_text(part[key], depth + 1)
    return ""


def _reasoning(message: dict[str, Any]) -> str:
    for key in _REASONING_KEYS:
        if found := _part_text(message.get(key), 0):
            return found
    return _part_text(message.get("reasoning_details"), 0)


def _usage(payload: dict[str, Any], choice: dict[str, Any]) -> Usage | None:
    """Counts where servers put them; llama.cpp has them in `timings` alone if asked
    for no usage."""
    groq = payload.get("x_groq")
    places = (payload, choice, groq if isinstance(groq, dict) else {})
    for place in places:
        value = place.get("usage")
        if isinstance(value, dict) and (found := _counted(value)):
            return found
    timings = payload.get("timings")
    if not isinstance(timings, dict) or _count(timings, "predicted_n") is None:
        return None
    prompt = (_count(timings, "prompt_n") or 0) + (_count(timings, "cache_n") or 0)
    return Usage(prompt, _count(timings, "predicted_n"))


def _counted(value: dict[str, Any]) -> Usage | None:
    found = Usage(
        _count(value, "prompt_tokens", "input_tokens"),
        _count(value, "completion_tokens", "output_tokens"),
    )
    return None if found == Usage() else found


def _count(value: dict[str, Any], *names: str) -> int | None:
    for name in names:
        number = value.get(name)
        if isinstance(number, bool) or not isinstance(number, int | float):
            continue
        if 0 <= number < _LARGEST_COUNT:
            return int(number)
    return None


def _tools(message: dict[str, Any]) -> Iterable[ToolDelta]:
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else [calls]:
        if isinstance(call, dict):
            yield _tool(call)
    old = message.get("function_call")
    if isinstance(old, dict):
        yield _tool({"index": 0, "function": old})


def _tool(call: dict[str, Any]) -> ToolDelta:
    function = call.get("function")
    function = function if isinstance(function, dict) else call
    index = call.get("index")
    arguments = function.get("arguments")
    if isinstance(arguments, dict | list):
        arguments = json.dumps(arguments, ensure_ascii=False)
    return ToolDelta(
        index=index if type(index) is int else None,
        call_id=_word(call.get("id")) or "",
        name=_word(function.get("name")) or "",
        arguments=arguments if isinstance(arguments, str) else "",
    )


def _error(payload: dict[str, Any], choice: dict[str, Any]) -> Any:
    """The payload of an error, None where there is none."""
    if payload.get("error") or payload.get("errors"):
        return payload
    if choice.get("error"):
        return {"error": choice["error"]}
    if payload.get("object") == "error" or payload.get("type") == "error":
        return payload
    speaks = any(payload.get(key) for key in ("message", "detail", "msg"))
    if "choices" in payload or not speaks or isinstance(payload.get("message"), dict):
        return None
    return payload

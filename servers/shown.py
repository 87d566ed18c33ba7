"""What Ollama's list, its `/api/ps` and POST /api/show say of its models.

LocalAI answers the same routes. The paths of shown models are `/api/show NAME` in the
evidence. Pure.
"""

from __future__ import annotations

import re
from typing import Any

from servers.announced import (
    Entry,
    estimated_parameters,
    first,
    parameter_count,
    tokens,
)
from servers.bodies import MISSING
from servers.claims import UNKNOWN, Claim, Claims
from servers.evidence import Evidence
from servers.family import Listing, name_of
from servers.manners import SHOW

TAGS = Listing("/api/tags", "models", ("name", "model"))
PS = "/api/ps"
# Above this many models the window that a model's own parameters set is not asked.
FEW = 16
_NUM_CTX = re.compile(r"^num_ctx[ \t]+(\d+)[ \t]*$", re.MULTILINE)
_VISION = ("vision", "image")


def shown_path(model: str) -> str:
    return f"{SHOW} {model}"


def to_show(evidence: Evidence) -> tuple[str, ...]:
    """Models whose list entry does not say enough: capabilities (before v0.30.0), or
    the window in force, of a few models that are not loaded."""
    entries = TAGS.entries(evidence) or []
    loaded = _loaded(evidence)
    few = len(entries) <= FEW
    wanted = []
    for entry in entries:
        name = name_of(entry, TAGS.names)
        silent = Entry(entry, "").words("capabilities") is None
        if name and (silent or (few and name not in loaded)):
            wanted.append(name)
    return tuple(dict.fromkeys(wanted))


def model_claims(evidence: Evidence) -> tuple[Claims, ...]:
    """Claims of every model of `/api/tags`."""
    loaded = _loaded(evidence)
    readable = isinstance(evidence.json(PS), dict)
    found = {}
    for entry in TAGS.entries(evidence) or []:
        name = name_of(entry, TAGS.names)
        if name and name not in found:
            running = loaded.get(name, {} if readable else None)
            found[name] = _claims(name, entry, running, evidence)
    return tuple(found.values())


def _loaded(evidence: Evidence) -> dict[str, Any]:
    running = Listing(PS, "models", TAGS.names).entries(evidence) or []
    return {name_of(entry, TAGS.names): entry for entry in running}


def _claims(name: str, entry: Any, running: Any, evidence: Evidence) -> Claims:
    """`running` is the model's entry of /api/ps, {} when it is not loaded, None when
    that is not known."""
    listed = Entry(entry, f"GET {TAGS.path}")
    shown = Entry(evidence.json(shown_path(name)), f"POST {SHOW}")
    ps = Entry(running, f"GET {PS}")
    able = listed if listed.words("capabilities") else shown
    detail = Entry(entry if listed.at("details") is not MISSING else shown.value, "")
    detail.request = listed.request if detail.value is entry else shown.request
    return Claims(
        name,
        context_tokens=first(ps.tokens("context_length"), _num_ctx(shown)),
        context_trained=first(
            _in_info(shown, "context_length"), listed.tokens("details.context_length")
        ),
        parameters_billions=first(
            _count(shown),
            detail.parameters("details.parameter_size"),
            estimated_parameters(name),
        ),
        quantization=detail.word("details.quantization_level"),
        tools=_able(able, "tools"),
        vision=first(_able(able, *_VISION), _projects(shown)),
        audio=_able(able, "audio"),
        reasoning=_able(able, "thinking"),
        embeddings=_able(able, "embedding"),
        loaded=UNKNOWN if running is None else Claim(bool(running), f"GET {PS}"),
        chat=_chats(able),
    )


def _able(entry: Entry, *names: str) -> Claim:
    """The list says everything once it says what the model is for."""
    words = entry.words("capabilities") or frozenset()
    return entry.among("capabilities", *names, whole=bool(words & _PURPOSES))


def _projects(shown: Entry) -> Claim:
    """Before the capabilities list, a model with a projector said so by having one."""
    info = shown.at("projector_info")
    if not isinstance(info, dict) or not info:
        return UNKNOWN
    return Claim(True, f"{shown.request} projector_info")


_PURPOSES = frozenset({"completion", "embedding"})


def _chats(entry: Entry) -> Claim:
    words = entry.words("capabilities") or frozenset()
    if not words & _PURPOSES:
        return UNKNOWN
    return Claim("completion" in words, f"{entry.request} capabilities")


def _num_ctx(shown: Entry) -> Claim:
    """`parameters` is aligned text; its num_ctx is what the server really uses."""
    text = shown.at("parameters")
    hits = _NUM_CTX.findall(text) if isinstance(text, str) else []
    return tokens(hits[-1], f"{shown.request} parameters num_ctx") if hits else UNKNOWN


def _info(shown: Entry) -> dict[str, Any]:
    info = shown.at("model_info")
    return info if isinstance(info, dict) else {}


def _in_info(shown: Entry, name: str) -> Claim:
    """A key under the model's architecture: never the first that ends alike."""
    info = _info(shown)
    architecture = info.get("general.architecture")
    keys = [f"{architecture}.{name}"] if isinstance(architecture, str) else []
    keys.append(f"general.{name}")
    source = f"{shown.request} model_info"
    return first(*(tokens(info.get(key), f"{source} {key}") for key in keys))


def _count(shown: Entry) -> Claim:
    key = "general.parameter_count"
    return parameter_count(_info(shown).get(key), f"{shown.request} model_info {key}")

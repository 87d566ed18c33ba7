"""What a server announces about one model, each claim in an honest degree.

A claim is read (value and where it stood), estimated (said so), or unknown (None).
Unknown is never False. Values only; the readers stand in `families/`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Claim:
    """One capability: `value` None is unknown; `source` is `GET /props n_ctx`.

    Only a parameter count may be `estimated` (read out of a model's name).
    """

    value: int | float | str | bool | None = None
    source: str = ""
    estimated: bool = False

    @property
    def known(self) -> bool:
        return self.value is not None

    def as_json(self) -> dict[str, Any]:
        return {
            "value": self.value,
            "source": self.source,
            "estimated": self.estimated,
        }


UNKNOWN = Claim()


@dataclass(frozen=True, slots=True)
class Claims:
    """What is announced of one model. Windows in tokens, parameters in billions.

    `context_tokens` is the window in force for one request (per slot, as loaded);
    `context_trained` the one the model was trained with. `loaded` False is usable.
    """

    model: str
    context_tokens: Claim = UNKNOWN
    context_trained: Claim = UNKNOWN
    parameters_billions: Claim = UNKNOWN
    quantization: Claim = UNKNOWN
    tools: Claim = UNKNOWN
    vision: Claim = UNKNOWN
    audio: Claim = UNKNOWN
    json_output: Claim = UNKNOWN
    reasoning: Claim = UNKNOWN
    embeddings: Claim = UNKNOWN
    slots: Claim = UNKNOWN
    loaded: Claim = UNKNOWN
    # False: an embedding or image model, not offered for chat. Unknown is offered.
    chat: Claim = UNKNOWN

    @property
    def chats(self) -> bool:
        """Whether the model is offered for chat; only a read "no" takes it out."""
        return self.chat.value is not False

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"model": self.model}
        for item in fields(self)[1:]:
            found[item.name] = getattr(self, item.name).as_json()
        return found

"""What a turn needs of a backend: bodies in order, then the end. Knows no server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from chat.events import Body
from gpts.gate import Cleared


@dataclass(frozen=True, slots=True)
class Request:
    """One generation: what was cleared, for which model, with which parameters.

    `params` are sampling parameters of a gpt; unknown ones go through extra_body.
    `stream` False asks for the answer whole.
    """

    cleared: Cleared
    model: str
    params: Mapping[str, Any] = field(default_factory=dict)
    stream: bool = True


class Backend(Protocol):
    """Talks to one server or session.

    `events` yields bodies, Started first and at most one Final, last. It raises
    `chat.errors.BackendError` when the generation failed. Closing the iterator
    (`aclose`, or cancelling the task that reads it) closes the upstream at once.
    """

    def events(self, request: Request) -> AsyncIterator[Body]: ...

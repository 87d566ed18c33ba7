"""What can go wrong in a turn, as exceptions.

    ChatError
    └── BackendError    the turn failed: `fault` for programs, the text for a person

A rate limit is an event and an outcome, not an exception.
"""

from __future__ import annotations

from enum import StrEnum

from chat.events import Final


class ChatError(Exception):
    """Base of this app's errors; its text is one line that a person can act on."""


class Fault(StrEnum):
    UNREACHABLE = "unreachable"  # no connection, nothing was generated
    LOADING = "loading"  # 503 "loading" outlasted the patience for it
    KEY = "key"  # 401 or 403
    MODEL = "model"  # that model is not there
    OVERFLOW = "overflow"  # the text is longer than the context window
    PARAMETER = "parameter"  # a parameter was refused, and again without it
    REFUSED = "refused"  # any other 4xx
    SERVER = "server"  # any 5xx or an error object in the stream
    PROTOCOL = "protocol"  # the answer is no chat completion (HTML, empty, garbled)
    CUT = "cut"  # the connection ended in mid-answer
    EMPTY = "empty"  # no text, and not because the model had nothing to say
    DESTINATION = "destination"  # the address may not be used any more


class BackendError(ChatError):
    """A turn that failed. At most 500 characters on one line, without an address.

    `facts` are what the answer had said of itself by then (finish reason, usage).
    """

    def __init__(
        self, fault: Fault, message: str, *, facts: Final | None = None
    ) -> None:
        super().__init__(message)
        self.fault = fault
        self.message = message
        self.facts = facts

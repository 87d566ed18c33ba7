"""What can go wrong in a turn, as exceptions.

    ChatError
    ├── BackendError    the turn failed: `fault` for programs, the text for a person
    ├── Busy            a conversation has a turn that is not over yet
    └── EngineTaken     another process runs the turns of this database

A rate limit is an event and an outcome, not an exception.
"""

from __future__ import annotations

from enum import StrEnum

from django.utils.translation import gettext as _

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


class Busy(ChatError):
    """One turn at a time in a conversation."""

    def __str__(self) -> str:
        return _("The last question is still being answered: wait for it or stop it.")


class EngineTaken(ChatError):
    """Somebody else holds the lease of the engine and renews it."""

    def __init__(self, machine: str, pid: int) -> None:
        super().__init__(machine, pid)
        self.machine = machine
        self.pid = pid

    def __str__(self) -> str:
        where = {"pid": self.pid, "machine": self.machine}
        return (
            _("Another hub (process %(pid)d on %(machine)s) runs this database.")
            % where
        )

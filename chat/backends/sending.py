"""What one turn sends, and whether it may be sent again. Does no I/O.

Sent again only where surely nothing was generated: while the model is loading, and
once without a parameter that the server refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from chat.backends.base import Request
from chat.backends.parameters import RefusedParameter
from chat.backends.refusals import Loading, Verdict
from chat.backends.surrogates import mended
from chat.errors import BackendError, Fault
from chat.events import Body, Heartbeat, RateLimited

# A gpt may not turn the request into another one.
NOT_PARAMETERS = {
    "model", "messages", "stream", "headers", "extra_headers", "extra_body",
    "extra_query", "timeout", "base_url", "api_key",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a loading server is waited for, and the pause between two tries."""

    loading_seconds: float = 120.0
    pause_seconds: float = 2.0


class Sending:
    """The request of one turn, and what was learnt from sending it.

    `known` are parameters this server refused earlier, with their substitutes. `over`
    is true once nothing more is to be sent; `waits` asks for a pause before the next.
    """

    def __init__(
        self, request: Request, known: Mapping[str, str], patience: Patience
    ) -> None:
        self.body = _body(request)
        self.notes: list[str] = []
        self.left_out: dict[str, str] = {}
        self.over = False
        self.waits = False
        self._patience = patience
        for name, instead in known.items():
            if self._leave_out(name, instead):
                self._note(_("Sent without %s, which this server refuses."), name)

    @property
    def model(self) -> str:
        return str(self.body["model"])

    @model.setter
    def model(self, name: str) -> None:
        self.body["model"] = name

    @property
    def parameters(self) -> list[str]:
        return [name for name in self.body if name not in {"model", "messages"}]

    def react(self, verdict: Verdict, waited: float) -> list[Body]:
        """What is shown after an answer that refused, `waited` seconds in all.

        Raises BackendError where the turn ends there.
        """
        if isinstance(verdict, RateLimited):
            self.over = True
            return [verdict]
        if isinstance(verdict, Loading):
            return self._wait(verdict, waited)
        self.waits = False
        if not self._without(verdict.parameter):
            raise verdict.as_error()
        return []

    def _wait(self, verdict: Loading, waited: float) -> list[Body]:
        if waited >= self._patience.loading_seconds:
            seconds = self._patience.loading_seconds
            text = _("still loading after %(seconds)g s: %(said)s")
            said = text % {"seconds": seconds, "said": verdict.sentence}
            raise BackendError(Fault.LOADING, said)
        self.waits = True
        return [Heartbeat(round(waited, 1), "loading")]

    def _without(self, refused: RefusedParameter | None) -> bool:
        """Once in a turn, and only a parameter that was really sent."""
        if refused is None or self.left_out:
            return False
        if not self._leave_out(refused.name, refused.instead):
            return False
        self.left_out[refused.name] = refused.instead
        if refused.instead:
            text = _("Sent again with %s as this server calls it.")
            self._note(text, refused.instead)
        else:
            text = _("Sent again without %s, which this server refused.")
            self._note(text, refused.name)
        return True

    def _leave_out(self, name: str, instead: str) -> bool:
        if name not in self.parameters:
            return False
        value = self.body.pop(name)
        if name == "stream":
            self.body.pop("stream_options", None)
        elif instead and instead not in self.body and instead not in NOT_PARAMETERS:
            self.body[instead] = value
        return True

    def _note(self, text: str, name: str) -> None:
        self.notes.append(text % name)


def _body(request: Request) -> dict[str, Any]:
    """The JSON that is sent. Raises BackendError for what no gpt may set."""
    for name in request.params:
        if name in NOT_PARAMETERS:
            text = _("%s is no parameter of a gpt.") % name
            raise BackendError(Fault.PARAMETER, text)
    messages = [
        {"role": message.role, "content": mended(message.content)}
        for message in request.cleared.payload.messages
    ]
    body: dict[str, Any] = {"model": request.model, "messages": messages}
    if request.stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    return body | dict(request.params)

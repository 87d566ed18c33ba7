"""Whom the next message goes to, as the composer shows it and a form says it.

A client names servers by key and never by address; what it may not see is not found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from chat.destinations import announced
from chat.models import Conversation
from gpts.private import Private, private_of
from servers.hosting import Hosting
from servers.retained import Kept

MODEL_CHARACTERS = 300
STEM_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Target:
    """`server` None: none chosen (there may be none), or a Claude session."""

    server: Kept | None
    model: str = ""
    gpt: str = ""
    temporary: bool = False
    conversation: Conversation | None = None

    @property
    def hosting(self) -> str:
        return _hosting(self.server).value

    @property
    def place_words(self) -> str:
        return _hosting(self.server).words

    @property
    def query(self) -> str:
        """The same target in the address of a page."""
        if self.conversation is not None:
            return urlencode({"conversation": self.conversation.pk})
        chosen = {
            "server": self.server.pk if self.server else "",
            "model": self.model,
            "gpt": self.gpt,
            "temporary": "1" if self.temporary else "",
        }
        return urlencode({name: value for name, value in chosen.items() if value})


@dataclass(frozen=True, slots=True)
class Row:
    """A server in the picker. `words` is what a typed filter looks at."""

    server: Kept
    hosting: str
    place_words: str

    @property
    def words(self) -> str:
        server = self.server
        parts = (server.handle, server.label, server.family, server.default_model)
        return " ".join(part for part in parts if part).lower()


def rows(servers: list[Kept]) -> list[Row]:
    found = []
    for server in servers:
        hosting = _hosting(server)
        found.append(Row(server, hosting.value, hosting.words))
    return found


def of_conversation(conversation: Conversation, servers: list[Kept]) -> Target:
    server = by_key(servers, conversation.server_id)
    model = conversation.model or (server.default_model if server else "")
    return Target(
        server, model, conversation.gpt_stem, conversation.temporary, conversation
    )


def of_form(
    form: Mapping[str, Any], servers: list[Kept], last: Conversation | None = None
) -> Target:
    """What a form or a query names; else the server used last, else the first."""
    gpt = str(form.get("gpt", ""))[:STEM_CHARACTERS].strip()
    pinned = private_of(gpt) if gpt else Private()
    server = by_key(servers, pinned.server or number(form.get("server", "")))
    if server is None and last is not None:
        server = by_key(servers, last.server_id)
    if server is None:
        server = next((one for one in servers if not one.unreadable), None)
    model = pinned.model or str(form.get("model", ""))[:MODEL_CHARACTERS].strip()
    if not model and server is not None:
        model = _usual_model(server, last)
    return Target(
        server,
        model,
        gpt,
        form.get("temporary") == "1",
    )


def _usual_model(server: Kept, last: Conversation | None) -> str:
    if last is not None and last.server_id == server.pk and last.model:
        return last.model
    return server.default_model


def by_key(servers: list[Kept], pk: int | None) -> Kept | None:
    return next((s for s in servers if s.pk == pk and not s.unreadable), None)


def number(text: str) -> int | None:
    """A key typed by a client: digits, or None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 17 else None


def _hosting(server: Kept | None) -> Hosting:
    return announced(server).hosting if server else Hosting.GLOBAL


def kept_words(days: int, temporary: bool) -> tuple[str, str]:
    """How long a conversation is kept: short for the chip, long for a sentence."""
    if temporary:
        return _("not kept"), _(
            "This conversation is temporary: it lives in memory only and is gone when "
            "you delete it or the hub stops."
        )
    if not days:
        return _("kept until you delete it"), _(
            "Only you can read it. It is kept until you delete it."
        )
    return _("kept %(days)s days") % {"days": days}, _(
        "Only you can read it. It is kept for %(days)s days after its last turn, or "
        "until you delete it."
    ) % {"days": days}

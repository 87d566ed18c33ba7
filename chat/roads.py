"""From a server or session to the backend that talks to it. Sends nothing."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext as _

from chat.access import may_ask_claude
from chat.backends.base import Backend
from chat.backends.claude_cli import ClaudeCli
from chat.backends.openai_http import OpenAIBackend
from chat.backends.sending import Patience
from chat.backends.upstream import Upstream, upstream_at
from chat.claude.choosing import chosen_session, destination_of
from chat.engine.rows import Roads
from chat.errors import ChatError
from chat.models import Turn
from gpts.gate import Destination
from servers.hosting import Placed
from servers.retained import Kept


def upstream_of(kept: Kept) -> Upstream:
    """A kept server, its API root completed by what its family is known for."""
    return upstream_at(
        kept.origin,
        name=str(kept),
        api_key=kept.api_key,
        family_root=kept.api_root,
    )


def backend_for(upstream: Upstream, placed: Placed) -> OpenAIBackend:
    """The backend of one turn; its connection goes to `placed` and nowhere else."""
    patience = Patience(loading_seconds=settings.LLMHUB_LOADING_SECONDS)
    return OpenAIBackend(upstream, patience=patience, placed=placed)


def server_road(kept: Kept, placed: Placed) -> OpenAIBackend:
    """How the engine reaches a kept server."""
    return backend_for(upstream_of(kept), placed)


def claude_road(turn: Turn) -> tuple[Destination, Backend]:
    """How the engine reaches a session. Raises ChatError when it may not or cannot."""
    if not may_ask_claude(turn.conversation.owner):
        raise ChatError(_("You may not question Claude sessions."))
    session = chosen_session(turn.conversation.claude_session)
    return destination_of(session), ClaudeCli(session)


def roads() -> Roads:
    return Roads(server_road, claude_road if settings.LLMHUB_CLAUDE else None)

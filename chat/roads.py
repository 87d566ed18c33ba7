"""From a server or session to the backend that talks to it. Sends nothing."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from django.conf import settings
from django.db import connections
from django.utils.translation import gettext as _

from chat import transcript
from chat.access import may_ask_claude
from chat.backends.base import Backend
from chat.backends.claude_cli import ClaudeCli
from chat.backends.openai_http import OpenAIBackend
from chat.backends.sending import Patience
from chat.backends.upstream import Upstream, upstream_at
from chat.claude.choosing import chosen_session, destination_of
from chat.claude.sessions import Session
from chat.engine.rows import Roads
from chat.errors import ChatError
from chat.models import Conversation, Turn
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
    conversation = turn.conversation
    session, fork = session_of(conversation)
    adopt = partial(_adopt, conversation)
    return destination_of(session), ClaudeCli(session, fork=fork, adopt=adopt)


def session_of(conversation: Conversation) -> tuple[Session, bool]:
    """The session that is asked next, and whether it is forked first.

    Its own fork is continued. The session itself is, only while the process whose pid
    the person typed still holds it. Raises ChatError when it is gone.
    """
    session = chosen_session(conversation.claude_session)
    if conversation.claude_adopted:
        return replace(session, session_id=conversation.claude_adopted), False
    held = session.live and session.pid == conversation.claude_holder
    return session, not held


def _adopt(conversation: Conversation, session_id: str) -> None:
    """Called in a thread of its own: its connection ends with it."""
    try:
        transcript.change(conversation, claude_adopted=session_id)
    finally:
        connections.close_all()


def roads() -> Roads:
    return Roads(server_road, claude_road if settings.LLMHUB_CLAUDE else None)

"""One question to a Claude session from the command line, gate included.

The road of `ask --claude`: finds the session among those listed, clears the text for a
third party, and reads the answer on the same road as a server's. Starts no session.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from django.conf import settings
from django.utils.translation import gettext as _

from chat.backends.base import Request
from chat.backends.claude_cli import BUDGET_SECONDS, ClaudeCli
from chat.claude.sessions import Session, find_session, list_sessions
from chat.errors import ChatError
from chat.turn import Ending, Outcome, Reading, Sink, Stop, drain
from gpts.gate import Destination, Message, Payload, Refused, clear
from gpts.protected import names
from servers.hosting import Hosting

# The word a person types before the first send, and what a confirmation is bound to.
WORD = "claude"


class ClaudeOff(ChatError):
    """The feature is not switched on, or the word was not typed."""


def destination_of(session: Session) -> Destination:
    """A third party, whatever machine the session runs on."""
    name = _("Claude session %s") % session.short
    return Destination(key=WORD, name=name, host=WORD, hosting=Hosting.GLOBAL)


def chosen_session(text: str, environ: Mapping[str, str] = os.environ) -> Session:
    """The listed session that `text` names. Raises ClaudeOff or NoSession."""
    if not settings.LLMHUB_CLAUDE:
        raise ClaudeOff(_("Claude sessions are switched off: set LLMHUB_CLAUDE=1."))
    listing = list_sessions(environ)
    if not listing.sessions and listing.notes:
        raise ClaudeOff(" ".join(listing.notes))
    return find_session(text, listing.sessions)


def payload_of(question: str, system: str = "") -> Payload:
    """A session has its own system prompt: a gpt's goes at the head of the question."""
    parts = [part for part in (system.strip(), question) if part]
    return Payload((Message("user", "\n\n".join(parts)),))


async def ask_session(  # noqa: PLR0913  the options of the command, one by one
    session: Session,
    cleared: Refused | Request,
    *,
    timeout_seconds: float | None = None,
    fork: bool = True,
    sink: Sink | None = None,
    stop: Stop | None = None,
    reading: Reading | None = None,
) -> Outcome:
    """Ask, unless the gate refused; its reason is the outcome's then."""
    if isinstance(cleared, Refused):
        return Outcome(Ending.REFUSED, error=cleared.reason)
    budget = min(timeout_seconds or settings.LLMHUB_TURN_SECONDS, BUDGET_SECONDS)
    backend = ClaudeCli(session, fork=fork)
    outcome = await drain(
        backend, cleared, timeout_seconds=budget, sink=sink, stop=stop, reading=reading
    )
    if backend.adopted.session_id:
        follow_up = _("ask again with --claude %s") % backend.adopted.session_id
        outcome = replace(outcome, notes=(*outcome.notes, follow_up))
    return outcome


def clear_question(
    session: Session, payload: Payload, *, retyped: bool
) -> Refused | Request:
    """The gate's word on this text for this session (reads the protected names)."""
    judged = clear(payload, destination_of(session), retyped=retyped, names=names())
    return judged if isinstance(judged, Refused) else Request(judged, model="")

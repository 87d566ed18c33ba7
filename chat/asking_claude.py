"""One question to a Claude session: the road of `ask --claude`.

Finds the session among those listed, clears the text for a third party, and reads the
answer on the same road as a server's. Starts no session of its own.
"""

from __future__ import annotations

from dataclasses import replace

from django.utils.translation import gettext as _

from chat.asked import Asked, Ready, Unusable, refused, refused_by_gate
from chat.asking_url import confirm
from chat.backends.base import Request
from chat.backends.claude_cli import ClaudeCli
from chat.claude.choosing import ClaudeOff, chosen_session, destination_of
from chat.claude.sessions import NoSession, Session
from chat.turn import Outcome, Sink, Stop, drain
from gpts.gate import Cleared, Refused, clear
from gpts.protected import names


def prepare(asked: Asked) -> Ready:
    """Find the session and clear the text for it. Raises Unusable."""
    try:
        session = chosen_session(asked.target)
    except NoSession as error:
        raise Unusable(str(error)) from error
    except ClaudeOff as error:
        return refused(str(error))
    destination = destination_of(session)
    confirm(destination, asked.retyped)
    verdict = clear(
        asked.payload,
        destination,
        retyped=True,
        confirmed=asked.confirmed,
        names=names(),
        also=asked.also,
    )
    if isinstance(verdict, Refused):
        return refused_by_gate(verdict)
    return _ready(asked, session, verdict)


def _ready(asked: Asked, session: Session, cleared: Cleared) -> Ready:
    async def run(sink: Sink, stop: Stop) -> Outcome:
        backend = ClaudeCli(session)
        outcome = await drain(
            backend,
            Request(cleared, model=""),
            sink=sink,
            stop=stop,
            timeout_seconds=asked.timeout_seconds,
        )
        if not backend.adopted.session_id:
            return outcome
        follow_up = _("to go on from here: --claude %s") % backend.adopted.session_id
        return replace(outcome, notes=(*outcome.notes, follow_up))

    return Ready(_("This leaves your network, to a fork of the session."), run)

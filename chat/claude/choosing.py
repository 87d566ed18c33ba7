"""The session a person means, and what the gate is told about it.

Reads the settings and the listing; sends nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from django.conf import settings
from django.utils.translation import gettext as _

from chat.claude.sessions import Session, find_session, list_sessions
from chat.errors import ChatError
from gpts.gate import Destination
from servers.hosting import Hosting

# The word a person types before the first send, and what a confirmation is bound to.
WORD = "claude"


class ClaudeOff(ChatError):
    """The feature is not switched on, or there is no program."""


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

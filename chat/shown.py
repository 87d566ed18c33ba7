"""A turn as the page shows it: its answer as HTML, its facts, and where it went.

Owns the passage from rows to what templates print; decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils.formats import number_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from chat.engine.base import Place
from chat.engine.current import engine
from chat.markdown import render_finished
from chat.models import Conversation, State, Turn
from chat.standing import Standing, family_of, handle_of, standing_of
from gpts.redact import restore
from servers.hosting import Hosting
from servers.retained import Kept


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """`html` has been through the sanitiser. `follow_after` is the number of the last
    event that is shown; `place` the rung it went to, empty where unknown."""

    turn: Turn
    html: SafeString
    handle: str
    family: str
    model: str
    place: str
    place_words: str
    standing: Standing | None
    facts: tuple[str, ...]
    fallback: Kept | None = None
    queue: Place | None = None
    unreadable: bool = False

    @property
    def waits_for_reset(self) -> bool:
        turn = self.turn
        return turn.state == State.RATE_LIMITED and turn.ended is None

    @property
    def until(self) -> datetime | None:
        """When the wait is over: this turn's own, or that of the queue it stands in."""
        if self.waits_for_reset:
            return self.turn.resets_at
        return self.queue.resumes_at if self.queue else None

    @property
    def follows(self) -> bool:
        """Whether something may still happen by itself."""
        goes_on = self.turn.resets_at is not None and self.turn.continue_by_itself
        return self.turn.live or (self.waits_for_reset and goes_on)


def show(turn: Turn, servers: Iterable[Kept]) -> ShownTurn:
    """One turn; `servers` are those its owner may see now."""
    by_pk = {server.pk: server for server in servers}
    return _show(turn, by_pk)


def show_all(turns: Iterable[Turn], servers: Iterable[Kept]) -> list[ShownTurn]:
    by_pk = {server.pk: server for server in servers}
    return [_show(turn, by_pk) for turn in turns]


def _show(turn: Turn, servers: dict[int, Kept]) -> ShownTurn:
    server = servers.get(turn.server_id or 0)
    hosting = _hosting(turn, server)
    place = engine().place(turn.pk) if turn.state == State.QUEUED else None
    return ShownTurn(
        turn=turn,
        # The sanitiser's output, and nothing else, is marked safe.
        html=mark_safe(render_finished(_restored(turn))),  # noqa: S308
        handle=handle_of(turn),
        family=family_of(turn),
        model=turn.model_answered or turn.model_asked,
        place=hosting.value if hosting else "",
        place_words=hosting.words if hosting else "",
        standing=standing_of(turn, place),
        facts=facts_of(turn),
        fallback=_fallback(turn, server, servers),
        queue=place,
        unreadable=not isinstance(turn.question, str),
    )


def _restored(turn: Turn) -> str:
    """The answer with what its placeholders stand for, for its owner's eyes."""
    sent = turn.sent if isinstance(turn.sent, dict) else {}
    return restore(str(turn.answer or ""), sent.get("originals", {}))


def _hosting(turn: Turn, server: Kept | None) -> Hosting | None:
    conversation: Conversation = turn.conversation
    if conversation.claude_session:
        return Hosting.GLOBAL
    return server.hosting if server else None


def _fallback(turn: Turn, server: Kept | None, servers: dict[int, Kept]) -> Kept | None:
    """Offered where the chosen server did not answer; never taken silently."""
    if server is None or server.fallback is None:
        return None
    if turn.state not in (State.FAILED, State.TIMEOUT, State.RATE_LIMITED):
        return None
    return servers.get(server.fallback)


def facts_of(turn: Turn) -> tuple[str, ...]:
    """Tokens, times and what is worth knowing, in words."""
    facts = []
    if turn.completion_tokens is not None:
        count = turn.completion_tokens
        words = ngettext("%(count)s token", "%(count)s tokens", count)
        facts.append(words % {"count": number_format(count, force_grouping=True)})
    if turn.first_token_s is not None:
        facts.append(_("first after %(time)s") % {"time": seconds(turn.first_token_s)})
    if turn.tokens_per_s is not None:
        speed = number_format(turn.tokens_per_s, 0 if turn.tokens_per_s >= 10 else 1)
        facts.append(_("%(speed)s tokens/s") % {"speed": speed})
    if turn.finish_reason == "length":
        facts.append(_("cut at the model's limit"))
    return (*facts, *(str(note) for note in turn.notes or ()))


def seconds(value: float) -> str:
    """`0.31 s`, `12 s`, `2 min 5 s`."""
    if value < 10:
        return _("%(count)s s") % {"count": number_format(value, 2)}
    if value < 60:
        return _("%(count)s s") % {"count": number_format(value, 0)}
    minutes, rest = divmod(round(value), 60)
    return _("%(minutes)s min %(seconds)s s") % {"minutes": minutes, "seconds": rest}

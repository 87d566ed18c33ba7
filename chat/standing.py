"""What stands where an answer would: what happened, what it means, what to do.

Sentences made from a turn's fields, once, for the page and the export. Pure but for
translation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from chat.engine.base import Place
from chat.errors import Fault
from chat.models import State, Turn
from servers.ladder import name_of_family


@dataclass(frozen=True, slots=True)
class Standing:
    """`tone` is empty, `quiet`, `wait` or `danger`; `actions` name buttons of the page:
    stop, leave, continue, again, elsewhere."""

    what: str
    means: str = ""
    tone: str = ""
    actions: tuple[str, ...] = ()


def standing_of(turn: Turn, place: Place | None = None) -> Standing | None:
    """None where the answer speaks for itself."""
    made = _BY_STATE.get(State(turn.state))
    if turn.state == State.QUEUED:
        return queued(turn, place)
    return made(turn) if made else None


def queued(turn: Turn, place: Place | None) -> Standing | None:
    """None where it has only just been asked: short waits are not told."""
    if place is None:
        return None
    server = handle_of(turn)
    before = place.ahead + place.running
    ahead = ahead_words(before) % {"count": before}
    close = _("You may close this page; the answer will be here.")
    if place.resumes_at:
        what = _("%(server)s asks to wait until") % {"server": server}
        means = f"{ahead}. {close}" if before else close
        return Standing(what, means, "wait", ("leave",))
    what = ahead if before else _("Waiting for %(server)s") % {"server": server}
    return Standing(what, close, actions=("leave",))


def ahead_words(count: int) -> str:
    """With a place for the number: the page's script fills it in anew."""
    return ngettext(
        "%(count)s person is ahead of you", "%(count)s people are ahead of you", count
    )


def handle_of(turn: Turn) -> str:
    """`server-2` of `server-2 (ollama)`."""
    return turn.server_name.partition(" (")[0] or _("the server")


def family_of(turn: Turn) -> str:
    """The product that was asked, as its makers write it."""
    return name_of_family(turn.server_name.partition(" (")[2].rstrip(")"))


def _completed(turn: Turn) -> Standing | None:
    if turn.answer:
        return None
    if turn.tools:
        what = _("The model asks for tools instead of answering")
        means = _("This hub runs no tools; ask it to answer in words.")
        return Standing(what, means, "quiet", ("again",))
    return Standing(
        _("The model answered with no text"),
        _("It ended by itself. Asking again may help."),
        "quiet",
        ("again", "elsewhere"),
    )


def _rate_limited(turn: Turn) -> Standing:
    server = handle_of(turn)
    if turn.ended:
        what = _("%(server)s asked to wait") % {"server": server}
        return Standing(what, turn.error, "wait", ("again", "elsewhere"))
    if turn.resets_at is None:
        return Standing(
            _("%(server)s asks to wait and does not say how long") % {"server": server},
            _("Continue when you think that it is over."),
            "wait",
            ("continue", "elsewhere", "stop"),
        )
    return Standing(
        _("%(server)s asks to wait until") % {"server": server},
        "",
        "wait",
        ("elsewhere", "stop"),
    )


def _interrupted(turn: Turn) -> Standing:
    if turn.error:
        return Standing(_("Broken off"), turn.error, "wait", ("again", "elsewhere"))
    if not turn.started:
        what = _("You left the queue")
        means = _("Nothing was sent.")
        return Standing(what, means, "quiet", ("again", "elsewhere"))
    kept = _("What came until then is kept.") if turn.answer else _("No text came.")
    what = _("You stopped this answer")
    return Standing(what, kept, "quiet", ("again", "elsewhere"))


def _timeout(turn: Turn) -> Standing:
    kept = _("What came until then is kept.") if turn.answer else _("No text came.")
    what = _("%(server)s took too long") % {"server": handle_of(turn)}
    return Standing(what, turn.error or kept, "wait", ("again", "elsewhere"))


def _failed(turn: Turn) -> Standing:
    words = _FAULTS.get(turn.fault, "")
    what = _(words) % {"server": handle_of(turn)} if words else ""
    said = str(turn.error or "")
    if not what:
        what, said = said or _("There is no answer"), ""
    return Standing(what, said, "danger", ("again", "elsewhere"))


def _refused(turn: Turn) -> Standing:
    return Standing(_("Nothing was sent"), turn.error, "danger", ("again", "elsewhere"))


_FAULTS: dict[str, str] = {
    Fault.UNREACHABLE: gettext_noop("%(server)s does not answer"),
    Fault.LOADING: gettext_noop("%(server)s is still loading its model"),
    Fault.KEY: gettext_noop("%(server)s wants another key; a curator can set it"),
    Fault.MODEL: gettext_noop("That model is not on %(server)s any more"),
    Fault.OVERFLOW: gettext_noop("This conversation is too long for the model"),
    Fault.PARAMETER: gettext_noop("%(server)s refused a parameter of the gpt"),
    Fault.REFUSED: gettext_noop("%(server)s refused the question"),
    Fault.SERVER: gettext_noop("%(server)s failed while answering"),
    Fault.PROTOCOL: gettext_noop("%(server)s answered something that is no answer"),
    Fault.CUT: gettext_noop("The connection to %(server)s ended in mid-answer"),
    Fault.EMPTY: gettext_noop("%(server)s ended without a text"),
    Fault.DESTINATION: gettext_noop("Nothing was sent to %(server)s"),
}

_BY_STATE: dict[State, Callable[[Turn], Standing | None]] = {
    State.COMPLETED: _completed,
    State.RATE_LIMITED: _rate_limited,
    State.INTERRUPTED: _interrupted,
    State.TIMEOUT: _timeout,
    State.FAILED: _failed,
    State.REFUSED: _refused,
}

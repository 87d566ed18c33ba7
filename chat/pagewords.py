"""The sentences the page's script says by itself, translated like all others."""

from __future__ import annotations

from django.utils.translation import gettext as _


def page_words() -> dict[str, str]:
    """`{count}`, `{server}` and `{time}` are filled in by the script."""
    return {
        "ahead_one": _("{count} person is ahead of you"),
        "ahead_many": _("{count} people are ahead of you"),
        "next": _("You are next"),
        "lanes_one": _("on {server}, which answers one at a time."),
        "lanes_many": _("on {server}, which answers {count} at a time."),
        "starts": _("{server} reads your message, {time}"),
        "quiet": _("Nothing new for {time}"),
        "thinking": _("The model is thinking, {time}"),
        "loading": _("The model is being loaded, {time}"),
        "answering": _("Answering, {time}"),
        "tool": _("The model asks for the tool {name}"),
        "offline": _("The connection is lost; the answer goes on without this page"),
        "answered": _("The answer is complete."),
        "left": _("{time} left"),
        "soon": _("any moment now"),
        "seconds": _("{count} s"),
        "minutes": _("{minutes} min {seconds} s"),
        "words_one": _(", {count} word"),
        "words_many": _(", {count} words"),
        "failed_send": _("The hub cannot be reached"),
        "failed_send_means": _("Nothing was sent; your message stays in the box."),
        "login": _("You are logged out"),
        "login_means": _("Log in again in another tab, then send; nothing is lost."),
        "close_button": _("Close"),
        "copied": _("Copied"),
        "copy": _("Copy"),
        "copy_code": _("Copy this code"),
        "not_asked": _("not asked yet"),
        "no_chat": _("not for chat"),
        "asking": _("asking…"),
        "no_answer": _("does not answer"),
        "ready": _("ready"),
        "loading_state": _("loading"),
        "auth": _("wants a key"),
        "empty": _("no model"),
        "answers": _("answers"),
        "ago": _("{time} ago"),
        "meter": _("about {used} of {window} tokens"),
        "meter_alone": _("about {used} tokens"),
        "several_lines": _("Enter breaks the line now; Ctrl+Enter sends."),
        "one_line": _("Enter sends again."),
    }

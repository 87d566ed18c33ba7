"""The live check of the editor: a text's problems, and its match with each server.

Keeps nothing; waits for no server (claims as last read).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from gpts.document import Document
from gpts.fitting import place_of
from gpts.matching import Fit, Match, match
from gpts.problems import Problem
from gpts.reading import read_document
from servers.retained import Kept, kept_servers

_CLASSES = {Fit.OK: "fits", Fit.UNKNOWN: "muted", Fit.NO: "fits-not"}


@dataclass(frozen=True, slots=True)
class OnServer:
    server: Kept
    match: Match

    @property
    def reason(self) -> str:
        return capfirst(self.match.reason)

    @property
    def css_class(self) -> str:
        return _CLASSES[self.match.verdict]


@dataclass(frozen=True, slots=True)
class Checked:
    """`remark` says what an unreviewed text may not do yet."""

    ok: bool
    problems: tuple[Problem, ...]
    servers: tuple[OnServer, ...] = ()
    remark: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "problems": [problem.as_json() for problem in self.problems],
            "remark": self.remark,
            "servers": [
                {
                    "server": f"{row.server.handle} {row.server.label}".strip(),
                    "css_class": row.css_class,
                    **row.match.as_json(),
                    "reason": row.reason,
                }
                for row in self.servers
            ],
        }


def checked(source: str) -> Checked:
    """The match is that of the reviewed text: what its author asks for."""
    parsed = read_document(source)
    document = parsed.document
    if document is None:
        return Checked(False, parsed.problems)
    places = [(kept, place_of(kept)) for kept in kept_servers() if not kept.unreadable]
    rows = [
        OnServer(kept, match(document.requires, place.claims, place.hosting))
        for kept, place in places
    ]
    return Checked(True, parsed.problems, tuple(rows), _remark(document))


def _remark(document: Document) -> str:
    if document.context.commands:
        return _("It declares commands: nobody can use it before its review.")
    return _("Until its review it is for servers on this machine only.")

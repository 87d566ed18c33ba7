"""Code of the product for a round, read-only: a listing, and the files that are meant.

Reads below one declared root with the opener of gpts' contexts; blocking (disk).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from chat.cards.prompt import Code
from gpts import globbing
from gpts.context import gather, roots_at
from gpts.detectors.names import Names
from gpts.document import Context
from gpts.gate import Finding
from gpts.opening import NotOpened, Root

MOST_MENTIONED = 12
_PATH = re.compile(r"[\w][\w./-]*\.\w+|[\w][\w.-]*/[\w./-]+")


@dataclass(frozen=True, slots=True)
class Seen:
    """What is sent of the code; `findings` lie where a piece was cut. `code` None:
    the folder is not there, and the model is told that it cannot see the code."""

    code: Code | None = None
    findings: tuple[Finding, ...] = ()


def look(folder: str, message: str, names: Names) -> Seen:
    """The names of the root's files, and the text of those that `message` names."""
    roots = roots_at([folder]) if folder else ()
    if not roots:
        return Seen()
    listed = _listed(roots)
    wanted = tuple(_mentioned(message, listed)) or _introduction(listed)
    found = gather(Context(files=wanted), {}, roots=roots, allowed=(), names=names)
    parts = ["Files: " + ", ".join(listed) if listed else "The folder is empty."]
    parts += [f"--- {piece.label}\n{piece.text}" for piece in found.pieces]
    parts += [f"--- {left.label}: not shown, {left.reason}" for left in found.left]
    return Seen(Code("\n\n".join(parts)), found.findings)


def _listed(roots: tuple[Root, ...]) -> list[str]:
    try:
        return globbing.find("**/*", roots).paths
    except NotOpened:
        return []


def _mentioned(message: str, listed: list[str]) -> list[str]:
    """Paths that the message names, whole or by their last part."""
    found: dict[str, None] = {}
    for word in _PATH.findall(message):
        for path in listed:
            if path == word or path.endswith(f"/{word}"):
                found[path] = None
    return list(found)[:MOST_MENTIONED]


def _introduction(listed: list[str]) -> tuple[str, ...]:
    """Without a file named: what introduces the product."""
    return tuple(path for path in listed if path.lower().startswith("readme"))[:1]

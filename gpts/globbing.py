"""Patterns of paths below a root: `docs/**/*.md`. Never through a linked folder.

Gives names only; opening them, and judging what they lead to, is opening.py's.
"""

from __future__ import annotations

import fnmatch
import os
import re
import unicodedata
from contextlib import ExitStack
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from gpts.opening import NotOpened, Root, folder, place

_MAGIC = re.compile(r"[*?\[]")
MOST_FILES = 100
_MOST_ENTRIES = 20_000
_DEEPEST = 40


@dataclass(slots=True)
class Found:
    """Paths below `root` in order, and what was passed over: (path, why)."""

    root: Root
    paths: list[str] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)
    seen: int = 0


def is_pattern(path: str) -> bool:
    return _MAGIC.search(path) is not None


def find(pattern: str, roots: tuple[Root, ...]) -> Found:
    """The files that match, in the first root that has any. Raises NotOpened."""
    tried, names = place(pattern, roots)
    found = Found(tried[0])
    for root in tried:
        found = _find(names, root)
        if found.paths:
            break
    if not found.paths and not found.left:
        raise NotOpened(_("no file matches"), absent=True)
    return found


def _find(names: tuple[str, ...], root: Root) -> Found:
    found = Found(root)
    fixed = next(i for i, name in enumerate(names) if is_pattern(name))
    with ExitStack() as held:
        try:
            handle = folder(root, names[:fixed], held)
        except NotOpened as error:
            if not error.absent:
                raise
            return found
        _search(handle, names[:fixed], names[fixed:], found)
    found.paths.sort()
    if len(found.paths) > MOST_FILES:
        more = len(found.paths) - MOST_FILES
        found.left.append(
            ("/".join(names), _("%(more)d more files match") % {"more": more})
        )
        del found.paths[MOST_FILES:]
    return found


def _search(
    handle: int, names: tuple[str, ...], todo: tuple[str, ...], found: Found
) -> None:
    """Matches `todo` below the open folder `handle`, which stands at `names`."""
    if len(names) > _DEEPEST or found.seen > _MOST_ENTRIES:
        return
    deep = todo[0] == "**"
    wanted = todo[1:] if deep and len(todo) > 1 else todo
    for entry in _entries(handle, found):
        here = (*names, entry.name)
        if _matches(entry.name, wanted[0]):
            _take(handle, entry, here, wanted, found)
        if deep and not entry.name.startswith("."):
            _into(handle, entry, here, todo, found, follow=False)


def _take(
    handle: int,
    entry: os.DirEntry[str],
    here: tuple[str, ...],
    wanted: tuple[str, ...],
    found: Found,
) -> None:
    if len(wanted) > 1:
        _into(handle, entry, here, wanted[1:], found, follow=True)
    elif not entry.is_dir(follow_symlinks=False):
        path = "/".join(here)
        if path not in found.paths:
            found.paths.append(path)


def _into(
    handle: int,
    entry: os.DirEntry[str],
    here: tuple[str, ...],
    todo: tuple[str, ...],
    found: Found,
    *,
    follow: bool,
) -> None:
    """Into a folder. `**` never follows a link: what it leads to is met on its own
    road, or lies outside and is said to."""
    linked = entry.is_symlink()
    if not linked and not entry.is_dir(follow_symlinks=False):
        return
    with ExitStack() as held:
        try:
            if linked and not entry.is_dir():
                return
            inner = folder(found.root, here, held)
        except NotOpened as error:
            found.left.append(("/".join(here), error.reason))
            return
        except OSError:
            return  # a link that leads nowhere is no folder
        if follow or not linked:
            _search(inner, here, todo, found)


def _entries(handle: int, found: Found) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(handle) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
    found.seen += len(listed)
    return listed


def _matches(name: str, pattern: str) -> bool:
    """As a shell matches: `*` hides names that begin with a dot."""
    if pattern == "**":
        pattern = "*"
    if name.startswith(".") and not pattern.startswith("."):
        return False
    plain = unicodedata.normalize("NFC", name)
    return fnmatch.fnmatchcase(plain, unicodedata.normalize("NFC", pattern))

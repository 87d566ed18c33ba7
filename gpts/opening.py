"""Opens files below a root and nothing else: the file opened is the file checked.

Every component is looked at from the folder opened before it, so that nothing can be
swapped in between; links are followed by hand, each judged before it is taken. Knows
no gpt and reads no content.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from django.utils.translation import gettext as _

from gpts.denied import is_denied, is_system

LINK_LIMIT = 40  # as Linux has it
PATH_LIMIT = 4096  # characters
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class NotOpened(Exception):
    """Why a path is not read, in words for a person.

    `absent`: nothing is there. `forbidden`: whatever is there may not be read.
    """

    def __init__(
        self, reason: str, *, absent: bool = False, forbidden: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.absent = absent
        self.forbidden = forbidden


def outside() -> NotOpened:
    """The same words whether or not anything is there."""
    return NotOpened(
        _("it lies outside the allowed folders or is protected"), forbidden=True
    )


@dataclass(frozen=True, slots=True)
class Root:
    """A folder below which files may be read: as typed, and where it really is."""

    typed: str
    real: str

    @classmethod
    def at(cls, path: str) -> Root | None:
        """None where no folder is there, or where it is a part of the system."""
        typed = os.path.normpath(Path(path).absolute())
        real = str(Path(typed).resolve())
        if is_system(typed) or is_system(real) or not Path(real).is_dir():
            return None
        return cls(typed, real)

    def below(self, path: str) -> tuple[str, ...] | None:
        """The components of an absolute path below this root, or None."""
        for base in (self.typed, self.real):
            if path == base:
                return ()
            prefix = base if base.endswith("/") else base + "/"
            if path.startswith(prefix):
                return parts_of(path[len(prefix) :])
        return None


@dataclass(slots=True)
class _Walk:
    """The folders from the root down to where the walk stands, each held open."""

    root: Root
    todo: list[str]
    links: int = 0
    folders: list[tuple[str, int]] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _handle in self.folders[1:])


def parts_of(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.split("/") if part not in ("", "."))


def check_typed(path: str) -> None:
    """Refuses what no path of a context may be. Raises NotOpened."""
    if not path.strip():
        raise NotOpened(_("the path is empty"))
    if "\0" in path or any(ord(char) < 32 for char in path):
        raise NotOpened(_("the path holds control characters"))
    if len(path) > PATH_LIMIT or any(len(part) > 255 for part in path.split("/")):
        raise NotOpened(_("the path is too long"))
    if path.startswith("~"):
        raise NotOpened(_("~ is not read: write the path below an allowed folder"))
    if ".." in path.replace("\\", "/").split("/"):
        raise NotOpened(_("a path may not climb with .."))
    if is_system(path):
        raise outside()


def place(
    path: str, roots: tuple[Root, ...]
) -> tuple[tuple[Root, ...], tuple[str, ...]]:
    """The roots to try for a typed path, and its components below them."""
    check_typed(path)
    if not roots:
        raise NotOpened(_("no folder is allowed by LLMHUB_CONTEXT_ROOTS"))
    if not path.startswith("/"):
        return roots, _allowed(parts_of(path))
    for root in roots:
        below = root.below(os.path.normpath(path))
        if below is not None:
            return (root,), _allowed(below)
    raise outside()


def _allowed(names: tuple[str, ...]) -> tuple[str, ...]:
    # A backslash separates where the folder is served to Windows.
    if is_denied(tuple("/".join(names).replace("\\", "/").split("/"))):
        raise outside()
    return names


@contextmanager
def opened(path: str, roots: tuple[Root, ...]) -> Iterator[int]:
    """A descriptor of the regular file at `path`, in the first root that has it.

    Raises NotOpened.
    """
    tried, names = place(path, roots)
    for number, root in enumerate(tried, 1):
        with ExitStack() as held:
            try:
                handle = _open(root, names, roots, held)
            except NotOpened as error:
                if error.absent and number < len(tried):
                    continue
                raise
            yield handle
            return


def folder(root: Root, names: tuple[str, ...], held: ExitStack) -> int:
    """A descriptor of the folder at `names` below `root`. Raises NotOpened."""
    walk = _walk(root, list(names), (root,), held)
    return _descend(walk, held)


def _open(
    root: Root, names: tuple[str, ...], roots: tuple[Root, ...], held: ExitStack
) -> int:
    walk = _walk(root, list(names), roots, held)
    if not walk.todo:
        raise NotOpened(_("it is a folder"))
    name = walk.todo[0]
    # Opening a device can do something already; a swap in between meets O_NONBLOCK.
    _check_kind(_mode(name, walk.folders[-1][1]))
    handle = _opened(name, _FILE, walk.folders[-1][1], held)
    _check_file(os.fstat(handle))
    _check_where(handle, walk, name)
    return handle


def _walk(
    root: Root, names: list[str], roots: tuple[Root, ...], held: ExitStack
) -> _Walk:
    """Down to the folder that holds the last component, all links resolved."""
    walk = _Walk(root, names)
    _restart(walk, root, held)
    while walk.todo:
        name = _real_name(walk.todo[0], walk.folders[-1][1])
        walk.todo[0] = name
        if name == "..":
            _climb(walk)
        elif stat.S_ISLNK(_mode(name, walk.folders[-1][1])):
            _follow(walk, name, roots, held)
        elif len(walk.todo) == 1:
            break
        else:
            _descend(walk, held)
    return walk


def _restart(walk: _Walk, root: Root, held: ExitStack) -> None:
    walk.root = root
    handle = _opened(root.real, _FOLDER, None, held)
    walk.folders = [("", handle)]


def _descend(walk: _Walk, held: ExitStack) -> int:
    """Into the folder named next; the one reached already where none is."""
    if walk.todo:
        name = walk.todo.pop(0)
        if is_denied((*walk.names, name)):
            raise outside()
        handle = _opened(name, _FOLDER, walk.folders[-1][1], held)
        walk.folders.append((name, handle))
    return walk.folders[-1][1]


def _climb(walk: _Walk) -> None:
    """One up, as a link's target may say; never above the root."""
    walk.todo.pop(0)
    if len(walk.folders) == 1:
        raise outside()
    walk.folders.pop()


def _follow(walk: _Walk, name: str, roots: tuple[Root, ...], held: ExitStack) -> None:
    """Takes a link's target in its place, judged before anything there is touched."""
    walk.links += 1
    if walk.links > LINK_LIMIT:
        raise NotOpened(_("its links lead in a circle"))
    try:
        target = os.readlink(name, dir_fd=walk.folders[-1][1])
    except OSError as error:  # swapped since it was looked at
        raise _refused(error) from None
    if is_denied((*walk.names, name)) or is_denied(tuple(target.split("/"))):
        raise outside()
    rest = walk.todo[1:]
    if not target.startswith("/"):
        walk.todo = [*parts_of(target), *rest]
        return
    if is_system(target):
        raise NotOpened(_("it is not a regular file"))
    for root in roots:
        below = root.below(os.path.normpath(target))
        if below is not None:
            _restart(walk, root, held)
            walk.todo = [*below, *rest]
            return
    raise outside()


def _mode(name: str, parent: int) -> int:
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    except OSError as error:
        raise _refused(error) from None


def _real_name(name: str, parent: int) -> str:
    """The spelling on the disk where only its composition differs (NFC, NFD)."""
    if name.isascii():
        return name
    try:
        os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        wanted = unicodedata.normalize("NFC", name)
        for there in _listed(parent):
            if unicodedata.normalize("NFC", there) == wanted:
                return there
    except OSError as error:
        raise _refused(error) from None
    return name


def _listed(parent: int) -> list[str]:
    try:
        return os.listdir(parent)
    except OSError as error:
        raise _refused(error) from None


def _opened(name: str, flags: int, parent: int | None, held: ExitStack) -> int:
    try:
        handle = os.open(name, flags, dir_fd=parent)
    except OSError as error:
        raise _refused(error) from None
    held.callback(os.close, handle)
    return handle


def _refused(error: OSError) -> NotOpened:
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return NotOpened(_("it does not exist"), absent=True)
    if error.errno == errno.ELOOP:
        return NotOpened(_("it changed while it was opened"))
    if error.errno in (errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP):
        return NotOpened(_("it is not a regular file"))
    if error.errno in (errno.EACCES, errno.EPERM):
        return NotOpened(_("the hub may not read it"))
    return NotOpened(_("it cannot be opened"))


def _check_kind(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise NotOpened(_("it is a folder"))
    if not stat.S_ISREG(mode):
        raise NotOpened(_("it is not a regular file"))


def _check_file(found: os.stat_result) -> None:
    _check_kind(found.st_mode)
    if found.st_nlink != 1:
        # A second name may be a protected one: no rule of paths can see it.
        raise NotOpened(_("it has several names; one of them may be protected"))


def _check_where(handle: int, walk: _Walk, name: str) -> None:
    """What was opened stands where the walk says: below the root, not denied."""
    names = (*walk.names, name)
    if is_denied(names):
        raise outside()
    opened_at = Path(f"/proc/self/fd/{handle}")
    if not opened_at.is_symlink():
        return  # no /proc here: the folders held open vouch for it
    below = walk.root.below(str(opened_at.readlink()))
    if below is None or is_denied(below):
        raise outside()

"""Which machines an ssh configuration names. `ssh -G` resolves a name; none lists them.

Reads Host lines and Include only; runs nothing. Patterns are rules, not machines.
"""

from __future__ import annotations

import fnmatch
import glob
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from django.utils.translation import gettext as _

_FILE_LIMIT_BYTES = 1024 * 1024
_DEPTH = 16
_FILES = 256
_LINE = re.compile(r"\s*([A-Za-z0-9]+)(?:\s*=\s*|\s+)(.*)")
_WORD = re.compile(r'"([^"]*)"|([^\s"]+)')
# What ssh itself refuses in a host name, and what a terminal would obey.
_UNUSABLE = re.compile(r"[\x00-\x20\x7f-\x9f\ufffd'`\"$\\;&<>|(){}]")


@dataclass(frozen=True, slots=True)
class SshHosts:
    """Aliases in order, once each; `unusable` ones; whether `Match exec` stands there.

    `problem` is set when there is no configuration to read.
    """

    aliases: tuple[str, ...] = ()
    unusable: tuple[str, ...] = ()
    runs_commands: bool = False
    problem: str = ""


def read_hosts(home: Path, system: Path = Path("/etc/ssh/ssh_config")) -> SshHosts:
    """The hosts of the user's configuration, then of the system's."""
    own = home / ".ssh" / "config"
    reader = _Reader()
    for path, base in ((own, own.parent), (system, system.parent)):
        reader.read(path, home, base)
    if not reader.seen:
        return SshHosts(problem=_("there is no ssh configuration to read"))
    return SshHosts(
        tuple(reader.aliases),
        tuple(reader.unusable),
        reader.runs_commands,
    )


@dataclass(slots=True)
class _Reader:
    """What was read so far. A file is read once, so a cycle of Includes ends."""

    aliases: dict[str, None] = field(default_factory=dict)
    unusable: dict[str, None] = field(default_factory=dict)
    seen: set[Path] = field(default_factory=set)
    runs_commands: bool = False

    def read(self, path: Path, home: Path, base: Path, depth: int = 0) -> None:
        """Relative Includes are relative to `base`, also inside included files."""
        text = self._text(path)
        if text is None or depth > _DEPTH:
            return
        for line in text.split("\n"):
            keyword, words = _split(line)
            if keyword == "host":
                self._take(words)
            elif keyword == "match":
                self.runs_commands |= _has_exec(words)
            elif keyword == "include":
                for included in _files(words, home, base):
                    self.read(included, home, base, depth + 1)

    def _text(self, path: Path) -> str | None:
        """A regular file's text, once; directories and pipes are passed over."""
        try:
            real = path.resolve()
            if real in self.seen or len(self.seen) >= _FILES:
                return None
            if not stat.S_ISREG(real.stat().st_mode):
                return None
            with real.open("rb") as file:
                raw = file.read(_FILE_LIMIT_BYTES)
        except (OSError, RuntimeError, ValueError):
            return None
        self.seen.add(real)
        return raw.decode("utf-8", "replace").removeprefix("\ufeff")

    def _take(self, patterns: list[str]) -> None:
        refused = [word[1:] for word in patterns if word.startswith("!")]
        for word in patterns:
            if not word or word.startswith("!") or "*" in word or "?" in word:
                continue
            if any(fnmatch.fnmatchcase(word, pattern) for pattern in refused):
                continue
            usable = not word.startswith("-") and not _UNUSABLE.search(word)
            (self.aliases if usable else self.unusable)[word] = None


def _split(line: str) -> tuple[str, list[str]]:
    """The keyword in lower case and its words, quotes taken off, comments dropped."""
    match = _LINE.match(line)
    if match is None:
        return "", []
    words = []
    for quoted, plain in _WORD.findall(match[2]):
        if plain.startswith("#"):
            break
        words.append(plain or quoted)
    return match[1].lower(), words


def _has_exec(words: list[str]) -> bool:
    names = {word.lower().removeprefix("!").partition("=")[0] for word in words}
    return "exec" in names


def _files(patterns: list[str], home: Path, base: Path) -> Iterator[Path]:
    for pattern in patterns:
        if pattern == "~" or pattern.startswith("~/"):
            pattern = str(home) + pattern[1:]
        full = pattern if pattern.startswith("/") else str(base / pattern)
        yield from (Path(name) for name in sorted(glob.glob(full))[:_FILES])  # noqa: PTH207 - one absolute pattern

"""Which commands a context may run: an allow list of programs, options and operands.

Pure. What is not literally allowed does not run: lists of dangerous options miss
abbreviations, bundles (`-iO./x`) and the next release's flag.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

# These run whatever they are given: none may stand at the head of a command.
_RUNNERS = frozenset(
    ["sh", "bash", "dash", "zsh", "ksh", "csh", "tcsh", "fish", "ash", "busybox"]
    + ["cmd", "cmd.exe", "powershell", "pwsh", "env", "xargs", "sudo", "su", "doas"]
    + ["nohup", "setsid", "nice", "timeout", "watch", "script", "eval", "exec", "ssh"]
)


class BadAllowList(ValueError):
    """LLMHUB_CONTEXT_COMMANDS is not what it should be; says where."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: as declared with its placeholders, and with them filled in."""

    declared: str
    final: str

    @property
    def became_option(self) -> bool:
        """A value made an option of what was declared as none."""
        return self.final.startswith("-") and not self.declared.startswith("-")


@dataclass(frozen=True, slots=True)
class Allowed:
    """One entry of LLMHUB_CONTEXT_COMMANDS.

    With `options` None, `argv` is the whole command, letter for letter, placeholders
    included. Else `argv` begins it, `options` may follow (`-n N` and `--since=WHEN`
    take a value), and at most `operands` others.
    """

    argv: tuple[str, ...]
    options: tuple[str, ...] | None = None
    operands: int = 0


def read_allowed(setting: Any) -> tuple[Allowed, ...]:
    """The setting as values. Raises BadAllowList."""
    if not isinstance(setting, list):
        raise BadAllowList("LLMHUB_CONTEXT_COMMANDS must be a JSON list.")
    return tuple(_entry(item, number) for number, item in enumerate(setting, 1))


def _entry(item: Any, number: int) -> Allowed:
    where = f"LLMHUB_CONTEXT_COMMANDS, entry {number}"
    if isinstance(item, list):
        return Allowed(_argv(item, where))
    if not isinstance(item, dict) or item.keys() - {"argv", "options", "operands"}:
        raise BadAllowList(
            f'{where} must be a list of words, or {{"argv", "options", "operands"}}.'
        )
    options = item.get("options", [])
    operands = item.get("operands", 0)
    if not _are_words(options) or not all(word.startswith("-") for word in options):
        raise BadAllowList(
            f"{where}: options must be a list of words that begin with -."
        )
    if not isinstance(operands, int) or isinstance(operands, bool) or operands < 0:
        raise BadAllowList(f"{where}: operands must be a number, 0 or more.")
    return Allowed(_argv(item.get("argv"), where), tuple(options), operands)


def _argv(item: Any, where: str) -> tuple[str, ...]:
    if not _are_words(item) or not item:
        raise BadAllowList(f"{where}: argv must be a list of words.")
    program = item[0].rpartition("/")[2].lower()
    if program in _RUNNERS:
        raise BadAllowList(f"{where}: {item[0]} runs other commands.")
    return tuple(item)


def _are_words(item: Any) -> bool:
    return isinstance(item, list) and all(
        isinstance(word, str) and word for word in item
    )


def problem(command: Sequence[Argument], allowed: Sequence[Allowed]) -> str:
    """Why this command may not run, in words; empty where it may."""
    protected = _after_dashes(command)
    for place, argument in enumerate(command):
        if argument.became_option and place < protected:
            return _("the value of %(argument)s may not begin with -") % {
                "argument": argument.declared
            }
    if any(_fits(command, entry) for entry in allowed):
        return ""
    return _("LLMHUB_CONTEXT_COMMANDS does not allow it")


def operands(command: Sequence[Argument]) -> list[tuple[str, bool]]:
    """The arguments that are no options, each with whether `--` stands before it."""
    dashes = _after_dashes(command)
    return [
        (argument.final, place > dashes)
        for place, argument in enumerate(command)
        if place and place != dashes and not (_is_option(argument) and place < dashes)
    ]


def _after_dashes(command: Sequence[Argument]) -> int:
    """The place of a declared `--`, or behind the end."""
    words = [argument.declared for argument in command]
    return words.index("--") if "--" in words else len(words)


def _is_option(argument: Argument) -> bool:
    return argument.final.startswith("-")


def _fits(command: Sequence[Argument], entry: Allowed) -> bool:
    if entry.options is None:
        return tuple(argument.declared for argument in command) == entry.argv
    begins = tuple(argument.final for argument in command[: len(entry.argv)])
    return begins == entry.argv and _rest_fits(command[len(entry.argv) :], entry)


def _rest_fits(rest: Sequence[Argument], entry: Allowed) -> bool:
    """Options as listed, each with its value; then operands, as many as allowed."""
    names = {option.partition(" ")[0]: option for option in entry.options or ()}
    counted = place = 0
    while place < len(rest):
        word = rest[place].final
        if rest[place].declared == "--":
            counted += len(rest) - place - 1
            break
        if not word.startswith("-"):
            counted += 1
        elif word in names and "=" not in names[word]:
            if " " in names[word]:
                place += 1
                if not _is_value(rest, place):
                    return False
        elif not _attached(word, entry.options or ()):
            return False
        place += 1
    return counted <= entry.operands


def _is_value(rest: Sequence[Argument], place: int) -> bool:
    """Whether a word stands there that an option can take: no option itself."""
    return place < len(rest) and not rest[place].final.startswith("-")


def _attached(word: str, options: Sequence[str]) -> bool:
    """`--since=WHEN` allows `--since=` with anything behind it."""
    name, equals, value = word.partition("=")
    known = {option.partition("=")[0] for option in options if "=" in option}
    return bool(equals and value) and name in known

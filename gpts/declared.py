"""The context that a header declares: files and commands, refused where unsafe.

Pure; nothing is read or run here. A command is an argument list: text, or an argument
with shell characters, means that its author thought of a shell, which never runs.
"""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from gpts import fields
from gpts.document import Command, Context
from gpts.frontmatter import Mapping, Node, Scalar, Sequence
from gpts.problems import Problems

MOST_FILES = 50
MOST_COMMANDS = 20
MOST_ARGUMENTS = 50
_SHELL_CHARACTERS = ";|&><`$\n"


def read_context(node: Node | None, problems: Problems) -> Context:
    if node is None or fields.is_absent(node):
        return Context()
    found = fields.mapping(node, "context", problems)
    files: tuple[str, ...] = ()
    commands: tuple[Command, ...] = ()
    for key, value in found.pairs if found else ():
        if key.text not in ("files", "commands"):
            problems.warn(
                key.line, _('Unknown key "%(key)s" in context.'), key=key.text
            )
        elif fields.is_absent(value):
            continue
        elif key.text == "files":
            files = _files(value, problems)
        else:
            commands = _commands(value, problems)
    return Context(files, commands)


def _files(node: Node, problems: Problems) -> tuple[str, ...]:
    found = fields.texts(node, "context.files", problems, most=MOST_FILES) or ()
    if any(not path.strip() for path in found):
        problems.fatal(node.line, _("context.files: a path is empty."))
    return found


def _commands(node: Node, problems: Problems) -> tuple[Command, ...]:
    if not isinstance(node, Sequence) or len(node.items) > MOST_COMMANDS:
        problems.fatal(
            node.line,
            _("context.commands must be a list of at most %(most)s commands."),
            most=MOST_COMMANDS,
        )
        return ()
    found = [_command(item, problems) for item in node.items]
    return tuple(command for command in found if command is not None)


def _command(node: Node, problems: Problems) -> Command | None:
    if not isinstance(node, Mapping):
        problems.fatal(
            node.line,
            _("A command is `{label: ..., argv: [program, argument]}`, not a line."),
        )
        return None
    label = ""
    argv: tuple[str, ...] = ()
    for key, value in node.pairs:
        if key.text == "label":
            label = fields.line(value, "label", problems, most=80) or ""
        elif key.text == "argv":
            argv = _argv(value, problems)
        else:
            problems.warn(
                key.line, _('Unknown key "%(key)s" in a command.'), key=key.text
            )
    if not argv:
        problems.fatal(node.line, _("A command needs argv, a list of arguments."))
        return None
    return Command(label or " ".join(argv)[:80], argv)


def _argv(node: Node, problems: Problems) -> tuple[str, ...]:
    argv = fields.texts(node, "argv", problems, most=MOST_ARGUMENTS) or ()
    for item in node.items if isinstance(node, Sequence) else ():
        if isinstance(item, Scalar):
            _check_argument(item, problems)
    if argv and ("{" in argv[0] or not argv[0].strip()):
        problems.fatal(node.line, _("The program of a command must be spelt out."))
    return argv


def _check_argument(item: Scalar, problems: Problems) -> None:
    bad = next((ch for ch in item.text if ch in _SHELL_CHARACTERS), "")
    if bad:
        problems.fatal(
            item.line,
            _("%(bad)s in the argument %(argument)s: no shell runs a command here."),
            bad=bad,
            argument=item.text,
        )

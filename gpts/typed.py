"""Inputs of a gpt as commands take them: `name=value`, a file's path for a file.

Reads the files a person names on their own command line; nothing a gpt declares.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from django.utils.translation import gettext as _

from gpts.document import Document, InputKind
from gpts.errors import GptsError

FILE_LIMIT_BYTES = 4 * 1024 * 1024


class BadInput(GptsError):
    """An `--input` cannot be used as it was typed."""


def typed_inputs(document: Document, typed: Iterable[str]) -> dict[str, str]:
    """Values by name, as `rendering.read_values` takes them. Raises BadInput."""
    found: dict[str, str] = {}
    for word in typed:
        name, equals, value = word.partition("=")
        item = document.input(name)
        if not equals:
            raise BadInput(_("Write --input as name=value."))
        if item is None:
            raise BadInput(_no_such_input(document, name))
        if name in found:
            raise BadInput(_("--input %(name)s is given twice.") % {"name": name})
        is_file = item.kind is InputKind.FILE
        found[name] = _text_of(name, Path(value)) if is_file else value
    return found


def _no_such_input(document: Document, name: str) -> str:
    names = ", ".join(item.name for item in document.inputs)
    if not names:
        return _("This gpt has no inputs.")
    words = {"name": name[:40], "names": names}
    return _("There is no input %(name)s; this gpt has: %(names)s.") % words


def _text_of(name: str, path: Path) -> str:
    """A text file that a person named; anything else is refused by name."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(FILE_LIMIT_BYTES + 1)
    except OSError as error:
        words = {"name": name, "why": error.strerror or type(error).__name__}
        raise BadInput(_("--input %(name)s: %(why)s.") % words) from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text or len(raw) > FILE_LIMIT_BYTES:
        words = {"name": name}
        raise BadInput(_("--input %(name)s is no text file of up to 4 MB.") % words)
    return text

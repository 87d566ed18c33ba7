"""A gpt put together for sending: its text, and the context it declares, read now.

Blocking (disk, processes); the settings of this hub decide what may be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext as _

from gpts.allowed import Allowed, BadAllowList, read_allowed
from gpts.context import Gathered, Left, gather, roots_at
from gpts.document import Context
from gpts.fitting import Use
from gpts.gate import Finding
from gpts.protected import names
from gpts.rendering import Rendered, read_values


@dataclass(frozen=True, slots=True)
class Prepared:
    """`findings` lie across the cuts of the context: the gate gets them as `also`."""

    rendered: Rendered
    findings: tuple[Finding, ...] = ()


def prepared(used: Use, inputs: Mapping[str, str]) -> Prepared:
    """What the gpt says for these inputs. With problems nothing is read."""
    rendered = used.render(inputs)
    document = used.entry.document
    if rendered.problems or document is None or document.context == Context():
        return Prepared(rendered)
    if not used.entry.reviewed:
        left = _unreviewed(document.context)
        return Prepared(used.render(inputs, (), left))
    values = read_values(document, used.typed(inputs)).by_name
    found = _gathered(document.context, values)
    return Prepared(used.render(inputs, found.pieces, found.left), found.findings)


def _gathered(context: Context, values: Mapping[str, str]) -> Gathered:
    return gather(
        context,
        values,
        roots=roots_at(settings.LLMHUB_CONTEXT_ROOTS),
        allowed=_allowed(),
        names=names(),
    )


def _allowed() -> tuple[Allowed, ...]:
    """None where the setting cannot be read; a system check says so at the start."""
    try:
        return read_allowed(settings.LLMHUB_CONTEXT_COMMANDS)
    except BadAllowList:
        return ()


def _unreviewed(context: Context) -> tuple[Left, ...]:
    reason = _("only a reviewed gpt may read it")
    labels = [*context.files, *(command.label for command in context.commands)]
    return tuple(Left(label, reason) for label in labels)

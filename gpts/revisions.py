"""What an edit, a restoration and a review of a stored gpt mean.

The one place that writes revisions. A review belongs to one text: any edit makes a
new revision, which nobody has reviewed.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from gpts.errors import NotReviewable
from gpts.models import Gpt, Revision
from gpts.reading import read_document


@dataclass(frozen=True, slots=True)
class DiffLine:
    """`kind` is `same`, `added`, `removed` or `place` (a heading between hunks)."""

    kind: str
    text: str


def revise(
    gpt: Gpt, source: str, author: Any, *, restores: int | None = None
) -> Revision | None:
    """Make `source` the text of `gpt`; None when it already is."""
    source = source.replace("\r\n", "\n")
    with transaction.atomic():
        if gpt.pk is None:
            gpt.save()
        current = gpt.current
        if current is not None and current.source == source:
            return None
        last = gpt.revisions.aggregate(last=Max("number"))["last"] or 0
        gpt.current = Revision.objects.create(
            gpt=gpt, number=last + 1, source=source, author=author, restores=restores
        )
        gpt.save(update_fields=["current"])
    return gpt.current


def restore(gpt: Gpt, number: int, author: Any) -> Revision | None:
    """Bring an older text back, as a new revision that waits for its review."""
    older = gpt.revisions.get(number=number)
    return revise(gpt, older.source, author, restores=number)


def review(gpt: Gpt, reviewer: Any) -> Revision:
    """Mark the current text as reviewed. Raises NotReviewable.

    Whoever wrote any part since the last review is an author of this text.
    """
    current = gpt.current
    if current is None or not read_document(current.source).ok:
        raise NotReviewable(_("A text with fatal problems cannot be reviewed."))
    if reviewer.pk in authors_since_review(gpt):
        raise NotReviewable(
            _("Somebody else has to review this: you wrote part of it.")
        )
    current.reviewed_by = reviewer
    current.reviewed_at = timezone.now()
    current.save(update_fields=["reviewed_by", "reviewed_at"])
    return current


def authors_since_review(gpt: Gpt) -> set[int]:
    """Primary keys of the people who wrote what no review has seen."""
    reviewed = gpt.revisions.filter(reviewed_at__isnull=False)
    last = reviewed.aggregate(last=Max("number"))["last"] or 0
    rows = gpt.revisions.filter(number__gt=last, author__isnull=False)
    return set(rows.values_list("author_id", flat=True))


def diff(old: str, new: str) -> list[DiffLine]:
    """The lines that changed, with three lines around them."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=3)
    kinds = {"+": "added", "-": "removed", "@": "place"}
    found = [DiffLine(kinds.get(line[:1], "same"), line) for line in lines]
    return found[2:]  # less the two lines that name files

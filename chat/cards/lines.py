"""What a target list of lines changes: one proposal for all that comes or moves, and
one for each line that only goes. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from chat.cards.likeness import likeness, pairs
from chat.cards.proposals import Change, Proposal

# Low: a line that took the place of another is mostly its rewording.
_ALIKE = 0.25


def line_proposals(  # noqa: PLR0913  what a proposal is made of
    card: str,
    function: str,
    field: str,
    original: tuple[str, ...],
    target: tuple[str, ...] | None,
    reason: str,
) -> Iterator[Proposal]:
    """`target` None is a list that nobody mentioned."""
    if target is None or target == original:
        return
    gone = removed_lines(original, target)
    merged = tuple(_merged(original, target, gone))
    if merged != original:
        same = sorted(merged) == sorted(original)
        yield Proposal(
            Change.ORDER if same else Change.LINES,
            card,
            field,
            original,
            merged,
            function,
            reason,
            lines_removed=gone,
        )
    for line in gone:
        yield Proposal(Change.REMOVED_LINE, card, field, line, None, function, reason)


def removed_lines(original: Sequence[str], target: Sequence[str]) -> tuple[str, ...]:
    """Lines that go and that no new line rewords, in their order, repeats included."""
    old = list((Counter(original) - Counter(target)).elements())
    new = list((Counter(target) - Counter(original)).elements())
    reworded = Counter(line for line, _ in pairs(old, new, likeness, _ALIKE))
    left = Counter(old) - reworded
    return tuple(line for line in original if _take(left, line))


def _take(left: Counter[str], line: str) -> bool:
    """Whether this line is one of those counted; it is counted off then."""
    if left[line] <= 0:
        return False
    left[line] -= 1
    return True


def _merged(
    original: Sequence[str], target: Sequence[str], gone: Sequence[str]
) -> list[str]:
    """The target with the removed lines still in it, behind what they stood behind.

    `without(merged, gone)` is the target: of equal lines the last ones are taken out,
    so a removed line goes behind those that stay.
    """
    merged = list(target)
    for line in gone:
        at = _last(merged, line) + 1
        if not at:
            before = original[: original.index(line)]
            known = next((b for b in reversed(before) if b in merged), None)
            at = 0 if known is None else _last(merged, known) + 1
        merged.insert(at, line)
    return merged


def _last(lines: Sequence[str], line: str) -> int:
    """The last place of a line, -1 where it does not stand."""
    found = [at for at, one in enumerate(lines) if one == line]
    return found[-1] if found else -1


def without(lines: Sequence[str], gone: Counter[str]) -> tuple[str, ...]:
    """The lines less those counted, the last of equal ones first."""
    left = Counter(gone)
    kept = [line for line in reversed(lines) if not _take(left, line)]
    return tuple(reversed(kept))


def ordered_after(base: Sequence[str], more: Sequence[str]) -> list[str]:
    """`base` with each further item of `more` behind its nearest predecessor there."""
    merged = list(base)
    for at, item in enumerate(more):
        if item in merged:
            continue
        before = next((b for b in reversed(more[:at]) if b in merged), None)
        merged.insert(merged.index(before) + 1 if before is not None else 0, item)
    return merged

"""The source as a model reads it: numbered lines, each with the counters that were taken on it.

Example::

    annotated("…", (Evidence("E5", "global_sectors", 262144, "sectors", 22, …),))[21]
    # "  22 | out[x * height + y] = …;   // {E…} E5 global_sectors: 262,144 sectors"
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.cuda.edits import lines_of
from assistant.model.profile import Evidence
from assistant.profile.quantity import counted_noun, format_quantity

__all__ = ["MARGIN", "annotated", "elided", "without_notes"]

_MOST_NOTES = 6
"""Facts shown on one line; the others are in the table of evidence."""
MARGIN = "   // {E…} "
"""Between a line and the facts about it; no source has it."""
_NEAR_LINES = 3
"""Lines kept around what must be seen."""


def annotated(text: str, evidence: Iterable[Evidence]) -> tuple[str, ...]:
    """Every line of ``text`` with its number, and the facts about it behind ``//``. The number is not part of the source."""
    notes: dict[int, list[str]] = {}
    for fact in evidence:
        if fact.line is not None:
            notes.setdefault(fact.line, []).append(f"{fact.id} {fact.metric}: {format_quantity(fact.value, fact.unit)}")
    lines = [line.rstrip("\r\n") for line in lines_of(text)]
    width = len(str(len(lines)))
    return tuple(_numbered(number, width, line, notes.get(number, [])) for number, line in enumerate(lines, 1))


def elided(lines: tuple[str, ...], kept: Iterable[int]) -> tuple[str, ...]:
    """The listing without what is far from the 1-based lines ``kept``; each gap says how many lines it stands for."""
    wanted = {near for line in kept for near in range(line - _NEAR_LINES, line + _NEAR_LINES + 1)}
    shown, gap = list[str](), 0
    for number, line in enumerate(lines, 1):
        if number not in wanted:
            gap += 1
            continue
        if gap:
            shown.append(_gap(gap))
        gap = 0
        shown.append(line)
    return (*shown, _gap(gap)) if gap else tuple(shown)


def without_notes(lines: tuple[str, ...]) -> tuple[str, ...]:
    """The listing without its remarks."""
    return tuple(line.partition(MARGIN)[0] for line in lines)


def _numbered(number: int, width: int, line: str, notes: list[str]) -> str:
    more = f"; and {len(notes) - _MOST_NOTES} more" if len(notes) > _MOST_NOTES else ""
    margin = f"{MARGIN}{'; '.join(notes[:_MOST_NOTES])}{more}" if notes else ""
    return f"{number:>{width}} | {line}{margin}"


def _gap(count: int) -> str:
    return f"… ({counted_noun(count, 'line')} not shown)"

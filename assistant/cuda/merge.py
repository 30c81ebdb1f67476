"""Three-way merge of lines: which parts of two texts that come from one base go together, and which clash.

Where both texts still have lines of the base, they are in step; what lies between two such places was changed by one of them, by both
alike, or by both differently (S. Khanna, K. Kunal, B. Pierce: A Formal Investigation of Diff3, 2007). Example::

    [region.kind for region in merge(["a", "b", "c"], ["A", "b", "c"], ["a", "b", "C"])]     # ["first", "unchanged", "second"]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal

from assistant.record import Record

__all__ = ["Region", "merge"]

Lines = Sequence[str]


class Region(Record):
    """The same part of all three texts."""

    kind: Literal["unchanged", "first", "second", "both", "clash"]
    """Who changed it; ``both``: alike, ``clash``: differently."""
    base: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    second_line: int
    """Where it begins in the second text, from 0."""


class _Step(Record):
    """Lines that all three have: where they begin, and how many."""

    base: int
    first: int
    second: int
    count: int


def merge(base: Lines, first: Lines, second: Lines) -> tuple[Region, ...]:
    """All parts in order; together they hold every line of each text once."""
    regions: list[Region] = []
    at = _Step(0, 0, 0, 0)
    for step in _in_step(base, first, second):
        old, ours, theirs = tuple(base[at.base : step.base]), tuple(first[at.first : step.first]), tuple(second[at.second : step.second])
        if old or ours or theirs:
            regions.append(_changed(old, ours, theirs, at.second))
        same = tuple(base[step.base : step.base + step.count])
        if same:
            regions.append(Region("unchanged", same, same, same, step.second))
        at = _Step(step.base + step.count, step.first + step.count, step.second + step.count, 0)
    return tuple(regions)


def _changed(base: tuple[str, ...], first: tuple[str, ...], second: tuple[str, ...], second_line: int) -> Region:
    if first == second:
        return Region("both", base, first, second, second_line)
    if first == base:
        return Region("second", base, first, second, second_line)
    return Region("first" if second == base else "clash", base, first, second, second_line)


def _in_step(base: Lines, first: Lines, second: Lines) -> Iterator[_Step]:
    """Runs of lines of the base that both others have, in order; an empty one at the end of all."""
    in_first, in_second = _matches(base, first), _matches(base, second)
    while in_first and in_second:
        (base_1, place_1, count_1), (base_2, place_2, count_2) = in_first[0], in_second[0]
        begin, end = max(base_1, base_2), min(base_1 + count_1, base_2 + count_2)
        if begin < end:
            yield _Step(begin, place_1 + begin - base_1, place_2 + begin - base_2, end - begin)
        (in_first if base_1 + count_1 < base_2 + count_2 else in_second).pop(0)
    yield _Step(len(base), len(first), len(second), 0)


def _matches(base: Lines, other: Lines) -> list[tuple[int, int, int]]:
    """(place in the base, place in the other, number of lines) of what they have in common."""
    return [(m.a, m.b, m.size) for m in SequenceMatcher(None, base, other, autojunk=False).get_matching_blocks() if m.size]

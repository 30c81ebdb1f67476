"""Which cases on other values are worth trying within the time that there is: most at the smallest size that the launch has.

Example::

    made, notes = chosen_values([own, smaller], cost, effort, is_declared=False)
    notes     # ("further values at the program's own size: 41 cases run at n=64 instead of n=4096",)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from assistant.engine.evaluate import Effort, JudgedCase
from assistant.engine.judge.budget import Cost, case_count, own_size_count
from assistant.engine.judge.values import Base, of_own_size, other_values
from assistant.workload.alignment import SHIFTED

__all__ = ["chosen_values", "first_values", "shifted_values"]

_MOST_CASES = 64
_SCREENED_COUNT = 3
"""Cases on other values while candidates are ranked."""


def chosen_values(
    bases: Sequence[Base], cost: Cost, effort: Effort, is_declared: bool
) -> tuple[list[tuple[Base, JudgedCase]], tuple[str, ...]]:
    """Cases on other values that are worth trying, within the time that there is, and what that leaves out."""
    own, base = bases[0], bases[-1]
    if not effort.is_confirming:
        return first_values(base, _SCREENED_COUNT, is_declared), ()
    if base is own:
        count = case_count(cost, _MOST_CASES)
        made = first_values(own, count + 1, is_declared)
        shape = own.case.new.origin.shape
        note = f"further values at {shape}: the launch takes too long for more than {count} cases" if len(made) > count else ""
        return made[:count], (note,) if note else ()
    made = first_values(base, _smaller_count(base), is_declared)
    shapes = [one.case.new.origin.shape for one in (base, own)]
    if shapes[0] == shapes[1]:  # only the grid shows the size
        shapes = [f"grid {one.case.new.recording.launches[0].config.grid}" for one in (base, own)]
    where = f"{shapes[0]} instead of {shapes[1]}"
    count = own_size_count(cost)
    own_size = [*first_values(own, count, is_declared), *((own, case) for case in (of_own_size(own) if count else ()))]
    return [*own_size, *made], (f"further values at the program's own size: {len(made)} cases run at {where}",)


def _smaller_count(base: Base) -> int:
    """How many cases of a smaller size: fewer where it still holds much data, as a matrix whose size no integer says."""
    size_bytes = sum(buffer.size_bytes for buffer in base.case.new.recording.buffers)
    return case_count(Cost(threads=0, size_bytes=size_bytes, checked_s=None), _MOST_CASES)


def shifted_values(base: Base) -> list[tuple[Base, JudgedCase]]:
    """Those with buffers behind a boundary."""
    return [(base, case) for case in other_values(base, is_declared=False) if case.new.origin.kind == SHIFTED]


def first_values(base: Base, count: int, is_declared: bool) -> list[tuple[Base, JudgedCase]]:
    """The ``count`` that show most, each with what it was made of."""
    return [(base, case) for case in islice(other_values(base, is_declared), count)]

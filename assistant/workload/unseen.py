"""Values of a kind that the program never had, chosen to tell versions apart that agree on everything recorded.

An edit that narrows an accumulator, shifts in place of dividing, or subtracts what nearly cancels is right on the program's own numbers. A
difference here is no wrong result of the program's, but something that a person must know; the judge knows by the case's kind what.
Example::

    [case.origin.kind for case in unseen(recorded, seed=7)]      # ["negative", "large", "offset", "near", "tiny", …]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from assistant.workload.derive import Layouts, changed, contents_of
from assistant.workload.marks import Marks, marks_in
from assistant.workload.recordings import NewCase
from assistant.workload.unseen_floats import TELLING, enlarged, in_floats, spread
from assistant.workload.unseen_integers import INTEGERS, REACHING_THE_LIMIT, SAME, TOGETHER, below_marks

__all__ = ["INTEGER_KINDS", "SAME", "SPREAD", "TELLING_KINDS", "UNEVEN", "changed_buffers", "with_uneven", "with_unseen"]

SPREAD = "spread"
"""The kind of cases whose floats reach several times as far as the program's own, while single numbers stay."""
UNEVEN = "uneven"
"""The kind of cases in which every other array of floats is far larger than the ones next to it."""
TELLING_KINDS = tuple(TELLING)
"""Kinds of cases of other floats."""
INTEGER_KINDS = tuple(INTEGERS)
"""Kinds of cases of other integers."""
_FEWEST_UNEVEN = 2


def with_unseen(
    case: NewCase,
    kind: str,
    seed: int,
    layouts: Layouts | None = None,
    chosen: frozenset[int] | None = None,
    marks: Marks = frozenset(),
) -> NewCase | None:
    """``case`` with values of one of the kinds in its typed buffers, or in the ``chosen`` ones; None where none changes.

    ``marks``: of memory that is not in the case; those in it are known.
    """
    origin = replace(case.origin, kind=kind, seed=seed, scale=1.0, weight=0.0)
    change = INTEGERS[kind] if kind in INTEGERS else in_floats(spread if kind == SPREAD else TELLING[kind])
    if kind in REACHING_THE_LIMIT:
        change = partial(below_marks, change=change, marks=marks | marks_in(contents_of(case).values()))
    made = changed(case, change, origin, layouts, chosen, TOGETHER.get(kind))
    return made if changed_buffers(case, made) else None


def with_uneven(case: NewCase, seed: int, layouts: Layouts | None, chosen: frozenset[int]) -> tuple[NewCase, ...]:
    """``case`` with every second array of floats, or member of structs, 1/√u times as large, and with the others so.

    A single array has none next to it.
    """
    found: list[NewCase] = []
    origin = replace(case.origin, kind=UNEVEN, seed=seed, scale=1.0, weight=0.0)
    for is_first_large in (False, True):
        seen: list[bool] = []
        found.append(changed(case, in_floats(partial(enlarged, is_first_large=is_first_large, seen=seen)), origin, layouts, chosen))
        if len(seen) < _FEWEST_UNEVEN:
            return ()
    return tuple(found)


def changed_buffers(case: NewCase, other: NewCase) -> tuple[int, ...]:
    """Buffers that begin with other contents in ``other``."""
    return tuple(_differing(contents_of(case), contents_of(other)))


def _differing(before: dict[int, bytes], after: dict[int, bytes]) -> Iterator[int]:
    return (buffer for buffer, data in after.items() if before.get(buffer) != data)

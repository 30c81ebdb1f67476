"""What may run at the same time as a part of a program: a Region whose steps overlap holds all of it, up to where one step waits for all.

Example::

    joined(a, b, range(3, 4), range(3, 4))     # (range(2, 6), range(2, 6)): step 2 may overlap step 3, step 5 waits for both
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

__all__ = ["joined", "may_overlap"]


class _Step(Protocol):
    @property
    def needs(self) -> tuple[int, ...]: ...


def may_overlap(steps: Iterable[_Step]) -> bool:
    """Whether one of them need not wait for the one before it, or waits for others too."""
    return any(step.needs != (1,) for step in steps)


def joined(a: Sequence[_Step], b: Sequence[_Step], before: range, after: range) -> tuple[range, range]:
    """Both ranges, wider by equally many steps at the front, and at the end. What lies outside of them is the same in both."""
    left = max(_overlapped_before(a, before), _overlapped_before(b, after))
    left = min(left, before.start, after.start)
    before, after = range(before.start - left, before.stop), range(after.start - left, after.stop)
    while before.stop < len(a) and after.stop < len(b) and not (_is_joined(a, before) and _is_joined(b, after)):
        before, after = range(before.start, before.stop + 1), range(after.start, after.stop + 1)
    return before, after


def _overlapped_before(steps: Sequence[_Step], chosen: range) -> int:
    """Steps right before them that may still overlap one of them."""
    first, place = chosen.start, chosen.stop - 1
    while place >= first:
        nearest = min(steps[place].needs, default=place + 1)
        first = max(0, min(first, place - nearest + 1))
        place -= 1
    return chosen.start - first


def _is_joined(steps: Sequence[_Step], chosen: range) -> bool:
    """Whether all that is in it ends before its last step does."""
    awaited = {place - distance for place in chosen for distance in steps[place].needs}
    return all(place in awaited for place in chosen[:-1])

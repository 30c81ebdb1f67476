"""What some threads of a block have of a sum or maximum, and what becomes of such parts when they meet.

Example::

    groups = Groups(count=256, group=32, is_grid=False)
    both = groups.together(Combination.SUM, first, second, thread)    # the parts of the threads of both
    groups.is_whole(both, thread)                                     # True once a warp's 32 threads are in it
"""

from __future__ import annotations

from dataclasses import replace

from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.record import Record

__all__ = ["Groups", "Part", "Value", "rounded_to"]

_WHOLE_NUMBERS = frozenset({"int", "unsigned", "unsigned int", "long", "long long", "unsigned long", "unsigned long long", "size_t"})


class Part(Record):
    """What some threads have of a sum or maximum, with values of other origin in it or not."""

    of: tuple[int, str]
    """The loop and the local that it began in."""
    combination: Combination
    is_floating: bool
    threads: int
    """A bit for each thread whose elements are in it."""
    is_mixed: bool = False
    """It was made in another way than the combination's."""


Value = Part | None
"""None: no part is in it."""


class Groups(Record):
    """Threads of a block, and which of them share elements."""

    count: int
    group: int
    """Neighbouring threads that share elements."""
    is_grid: bool
    """All blocks share them, so that no block has all."""

    def mask_of(self, group: int) -> int:
        """The bits of a group's threads."""
        return ((1 << self.group) - 1) << (group * self.group)

    def is_whole(self, part: Part) -> bool:
        """All threads that share the elements are in it, of every group that any is in."""
        if self.is_grid or part.is_mixed:
            return False
        return all(part.threads & self.mask_of(g) in (0, self.mask_of(g)) for g in range(self.count // self.group))

    def together(self, combination: Combination, first: Value, second: Value) -> Value:
        """Both, put together: a part of the same combination, nothing where both were whole, else a mixture."""
        if first is None or second is None:
            part = first or second
            if part is None or part.combination is combination:
                return part
            return self.used(part)
        can_overlap = combination in (Combination.MAXIMUM, Combination.MINIMUM)
        is_plain = first.of == second.of and first.combination is combination and not (first.is_mixed or second.is_mixed)
        both = replace(first, threads=first.threads | second.threads)
        if is_plain and (can_overlap or not first.threads & second.threads):
            return both
        return None if self.is_whole(first) and self.is_whole(second) else replace(both, is_mixed=True)

    def used(self, part: Value) -> Value:
        """What is made of it in any other way."""
        return None if part is None or self.is_whole(part) else replace(part, is_mixed=True)


def rounded_to(part: Value, kind: str) -> Value:
    """The part in a local or cast of this type; rounded to an integer it is no part any more."""
    return part if part is None or not part.is_floating or kind not in _WHOLE_NUMBERS else replace(part, is_mixed=True)

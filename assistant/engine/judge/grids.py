"""Launches whose results do not depend on how many blocks they have, as of a loop over the grid: only those are tried with fewer.

Example::

    kept = await independent_of_grid(try_cases, cases, usual)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from assistant.engine.evaluate import JudgedCase
from assistant.engine.judge.replaying import POISON, CaseTrial, TryCases
from assistant.verify.numbers import element_of, floats, ieee
from assistant.workload.derive import contents_of
from assistant.workload.recordings import NewCase
from assistant.workload.smaller_grid import with_blocks

__all__ = ["independent_of_grid", "leaves_the_same"]

_LIMIT_S = 10.0
"""For one run; a single block takes as long as all together."""
_SAME_RATIO = 1e-3
"""Share of what a launch changes in a buffer of floats: sums of other parts differ by their rounding, sums that leave something out by
more."""


async def independent_of_grid(try_cases: TryCases, cases: Sequence[JudgedCase], usual: Collection[str]) -> list[JudgedCase]:
    """Those of ``cases``, all with fewer blocks, whose launch leaves the same with all its blocks, with fewer and with a single one.

    ``usual``: kinds of problems that the original has on recorded values.
    """
    kept: list[JudgedCase] = []
    groups: dict[str, list[JudgedCase]] = {}
    for case in cases:
        groups.setdefault(case.new.origin.shape, []).append(case)
    for group in groups.values():
        tried = [_with_own_grid(group[0]), with_blocks(group[0].new, 1), *(case.new for case in group)]
        first, *others = await try_cases(tried, _LIMIT_S)
        if all(trial.unclean(usual) is None for trial in (first, *others)) and all(leaves_the_same(first, other) for other in others):
            kept += [replace(case, checked=trial.checked) for case, trial in zip(group, others[1:], strict=True)]
    return kept


def _with_own_grid(case: JudgedCase) -> NewCase:
    assert case.own_grid is not None, "a case with fewer blocks knows how many its launch has"
    return with_blocks(case.new, case.own_grid.x)


@ieee
def leaves_the_same(one: CaseTrial, other: CaseTrial) -> bool:
    """Integers and buffers of unknown type to the bit; floats but for a small share of what the launch changes in their buffer."""
    before, left, again = contents_of(one.case), dict(one.after), dict(other.after)
    for buffer in one.case.recording.buffers:
        mine, theirs = left.get(buffer.id), again.get(buffer.id)
        if mine == theirs:
            continue
        element = element_of(buffer.element_type, buffer.size_bytes)
        if mine is None or theirs is None or len(mine) != len(theirs) or not element.is_floating:
            return False
        start = bytes([POISON]) * len(mine) if buffer.is_poisoned else before[buffer.id]
        values, was = floats(mine, element), floats(start, element)
        difference = np.linalg.norm(floats(theirs, element) - values)
        if not difference <= _SAME_RATIO * np.linalg.norm(values - was):
            return False
    return True

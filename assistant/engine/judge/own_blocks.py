"""Some blocks of a launch that takes too long to be run whole: A's and B's, compared where they do the same part of the work.

Where both versions start the same grid, the same blocks run. Where B starts another one, those of its blocks run that may do the work of
A's: what they write elsewhere is not looked at. Where they leave out some of what A's write, nothing can be said. Example::

    comparable(cases, are_sums_shared=False)      # without those of which B's blocks do another part of the work
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assistant.engine.evaluate import JudgedCase
from assistant.engine.judge.baseline import PreparedCase
from assistant.engine.judge.grids import leaves_the_same
from assistant.engine.judge.replaying import CaseTrial
from assistant.model.elements import ElementType
from assistant.model.recording import RecordedBuffer
from assistant.record import Record
from assistant.verify.evidence import SideRun
from assistant.verify.numbers import bits, element_of
from assistant.workload.chosen_blocks import chosen_in, covering_blocks, with_chosen_blocks, wrapped_blocks
from assistant.workload.derive import contents_of
from assistant.workload.recordings import NewCase

__all__ = ["CaseOfBoth", "comparable", "missed_ratio", "with_own_blocks"]

_MOST_MISSED_RATIO = 0.1
"""Share of what A's blocks write: where B starts the same grid, leaves out more and writes elsewhere, its blocks have an order of their
own."""


class CaseOfBoth(Record):
    """One case, as A was run on it and as B was."""

    item: PreparedCase
    new: NewCase
    """What B ran."""
    side: tuple[SideRun, ...]
    """B's runs."""


def with_own_blocks(original: NewCase, new: NewCase) -> tuple[NewCase, ...]:
    """``new``, which is B's launch with A's blocks chosen, with those chosen that may do the same work; likeliest first."""
    blocks, own, other = chosen_in(original), original.recording.launches[0].config, new.recording.launches[0].config
    if own.grid == other.grid:
        return (new,)
    choices = covering_blocks(blocks, own.grid, other.grid), wrapped_blocks(blocks, other.grid)
    return tuple(with_chosen_blocks(new, choice) for choice in dict.fromkeys(filter(None, choices))) or (new,)


def comparable(cases: Sequence[CaseOfBoth], *, are_sums_shared: bool) -> list[CaseOfBoth]:
    """The cases that tell right from wrong, confined to the work of A's blocks; without those whose blocks do another part of it.

    ``are_sums_shared``: several blocks may add to one value, so that another result of some blocks may only be another share of it.
    """
    confined = (_confined(case) if chosen_in(case.item.case.new) else case for case in cases)
    kept = [case for case in confined if case is not None]
    return [case for case in kept if not (are_sums_shared and chosen_in(case.item.case.new) and _differs(case))]


def _differs(case: CaseOfBoth) -> bool:
    first = _first_clean(case.item.original)
    mine = None if first is None else _first_clean(run for run in case.side if run.fill == first.fill)
    if first is None or mine is None:
        return False
    before, after = (CaseTrial(case.item.case.new, None, run.after) for run in (first, mine))
    return not leaves_the_same(before, after)


def _first_clean(runs: Iterable[SideRun]) -> SideRun | None:
    return next((run for run in runs if run.is_comparable and run.error is None), None)


def missed_ratio(case: JudgedCase, original: SideRun, left: Mapping[int, bytes]) -> float:
    """Share of the components that A's blocks changed and B's left alone; infinite where that is not known."""
    found = _writes(case, original, left)
    return float("inf") if found is None else found.missed / max(1, found.count)


class _Writes(Record):
    """Components that A's blocks changed and B's did not, and the other way round."""

    count: int
    """That A's changed."""
    missed: int
    further: int
    """That only B's changed."""


def _writes(case: JudgedCase, original: SideRun, left: Mapping[int, bytes]) -> _Writes | None:
    count = missed = further = 0
    for buffer in case.new.recording.buffers:
        theirs, ours = original.contents(buffer.id), left.get(buffer.id)
        if theirs is None or ours is None or len(theirs) != len(ours):
            return None
        before, after = (_changed(case.new, buffer, data, original.fill) for data in (theirs, ours))
        count += int(before.sum())
        missed += int((before & ~after).sum())
        further += int((after & ~before).sum())
    return _Writes(count=count, missed=missed, further=further)


def _confined(case: CaseOfBoth) -> CaseOfBoth | None:
    """Without what B's blocks write elsewhere, where they are others; None where they leave out what A's write."""
    first = _first_clean(case.item.original)
    if first is None or any(run.error is not None for run in case.side):
        return case
    mine = next((run for run in case.side if run.is_comparable and run.fill == first.fill), None)
    writes = None if mine is None else _writes(case.item.case, first, dict(mine.after))
    if writes is None:
        return None
    if not _has_same_blocks(case):
        return None if writes.missed else replace(case, side=tuple(_within(case, run) for run in case.side))
    is_reordered = writes.further > 0 and writes.missed > _MOST_MISSED_RATIO * writes.count
    return None if is_reordered else case


def _has_same_blocks(case: CaseOfBoth) -> bool:
    own, other = ([launch.config for launch in one.recording.launches] for one in (case.item.case.new, case.new))
    return [(config.grid, config.block) for config in own] == [(config.grid, config.block) for config in other]


def _within(case: CaseOfBoth, run: SideRun) -> SideRun:
    """The run as if its blocks had written nothing but what A's did."""
    original = _first_clean(one for one in case.item.original if one.fill == run.fill)
    if original is None or not run.is_comparable:
        return run
    after: list[tuple[int, bytes]] = []
    buffers = {buffer.id: buffer for buffer in case.item.case.new.recording.buffers}
    for identity, data in run.after:
        theirs, buffer = original.contents(identity), buffers.get(identity)
        if buffer is not None and theirs is not None and theirs != data and len(theirs) == len(data):
            ours = _changed(case.item.case.new, buffer, theirs, run.fill)
            values, start = bits(data, _element(buffer)), bits(_start(case.item.case.new, buffer, run.fill), _element(buffer))
            data = np.where(ours, values, start).astype(values.dtype).tobytes()
        after.append((identity, data))
    return replace(run, after=tuple(after))


def _changed(case: NewCase, buffer: RecordedBuffer, data: bytes, fill: int) -> NDArray[np.bool_]:
    """Which components of a buffer are not what they were before the launch."""
    return bits(data, _element(buffer)) != bits(_start(case, buffer, fill), _element(buffer))


def _start(case: NewCase, buffer: RecordedBuffer, fill: int) -> bytes:
    return bytes([fill]) * buffer.size_bytes if buffer.is_poisoned else contents_of(case)[buffer.id]


def _element(buffer: RecordedBuffer) -> ElementType:
    return element_of(buffer.element_type, buffer.size_bytes)

"""Regions that a person asks for: everything that two programs do on the device, or the calls of one function of their hosts.

Example::

    region_of_calls(a, b, steps_of_a, steps_of_b, "step")      # Region of one call, 100 times; a sentence where there is none
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile

from assistant.model.recording import WORK_KINDS, Recording
from assistant.workload.regions import OrderedStep, Region, work_key
from assistant.workload.stream_regions import may_overlap

__all__ = ["region_of_calls", "region_of_main"]


def region_of_main(a: Sequence[OrderedStep], b: Sequence[OrderedStep]) -> Region | None:
    """All steps of both; None where one of them does nothing on the device.

    Copies from and to the host with which both begin and end alike are no part of it: the link would be timed, not the device.
    """
    if not any(step.is_of_device for step in a) or not any(step.is_of_device for step in b):
        return None
    is_one_after_another = not may_overlap((*a, *b))
    first = _same_host_copies(a, b) if is_one_after_another else 0
    last = _same_host_copies(a[::-1], b[::-1]) if is_one_after_another else 0
    before, after = (tuple(range(first, len(side) - last)) for side in (a, b))
    return Region(before, after, 1, (len(before), len(after)))


def _same_host_copies(a: Sequence[OrderedStep], b: Sequence[OrderedStep]) -> int:
    """With how many copies between host and device both begin alike."""
    same = (not left.is_of_device and work_key(left) == work_key(right) for left, right in zip(a, b, strict=False))
    return sum(takewhile(bool, same))


def region_of_calls(a: Recording, b: Recording, of_a: Sequence[OrderedStep], of_b: Sequence[OrderedStep], name: str) -> Region | str:
    """One call, where each program makes calls that do the same, both equally many; else all calls with what lies between them.

    A sentence says why there is none.
    """
    calls = _calls(a), _calls(b)
    for letter, side, steps in zip("AB", calls, (of_a, of_b), strict=True):
        if not any(steps[place].is_of_device for call in side for place in call):
            return f"{letter} does nothing on the GPU in calls of {name}"
    left, right = (_stride(side, steps) for side, steps in zip(calls, (of_a, of_b), strict=True))
    is_one_after_another = not may_overlap((*of_a, *of_b))
    if left is not None and right is not None and len(calls[0]) == len(calls[1]) and is_one_after_another:
        return Region(calls[0][0], calls[1][0], len(calls[0]), (left, right))
    before, after = (tuple(range(side[0][0], side[-1][-1] + 1)) for side in calls)
    return Region(before, after, 1, (len(before), len(after)))


def _calls(recording: Recording) -> list[tuple[int, ...]]:
    """Places among the program's work of what each outermost call asks for; calls that ask for none are left out."""
    found, open_call = list[tuple[int, ...]](), list[int]()
    place, depth = -1, 0
    for step in recording.steps or ():
        place += (is_work := step.kind in WORK_KINDS)
        depth += (step.kind == "enter") - (step.kind == "leave")
        if is_work and depth > 0:
            open_call.append(place)
        if depth == 0 and open_call:
            found.append(tuple(open_call))
            open_call = []
    return [*found, tuple(open_call)] if open_call else found


def _stride(calls: Sequence[tuple[int, ...]], steps: Sequence[OrderedStep]) -> int | None:
    """Steps from one call to the next one; None where calls do different things, or come at different distances."""
    done = {tuple(work_key(steps[place]) for place in call) for call in calls}
    strides = {after[0] - before[0] for before, after in pairwise(calls)} or {len(calls[0])}
    return next(iter(strides)) if len(done) == len(strides) == 1 else None

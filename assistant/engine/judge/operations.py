"""Comparisons of which no kernel's ratio is the answer: copies and fills differ, or a person asks for a part of the program.

Example::

    found = judged_region(job, before, after)     # None where kernels are compared one by one
    speed = await operations_speed(job, found, before, after)
"""

from __future__ import annotations

from dataclasses import replace

from assistant.engine.evaluate import Evaluation
from assistant.engine.job import Job
from assistant.engine.judge.affected import asked_region, find_in_programs
from assistant.engine.judge.region import ProgramRegion
from assistant.engine.judge.region_speed import region_speed
from assistant.engine.judge.timing_verdict import Speed
from assistant.engine.request import WHOLE_PROGRAM
from assistant.workload.regions import have_other_operations

__all__ = ["judged_region", "operations_speed", "other_operations"]


def judged_region(job: Job, before: Evaluation, after: Evaluation) -> ProgramRegion | None:
    """What a person asked for, else where programs differ whose copies and fills do; None where kernels are compared one by one."""
    return asked_region(job, before, after) or other_operations(before, after)


def other_operations(before: Evaluation, after: Evaluation) -> ProgramRegion | None:
    """Where the programs differ, if their copies and fills do; None where these are the same, or their order is not known."""
    a, b = before.counted.recording, after.counted.recording
    if a is None or b is None or not have_other_operations(a, b):
        return None
    return find_in_programs(before, after)


async def operations_speed(job: Job, found: ProgramRegion, before: Evaluation, after: Evaluation) -> Speed:
    """Of everything in the Region."""
    speed = await region_speed(job, found, before, after)
    if speed.comparison is None:
        return replace(speed, notes=(*speed.notes, f"no speed is reported of {found.name}: not every launch was counted"))
    return replace(speed, comparison=replace(speed.comparison, caveats=(_why(found), *speed.comparison.caveats)))


def _why(found: ProgramRegion) -> str:
    if found.asked is None:
        return f"copies or fills differ: {found.name}"
    if found.asked == WHOLE_PROGRAM:
        return "all that main does on the GPU"
    return f"a call of {found.asked}" if found.region.count > 1 else f"all calls of {found.asked}"

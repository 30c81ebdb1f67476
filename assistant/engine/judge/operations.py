"""Edits that change which copies and fills a program makes: no kernel's ratio holds those, so that the programs are compared as a whole.

Example::

    found = other_operations(before, after)       # where the programs differ; None where their copies and fills are the same
    speed = await operations_speed(job, found, before, after)
"""

from __future__ import annotations

from dataclasses import replace

from assistant.engine.evaluate import Evaluation
from assistant.engine.job import Job
from assistant.engine.judge.affected import find_in_programs
from assistant.engine.judge.region import ProgramRegion
from assistant.engine.judge.region_speed import region_speed
from assistant.engine.judge.timing_verdict import Speed
from assistant.workload.regions import have_other_operations

__all__ = ["operations_speed", "other_operations"]


def other_operations(before: Evaluation, after: Evaluation) -> ProgramRegion | None:
    """Where the programs differ, if their copies and fills do; None where these are the same, or their order is not known."""
    a, b = before.counted.recording, after.counted.recording
    if a is None or b is None or not have_other_operations(a, b):
        return None
    return find_in_programs(before, after)


async def operations_speed(job: Job, found: ProgramRegion, before: Evaluation, after: Evaluation) -> Speed:
    """Of everything from the first step that differs to the last one."""
    speed = await region_speed(job, found, before, after)
    if speed.comparison is None:
        return replace(speed, notes=(*speed.notes, "no speed is reported: copies and fills differ, and not every launch was counted"))
    return replace(
        speed, comparison=replace(speed.comparison, caveats=(f"copies or fills differ: {found.name}", *speed.comparison.caveats))
    )

"""Speed of what both programs do on the device, where no kernel's ratio is the answer.

That is so where launches do not correspond, where copies and fills differ, and where a person asks for a part of the program. A
comparison and a search ask the same question. Example::

    speed = await speed_of_program(job, before, after)     # None where kernels are compared one by one
"""

from __future__ import annotations

from dataclasses import replace

from assistant.engine.evaluate import Evaluation
from assistant.engine.job import Job
from assistant.engine.judge.affected import are_ordered_otherwise, asked_region, find_in_programs
from assistant.engine.judge.pairing import unpaired_launches
from assistant.engine.judge.region import ProgramRegion
from assistant.engine.judge.region_speed import region_speed
from assistant.engine.judge.timing_verdict import Speed
from assistant.engine.judge.undecided_counts import speed_of_undecided_counts, undecided_counts
from assistant.engine.judge.unpaired import summed_speed
from assistant.engine.request import WHOLE_PROGRAM
from assistant.ports.lab import Timing
from assistant.workload.regions import have_other_operations, seen_alike

__all__ = [
    "judged_region",
    "operations_speed",
    "other_operations",
    "screened_program",
    "speed_of_program",
    "unpaired_speed",
    "why_not_asked",
]


async def speed_of_program(job: Job, before: Evaluation, after: Evaluation, reason: str | None = None) -> Speed | None:
    """Timed where the lab has a clock, else predicted; None where kernels are compared one by one. ``reason``: why launches do not
    correspond, where the caller knows that; else it is looked for."""
    return await _speed(job, before, after, reason or _apart(before, after), judged_region(job, before, after), job.lab.timing)


async def screened_program(job: Job, before: Evaluation, after: Evaluation) -> Speed | None:
    """Predicted, as whole programs are not run for each of many candidates; None where their launches, copies and fills correspond.

    What a prediction leaves out is no doubt where a lab has a clock: it is in the time that decides in the end. Timed all the same where
    nothing is predicted: launches that only a GPU can run are not counted.
    """
    reason, found = _apart(before, after), other_operations(before, after)
    predicted = await _speed(job, before, after, reason, found, None, is_timed_later=job.lab.timing is not None)
    if predicted is None or predicted.comparison is not None or job.lab.timing is None:
        return predicted
    return await _speed(job, before, after, reason, found, job.lab.timing)


def judged_region(job: Job, before: Evaluation, after: Evaluation) -> ProgramRegion | None:
    """What a person asked for, else where programs differ whose copies and fills do; None where kernels are compared one by one."""
    asked = _asked(job, before, after)
    return asked if isinstance(asked, ProgramRegion) else other_operations(before, after)


def why_not_asked(job: Job, before: Evaluation, after: Evaluation) -> str | None:
    """Why what a person asked for cannot be judged; None where it can, and where nothing was asked for."""
    asked = _asked(job, before, after)
    return asked if isinstance(asked, str) else None


def other_operations(before: Evaluation, after: Evaluation) -> ProgramRegion | None:
    """Where the programs differ, if their copies, fills or streams do; None where these are the same, or their order is not known."""
    a, b = before.counted.recording, after.counted.recording
    if a is None or b is None:
        return None
    is_other = have_other_operations(*seen_alike(a, b)) or are_ordered_otherwise(before, after)
    return find_in_programs(before, after) if is_other else None


async def operations_speed(
    job: Job, found: ProgramRegion, before: Evaluation, after: Evaluation, clock: Timing | None, *, is_timed_later: bool = False
) -> Speed:
    """Speed of everything in the Region. ``is_timed_later``: as of `region_speed`."""
    speed = await region_speed(job, found, before, after, clock, is_timed_later=is_timed_later)
    if speed.comparison is None:
        return replace(speed, notes=(*speed.notes, f"no speed is reported of {found.name}: not every launch was counted"))
    return replace(speed, comparison=replace(speed.comparison, caveats=(_why(found), *speed.comparison.caveats)))


def _asked(job: Job, before: Evaluation, after: Evaluation) -> ProgramRegion | str | None:
    asked = job.request.region
    return None if asked is None else asked_region(before, after, asked)


async def unpaired_speed(
    job: Job,
    asked: ProgramRegion | None,
    before: Evaluation,
    after: Evaluation,
    reason: str,
    clock: Timing | None,
    *,
    is_timed_later: bool = False,
) -> Speed:
    """Speed of ``asked``, else of where the programs differ, else of all launches added up. ``reason``: why launches do not correspond;
    ``is_timed_later``: as of `region_speed`."""
    found = asked or find_in_programs(before, after)
    speed = None if found is None else await region_speed(job, found, before, after, clock, is_timed_later=is_timed_later)
    if speed is None or speed.comparison is None:
        return await summed_speed(job, before, after, reason, clock)
    return _not_corresponding(speed, reason)


def _not_corresponding(speed: Speed, reason: str) -> Speed:
    if speed.comparison is None:
        return speed
    caveats = (f"launches do not correspond: {reason}", *speed.comparison.caveats)
    return replace(speed, comparison=replace(speed.comparison, caveats=caveats))


async def _speed(
    job: Job,
    before: Evaluation,
    after: Evaluation,
    reason: str | None,
    found: ProgramRegion | None,
    clock: Timing | None,
    *,
    is_timed_later: bool = False,
) -> Speed | None:
    """Of one launch on average where their number is not known of a GPU and nothing is timed."""
    undecided = await undecided_counts(job, before, after) if clock is None and not is_timed_later else None
    if undecided is not None:
        speed = speed_of_undecided_counts(before, after, undecided)
        return speed if reason is None else _not_corresponding(speed, reason)
    if reason is not None:
        return await unpaired_speed(job, found, before, after, reason, clock, is_timed_later=is_timed_later)
    return None if found is None else await operations_speed(job, found, before, after, clock, is_timed_later=is_timed_later)


def _apart(before: Evaluation, after: Evaluation) -> str | None:
    """Why launches do not correspond; None where they do."""
    return unpaired_launches(before.version, before.counted, after.counted)


def _why(found: ProgramRegion) -> str:
    if found.asked is None:
        return f"{'the order' if found.may_overlap else 'copies or fills'} differ{'s' if found.may_overlap else ''}: {found.name}"
    if found.asked == WHOLE_PROGRAM:
        return "all that main does on the GPU"
    return f"a call of {found.asked}" if found.region.count > 1 else f"all calls of {found.asked}"

"""How long kernels take in both programs as they are, where their launches cannot be replayed: too much memory, or none that was kept.

All launches of a kernel in a run are added up, by CUPTI's time stamps, so that what lies between them does not count. Example::

    await kernel_spans(job, clock, before, after, pairs)     # Comparison, FASTER 3.1x; LabFailure where it cannot be timed
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.cuda.same_names import without_file
from assistant.engine.evaluate import Evaluation, KernelAssessment
from assistant.engine.job import Job
from assistant.engine.judge.in_turn import TimedProgram, method_of_runs, timed_in_turn
from assistant.engine.judge.predicting import KernelPair
from assistant.measure.bounds import least_time_s
from assistant.measure.paired import aa_half_width_of, pairs_of, time_of
from assistant.measure.statistics import WeightedPairs, compare_pairs
from assistant.model.comparison import Comparison
from assistant.model.device import Target
from assistant.model.recording import Recording
from assistant.model.timing import Block
from assistant.ports.lab import LabFailure, Timing

__all__ = ["kernel_spans", "least_times_of_launches"]

_METHOD = "of all launches of a kernel added up, as what they reach was not kept and they cannot be replayed"


async def kernel_spans(
    job: Job, clock: Timing, before: Evaluation, after: Evaluation, pairs: Sequence[KernelPair]
) -> Comparison | LabFailure:
    """One case for each pair, named after A's kernel; its weight is the number of A's launches, its times are seconds a launch of A."""
    counts = [_launch_count(pair.before) for pair in pairs]
    sides = {
        "A": TimedProgram(before.version.program, _reader([pair.before for pair in pairs], counts)),
        "B": TimedProgram(after.version.program, _reader([pair.after for pair in pairs], counts)),
    }
    timed = await timed_in_turn(clock, job.limits, job.seeds[-1], sides)
    return timed if isinstance(timed, LabFailure) else _compared(pairs, counts, timed, job.seeds[-1])


def least_times_of_launches(pairs: Sequence[KernelPair], target: Target) -> dict[str, float]:
    """Least seconds of B a launch of A, by the bytes that it touches, for the cases of `kernel_spans`; those of unknown bytes are left
    out."""
    found: dict[str, float] = {}
    for pair in pairs:
        launches = [launch for item in pair.after for launch in item.launches]
        times = [least_time_s(launch.profile, target) for launch in launches]
        known = [(time_s, launch.count) for time_s, launch in zip(times, launches, strict=True) if time_s is not None]
        if known and len(known) == len(times):
            found[_name(pair)] = sum(time_s * count for time_s, count in known) / _launch_count(pair.before)
    return found


def _compared(pairs: Sequence[KernelPair], counts: Sequence[float], timed: Sequence[tuple[Block, ...]], seed: int) -> Comparison:
    shapes = [WeightedPairs(_name(pair), count, pairs_of(blocks)) for pair, count, blocks in zip(pairs, counts, timed, strict=True)]
    half_width = max(aa_half_width_of(blocks, seed) for blocks in timed)
    comparison = compare_pairs(tuple(shapes), half_width, seed, method_of_runs(_METHOD, len(timed[0])))
    cases = (
        replace(case, before_s=time_of(blocks, "A"), after_s=time_of(blocks, "B"))
        for case, blocks in zip(comparison.cases, timed, strict=True)
    )
    return replace(comparison, cases=tuple(cases))


def _reader(sides: Sequence[Sequence[KernelAssessment]], counts: Sequence[float]) -> Callable[[Recording], tuple[float, ...] | None]:
    """Seconds of each kernel's launches together, by the number of A's; None where one of them has none, or a time is missing."""
    names = [{without_file(item.instance) for item in side} for side in sides]

    def read(recording: Recording) -> tuple[float, ...] | None:
        times = [_added_up(recording, each) for each in names]
        known = [time_s for time_s in times if time_s]
        return tuple(time_s / count for time_s, count in zip(known, counts, strict=True)) if len(known) == len(times) else None

    return read


def _added_up(recording: Recording, names: set[str]) -> float | None:
    shapes = {number for number, shape in enumerate(recording.shape_counts) if without_file(shape.kernel) in names}
    if recording.steps is None:  # too many to be kept one by one
        times_ns = [recording.shape_counts[number].time_ns for number in shapes]
    else:
        launches = [step for step in recording.steps if step.kind == "launch" and step.shape in shapes]
        times_ns = [None if step.start_ns is None or step.end_ns is None else step.end_ns - step.start_ns for step in launches]
    known_ns = [time_ns for time_ns in times_ns if time_ns is not None]
    return sum(known_ns) * 1e-9 if len(known_ns) == len(times_ns) else None


def _launch_count(side: Sequence[KernelAssessment]) -> float:
    return sum(launch.count for item in side for launch in item.launches)


def _name(pair: KernelPair) -> str:
    return pair.before[0].kernel.qualified_name

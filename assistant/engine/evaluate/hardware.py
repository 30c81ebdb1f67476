"""What the GPU's own counters say of the launches that the emulator counted: the same kernels, by line, with stalls.

One launch of each shape that takes much of its kernel's time is counted again on the hardware; the other shapes, and what only the
emulator knows (distinct sectors, problems), stay. Example::

    match await on_hardware(job, evaluation):
        case MeasuredVersion(evaluation=evaluation): ...     # profiles of Method.NCU or Method.CUPTI
        case LabFailure() as failure: ...     # why the emulator's counters stand
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from operator import attrgetter

from assistant.engine.evaluate.assess import assess
from assistant.engine.evaluate.assessment import CountedKernel, CountedRun, KernelAssessment
from assistant.engine.evaluate.evaluation import Evaluation
from assistant.engine.job import Job
from assistant.model.build import BuildFailure
from assistant.model.profile import LaunchProfile, Method
from assistant.model.recording import Recording
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import Counters, LabFailure
from assistant.record import Record

__all__ = ["MeasuredVersion", "on_hardware", "steered"]

_MOST_SHAPES = 4
_COVERED_RATIO = 0.95
"""Of each kernel: as many shapes as take this share of its predicted time together, the costliest first, and no more than so many."""
_RECORDED = CaseOrigin(kind="recorded", shape="", seed=0, scale=1.0, weight=1.0)


class _Again(Record):
    """What is run again."""

    cases: tuple[Case, ...]
    indices: tuple[int, ...]
    """Indices of the profiles of the launches in question, in the order in which they run."""


class MeasuredVersion(Record):
    """A version by the GPU's own counters."""

    evaluation: Evaluation
    method: Method
    """How they were read."""
    shortfalls: tuple[LabFailure, ...]
    """Why not in a better way, or not all of them."""


async def on_hardware(
    job: Job, evaluation: Evaluation, counters: Counters, preferred: Method = Method.NCU, first_evidence: int = 1
) -> MeasuredVersion | LabFailure:
    """``evaluation`` with the hardware's counters in the place of the emulator's, assessed anew; a failure where they cannot be had."""
    kernels = tuple(kernel.instance for kernel in evaluation.counted.kernels)
    again = _again(evaluation)
    if not again.indices:
        return LabFailure("no_counters", *_none_kept(evaluation.counted.recording))
    version = evaluation.version
    measured = await counters.count(replace(version.program, kernels=kernels), again.cases, kernels, job.limits, preferred)
    if isinstance(measured, LabFailure):
        return measured
    if len(measured.launches) != len(again.indices):
        message = f"{len(measured.launches)} of {len(again.indices)} launches were profiled"
        return LabFailure("no_counters", message, "kernelopt check shows whether they run at all")
    by_index = dict(zip(again.indices, measured.launches, strict=True))
    counted = _with(evaluation.counted, by_index)
    assessment = await assess(job, version, counted, first_evidence)
    if isinstance(assessment, BuildFailure):  # it was built a moment ago
        return LabFailure("not_built", f"{assessment.compiler} does not compile it any more", "start again")
    return MeasuredVersion(Evaluation(version, counted, assessment), measured.launches[0].method, measured.shortfalls)


async def steered(job: Job, evaluation: Evaluation) -> Evaluation | LabFailure:
    """``evaluation`` with the hardware's view added to the emulator's, for planning alone: versions are compared by the emulator's.

    By CUPTI first, which is quicker. Without a lab that reads counters it stays as it is.
    """
    if job.lab.counters is None:
        return evaluation
    measured = await on_hardware(job, evaluation, job.lab.counters, Method.CUPTI, evaluation.next_evidence)
    return measured if isinstance(measured, LabFailure) else replace(evaluation, measured=measured.evaluation.assessment)


def _again(evaluation: Evaluation) -> _Again:
    """One launch of each shape that matters in a program's recording, as far as it was kept; every declared case as a whole."""
    counted = evaluation.counted
    kernels = frozenset(kernel.instance for kernel in counted.kernels)
    if counted.run is None:
        return _Again(counted.cases, tuple(profile.index for profile in counted.profiles if profile.kernel in kernels))
    path, recording = counted.run.recording_path, counted.recording
    if path is None or recording is None:
        return _Again((), ())
    kept = {launch.index for launch in recording.launches}
    shown = {group.profile.index for kernel in counted.kernels for group in kernel.groups}
    chosen = {index for kernel in evaluation.assessment.kernels for index in _mattering(kernel, kept & shown)}
    indices = tuple(sorted(chosen))
    return _Again(tuple(Case(path, (index,), _RECORDED) for index in indices), indices)


def _none_kept(recording: Recording | None) -> tuple[str, str]:
    """Why there is nothing to run again, and what to do."""
    if recording is None or not recording.shape_counts:
        return "no launch of the kernels in question was recorded", "kernelopt check shows what was launched"
    return (
        "the launches of the kernels in question are known, but not what they reach, so that they cannot be run again for counters",
        "give the program smaller arguments behind --, or raise limits.launch_bytes",
    )


def _mattering(kernel: KernelAssessment, kept: Set[int]) -> list[int]:
    """Launches of the shapes that take most of the kernel's time: each costs seconds to count."""
    launches = sorted((launch for launch in kernel.launches if launch.profile.index in kept), key=attrgetter("total_time_s"), reverse=True)
    whole_s = sum(launch.total_time_s for launch in launches)
    chosen: list[int] = []
    covered_s = 0.0
    for launch in launches[:_MOST_SHAPES]:
        if covered_s >= _COVERED_RATIO * whole_s and chosen:
            break
        chosen.append(launch.profile.index)
        covered_s += launch.total_time_s
    return chosen


def _with(counted: CountedRun, measured: dict[int, LaunchProfile]) -> CountedRun:
    def merged(profile: LaunchProfile) -> LaunchProfile:
        found = measured.get(profile.index)
        return profile if found is None else _merged(profile, found)

    def kernel_with(kernel: CountedKernel) -> CountedKernel:
        return replace(kernel, groups=tuple(replace(group, profile=merged(group.profile)) for group in kernel.groups))

    kernels = tuple(kernel_with(kernel) for kernel in counted.kernels)
    return replace(counted, kernels=kernels, profiles=tuple(merged(profile) for profile in counted.profiles))


def _merged(emulated: LaunchProfile, measured: LaunchProfile) -> LaunchProfile:
    """The hardware's counters, under the emulator's names and with what only it sees."""
    return replace(
        emulated,
        method=measured.method,
        device=measured.device,
        blocks_counted=measured.blocks_counted,
        accesses=measured.accesses,
        executions=measured.executions,
        instructions=measured.instructions,
        sites=(),
        stalls=measured.stalls,
        measured=measured.measured,
    )

"""Run a version's workload once with every counter on: what was launched, what it did to memory, what went wrong.

A source with ``main()`` is run as it is and recorded; one with declared workloads has their launches replayed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.engine.evaluate.assessment import REPEATS, CountedKernel, CountedLaunchGroup, CountedRun, Repeatability
from assistant.engine.evaluate.repeating import FAILED, REPEATED, UNCLEAR, VARYING
from assistant.engine.evaluate.traces import with_types
from assistant.engine.job import Job
from assistant.engine.source_version import SourceVersion
from assistant.model.problems import is_refused
from assistant.model.profile import Correction, LaunchProfile
from assistant.model.workload import Case
from assistant.ports.lab import CaseRun, LabFailure, ProgramRun, ReplayOptions, ReplayRun

__all__ = ["count_cases", "counted_of", "group_by_kernel", "run_in_time", "run_program"]


async def run_program(
    job: Job, version: SourceVersion, mode: str = "count", corrections: tuple[Correction, ...] = (), order_seed: int = 0
) -> CountedRun | LabFailure:
    """Run ``main()`` under the lab in ``mode`` (``count``, ``check`` or ``grade``), recording every launch; however it ends."""
    return await _run(replace(job, limits=replace(job.limits, whole_s=0.0)), version, mode, corrections, order_seed)


async def run_in_time(job: Job, version: SourceVersion, mode: str = "count") -> CountedRun | LabFailure:
    """As ``run_program``, but only in part where it takes longer than ``RunLimits.whole_s`` and not every block was asked to be counted.

    A program that was run in part has not failed, however it ended: what it did with its results does not count.
    """
    counted = await (_run(job, version, mode) if job.request.sample_blocks else run_program(job, version, mode))
    if isinstance(counted, LabFailure) or not counted.is_partial:
        return counted
    is_excused = counted.failure is not None and counted.failure.kind in _ENDINGS and bool(counted.profiles)
    return replace(counted, failure=None) if is_excused else counted


_ENDINGS = frozenset({"bad_status", "crashed", "timed_out"})
"""Kinds of failure that a run without right results may end in."""


async def _run(
    job: Job, version: SourceVersion, mode: str, corrections: tuple[Correction, ...] = (), order_seed: int = 0
) -> CountedRun | LabFailure:
    run = await job.lab.run(version.program, mode, job.limits, True, job.request.sample_blocks, corrections, order_seed)
    if isinstance(run, LabFailure):
        return run
    run = with_types(run, version)
    if run.emulated is not None:
        run = replace(run, emulated=with_types(run.emulated, version))
    kernels = _with_program_counts(group_by_kernel(version, run.profiles), run)
    return CountedRun(
        kernels=kernels,
        profiles=run.profiles,
        problems=run.problems,
        run=run,
        corrections=corrections,
        is_order_checked=mode != "count",
        failure=_failed(run, version, job.limits.wall_s),
    )


async def count_cases(
    job: Job,
    version: SourceVersion,
    cases: Sequence[Case],
    kernels: tuple[str, ...],
    mode: str = "count",
    corrections: tuple[Correction, ...] = (),
) -> CountedRun | LabFailure:
    """Replay declared cases in ``mode``; a case's weight becomes its launches' count. ``kernels``: those the cases start."""
    options = ReplayOptions(mode=mode, sample_blocks=job.request.sample_blocks, repeats=REPEATS, corrections=corrections)
    replayed = await job.lab.replay(replace(version.program, kernels=kernels), cases, options, job.limits)
    return replayed if isinstance(replayed, LabFailure) else counted_of(version, cases, replayed, options)


def counted_of(version: SourceVersion, cases: Sequence[Case], replayed: ReplayRun, options: ReplayOptions) -> CountedRun:
    """What a replay of ``cases`` with ``options`` showed."""
    replayed = _numbered(cases, replayed)
    profiles = tuple(p for run in replayed.cases for p in run.profiles)
    problems = tuple(problem for case in replayed.cases for problem in case.problems)
    repeated = tuple(known for case in replayed.cases for known in _repeatability(case))
    groups = _group_cases(version, cases, replayed)
    is_order_checked = options.mode != "count"
    return CountedRun(groups, profiles, problems, None, repeated, options.corrections, is_order_checked, cases=tuple(cases))


def group_by_kernel(version: SourceVersion, profiles: Sequence[LaunchProfile]) -> tuple[CountedKernel, ...]:
    """Launches of the version's selected kernels by instance and launch configuration, in source order."""
    return _grouped(version, [(profile, 1.0, "") for profile in profiles])


def _group_cases(version: SourceVersion, cases: Sequence[Case], replayed: ReplayRun) -> tuple[CountedKernel, ...]:
    """Launches by instance, configuration and declared shape."""
    weighted = [
        (profile, case.origin.weight, case.origin.shape)
        for case, run in zip(cases, replayed.cases, strict=True)
        for profile in run.profiles
    ]
    return _grouped(version, weighted)


def _numbered(cases: Sequence[Case], replayed: ReplayRun) -> ReplayRun:
    """Without the repeats' launches; the others numbered through all cases."""
    runs: list[CaseRun] = []
    first = 0
    for case, run in zip(cases, replayed.cases, strict=True):
        kept = run.profiles[: len(case.launches)]
        runs.append(replace(run, profiles=tuple(replace(profile, index=first + at) for at, profile in enumerate(kept))))
        first += len(kept)
    return replace(replayed, cases=tuple(runs))


def _repeatability(case: CaseRun) -> list[tuple[str, Repeatability]]:
    """Repeatability of each kernel of a case; where several differ together, any of them may have caused it."""
    instances = {profile.kernel for profile in case.profiles if not is_refused(profile)}
    if case.error is not None:
        found = FAILED
    elif case.repeat_difference is None:
        found = REPEATED
    else:
        found = VARYING if len(instances) == 1 else UNCLEAR
    return [(instance, found) for instance in sorted(instances)]


def _grouped(version: SourceVersion, weighted: Sequence[tuple[LaunchProfile, float, str]]) -> tuple[CountedKernel, ...]:
    by_instance: dict[str, dict[object, CountedLaunchGroup]] = {}
    for profile, weight, shape in weighted:
        if is_refused(profile):
            continue  # nothing ran, so there is nothing to count
        groups = by_instance.setdefault(profile.kernel, {})
        key = (profile.config, shape)
        known = groups.get(key)
        groups[key] = CountedLaunchGroup(profile, weight, shape) if known is None else replace(known, count=known.count + weight)
    counted = [
        CountedKernel(kernel, instance, tuple(sorted(groups.values(), key=lambda g: -g.profile.config.thread_count)))
        for instance, groups in by_instance.items()
        if (kernel := version.kernel_of(instance)) is not None and kernel in version.kernels
    ]
    return tuple(sorted(counted, key=lambda item: (version.kernels.index(item.kernel), item.instance)))


def _with_program_counts(kernels: tuple[CountedKernel, ...], run: ProgramRun) -> tuple[CountedKernel, ...]:
    """How often the whole program launched each shape, where only its first launches were counted."""
    if run.recording is None or run.launch_count <= len(run.profiles):
        return kernels
    counts = {(shape.kernel, shape.config): float(shape.count) for shape in run.recording.shape_counts}
    return tuple(
        replace(
            kernel,
            groups=tuple(replace(g, count=counts.get((kernel.instance, g.profile.config), g.count)) for g in kernel.groups),
        )
        for kernel in kernels
    )


def _failed(run: ProgramRun, version: SourceVersion, wall_s: float) -> LabFailure | None:
    """Why no other version can be held against a run of the user's program; None when it ended by itself with status 0."""
    last_words = run.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or [""]
    if run.left_out:
        return LabFailure("unsupported", _left_out(run), f"run it on a GPU, or declare launches: kernelopt init {version.source.path}")
    if run.timed_out:
        return LabFailure(
            "timed_out",
            f"the program did not end within {wall_s:g} s",
            "give it smaller arguments after --, or raise --timeout",
        )
    if run.memory_exceeded:
        return LabFailure("out_of_memory", "the program took more memory than a run may", "give it smaller arguments after --")
    if run.tasks_exceeded:
        return LabFailure("crashed", "the program started more processes and threads than a run may", "give it smaller arguments after --")
    if run.signal is not None:
        message = f"the program was ended by {run.signal}: {last_words[0]}".rstrip(": ")
        remedy = "make it run by itself first; kernelopt check shows what its kernels do wrong"
        return LabFailure("crashed", message, remedy, printed=last_words[0])
    if run.exit_status != 0:
        arguments = "" if version.program.arguments else "; it was given no arguments, pass them after --"
        message = f"the program ended with status {run.exit_status}: {last_words[0]}".rstrip(": ")
        return LabFailure("bad_status", message, f"make it succeed by itself first{arguments}", printed=last_words[0])
    return None


def _left_out(run: ProgramRun) -> str:
    kernels = [what for what in run.left_out if what != run.stopped_at]
    parts = [f"the program was stopped at {run.stopped_at}, which the emulator does not run"] if run.stopped_at else []
    parts += [f"not run by the emulator: {', '.join(kernels)}; what depends on it is not right"] if kernels else []
    return "; ".join(parts)

"""The original on all cases of the chosen kernels: the launches themselves, and what is made of them.

Of each kernel one launch, the largest, gives cases of every kind; its other recorded shapes are judged on their own values and on fresh
draws of them. Example::

    baseline = await prepare(job, evaluation, kernels, effort, second_run)
    len(baseline.cases), baseline.dropped_cases
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.cuda.struct_layouts import layout_named
from assistant.engine.evaluate import (
    CONFIRM_REPEATS,
    CountedRun,
    Effort,
    Evaluation,
    JudgedCase,
    captured_cases,
    declared_cases,
    facts_of_kernels,
    launched_recording,
    live_cases,
    version_facts,
    with_types,
)
from assistant.engine.job import Job
from assistant.engine.judge.baseline import Baseline
from assistant.engine.judge.budget import is_large
from assistant.engine.judge.case_runs import original_runs, with_references
from assistant.engine.judge.deriving import DerivedCases, Lead, bounded, cost_of, derive, redrawn
from assistant.engine.judge.sizes import observed_launches
from assistant.engine.source_version import SourceVersion
from assistant.model.recording import Recording
from assistant.model.workload import AutoTolerance, CaseKey
from assistant.ports.lab import LabFailure
from assistant.record import Record
from assistant.verify.evidence import SizeCoverage
from assistant.verify.labels import order_of
from assistant.workload.alignment import SHIFTED
from assistant.workload.recordings import NewCase, read_recording
from assistant.workload.resize import ObservedLaunch

__all__ = ["GatheredCases", "confirm_effort", "gather", "judged_recording", "prepare", "run_original", "with_tolerance"]


class GatheredCases(Record):
    """What the original is run on."""

    cases: tuple[JudgedCase, ...]
    dropped: tuple[str, ...]
    """Cases of our own making on which the original is not clean, with the reason."""
    notes: tuple[str, ...]
    """What was left out or made smaller."""
    sizes: SizeCoverage | None
    """None where no launch was recorded or bound."""


async def gather(job: Job, version: SourceVersion, recorded: CountedRun, kernels: frozenset[str], effort: Effort) -> GatheredCases:
    """Cases of the kernels (by key). Raises CannotAnswerError for an unusable workload block."""
    live = job.request.live
    given = captured_cases(version, recorded, kernels)
    given += live_cases(version, live, kernels) if live is not None else ()
    recordings = [recorded.recording] if recorded.recording is not None else []
    recordings += [read_recording(launched_recording(version, item) or item.recording) for item in live.cases] if live is not None else []
    made: list[DerivedCases] = []
    for each in _efforts(job, effort):
        for group in _by_instance(given):
            made += await _of_instance(job, version, group, recordings, each)
        for workload in version.declared:
            made += await _of_declared(job, version, declared_cases(version, workload, each), each)
    cases = _wanted([case for derived in made for case in derived.cases], frozenset(job.request.cases))
    dropped = tuple(reason for derived in made for reason in derived.dropped)
    notes = tuple(note for derived in made for note in derived.notes)
    return GatheredCases(cases, dropped, notes, _sizes(given, made, is_live=live is not None) if given else None)


async def _of_instance(
    job: Job, version: SourceVersion, group: Sequence[JudgedCase], recordings: Sequence[Recording], effort: Effort
) -> list[DerivedCases]:
    """What the launches of a kernel's instance give; of the smallest also shifted buffers where the largest leaves no time for them."""
    lead = max(group, key=lambda case: (case.new.origin.seed == 0, _size(case.new)))
    of_lead = await derive(job, version, Lead(lead, _observed(version, lead, recordings)), effort)
    others = [case for case in group if case is not lead]
    smallest = min(others, key=lambda case: _size(case.new), default=None)
    lacks_shifts = all(case.new.origin.kind != SHIFTED for case in of_lead.cases)
    made = {id(case): await redrawn(job, version, case, effort, is_shifted=lacks_shifts and case is smallest) for case in others}
    return [made.get(id(case), of_lead) for case in group]


def _efforts(job: Job, effort: Effort) -> list[Effort]:
    """One, or one for each seed of the cases that were asked for again: whichever of its seeds a case had, it has it there."""
    wanted = dict.fromkeys(key.seed for key in job.request.cases if key.seed)
    return [replace(effort, seeds=(seed,) * len(effort.seeds)) for seed in wanted] or [effort]


async def _of_declared(job: Job, version: SourceVersion, cases: Sequence[JudgedCase], effort: Effort) -> list[DerivedCases]:
    """The block's own draws, and other values on the largest shape that leaves time for many."""
    own = [DerivedCases((await bounded(job, version, case, effort),)) for case in cases]
    if not effort.is_confirming:
        return own
    small = [case for case in cases if not is_large(cost_of(case.new))]
    lead = max(small or cases, key=lambda case: _size(case.new))
    derived = await derive(job, version, Lead(lead, is_declared=True), effort)
    return [*own, replace(derived, cases=derived.cases[1:])]


def _by_instance(cases: Sequence[JudgedCase]) -> Iterator[list[JudgedCase]]:
    groups: dict[str, list[JudgedCase]] = {}
    for case in cases:
        groups.setdefault(case.new.recording.launches[0].kernel, []).append(case)
    return iter(groups.values())


def _size(case: NewCase) -> tuple[int, int]:
    cost = cost_of(case)
    return cost.threads, cost.size_bytes


def _observed(version: SourceVersion, case: JudgedCase, recordings: Sequence[Recording]) -> tuple[ObservedLaunch, ...]:
    instance, text = case.new.recording.launches[0].kernel, version.struct_text
    return tuple(observed_launches(recordings, instance, case.parameters[0], lambda name: layout_named(text, name)))


def _sizes(given: Sequence[JudgedCase], made: Sequence[DerivedCases], is_live: bool) -> SizeCoverage:
    own = tuple(dict.fromkeys(case.new.origin.shape for case in given))
    names = tuple(dict.fromkeys(name for derived in made for name in derived.size_names))
    modelled = frozenset(case.new.origin.shape for derived in made for case in derived.cases if _is_whole(case))
    return SizeCoverage(own, names, modelled, *(("arrays' own", "give --shapes") if is_live else ()))


def _wanted(cases: Sequence[JudgedCase], keys: frozenset[CaseKey]) -> tuple[JudgedCase, ...]:
    """Those of ``keys``, with those that they are made from and judged by; all without any key."""
    if not keys:
        return tuple(cases)
    known: dict[tuple[CaseKey, str], JudgedCase] = {}
    for case in cases:
        origin = case.new.origin
        if origin.key in keys or not origin.is_derived or _is_whole(case):
            known.setdefault((origin.key, case.new.recording.launches[0].kernel), case)
    return tuple(known.values())


def _is_whole(case: JudgedCase) -> bool:
    return case.resize is not None and case.resize.is_whole


_ROUGH_TOLERANCE = "the original's error is not fully known"
_OWN_RUNS = 3
"""Runs of the original on each case, where the order of threads may decide what it leaves: they show on which cases it does."""


def confirm_effort(job: Job) -> Effort:
    """Everything a confirmation does, on seeds that no screening has used."""
    return Effort(
        seeds=job.seeds[len(job.seeds) // 2 :],
        repeats=CONFIRM_REPEATS,
        mode="check",
        with_boundary=True,
        is_confirming=True,
    )


async def prepare(
    job: Job, original: Evaluation, kernels: frozenset[str], effort: Effort, second_run: CountedRun | None
) -> Baseline | LabFailure:
    """Run the original on the cases of the chosen kernels (by key), with what the tolerance is measured against."""
    ran = await run_original(job, original, kernels, effort, second_run)
    return ran if isinstance(ran, LabFailure) else await with_tolerance(job, ran)


async def with_tolerance(job: Job, baseline: Baseline) -> Baseline:
    """The baseline with the original's float64 values and its reaction to moved inputs, without which nothing can be judged."""
    prepared = await with_references(job, baseline.version, baseline.cases)
    caveats = (_ROUGH_TOLERANCE,) if prepared.missing else ()
    return replace(baseline, cases=prepared.cases, case_notes=(*baseline.case_notes, *prepared.missing), caveats=caveats)


async def run_original(
    job: Job, original: Evaluation, kernels: frozenset[str], effort: Effort, second_run: CountedRun | None
) -> Baseline | LabFailure:
    """The original on the cases of the chosen kernels (by key): enough to run a candidate on them, and not yet to judge it.

    Cases come from the recording that the request names, else from the second run's: made with every check on, it knows which memory a
    launch never reads before writing.
    """
    effort = replace(effort, checks_blocks=job.lab.timing is not None)
    version, counted = original.version, original.counted
    recorded = await asyncio.to_thread(_recorded, job, original, second_run)
    gathered = await gather(job, version, recorded, kernels, effort)
    facts = version_facts(version, original.assessment)
    judged = facts_of_kernels(facts, [kernel for kernel in version.parsed.kernels if kernel.key in kernels])
    seen = await original_runs(job, version, gathered.cases, effort, _OWN_RUNS if order_of(judged).is_any else 1)
    if isinstance(seen, LabFailure):
        return seen
    workload = version.declared[0] if version.declared else None
    return Baseline(
        version=version,
        kernels=kernels,
        counted=counted,
        recorded=recorded,
        facts=facts,
        effort=effort,
        cases=seen,
        second_run=second_run,
        tolerance=AutoTolerance() if workload is None else workload.tolerance,
        outputs=() if workload is None else workload.outputs,
        missing_checks=() if counted.recording is None else counted.recording.not_captured,
        case_notes=gathered.notes,
        dropped_cases=gathered.dropped,
        sizes=gathered.sizes,
    )


def judged_recording(job: Job, original: Evaluation, second_run: CountedRun | None) -> Path | None:
    """The recording that ``prepare`` makes cases of; None where all are declared, and their values come from their seeds.

    Of a notebook's arrays, the first shape's.
    """
    if job.request.live is not None:
        return job.request.live.cases[0].recording
    run = _last_run(original, second_run).run
    return None if run is None else run.recording_path


def _recorded(job: Job, original: Evaluation, second_run: CountedRun | None) -> CountedRun:
    """The run of the original whose launches are judged, with those of an earlier recording where the request names one."""
    last, path = _last_run(original, second_run), job.request.recording
    if path is None or last.run is None:
        return last
    run = with_types(replace(last.run, recording=read_recording(path), recording_path=path), original.version)
    return replace(last, run=run)


def _last_run(original: Evaluation, second_run: CountedRun | None) -> CountedRun:
    return original.counted if second_run is None or second_run.recording is None else second_run

"""Runs of both versions on the cases: with both fill patterns, repeated, with every check on, and the original's references."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from assistant.engine.evaluate import Effort, JudgedCase
from assistant.engine.job import Job
from assistant.engine.judge.at_once import called_off
from assistant.engine.judge.baseline import PerturbedCases, PreparedCase, buffer_facts, case_evidence
from assistant.engine.judge.budget import CHECKED_THREADS
from assistant.engine.judge.case_files import left_contents, written_cases
from assistant.engine.judge.references import find_references, perturbed_runs
from assistant.engine.judge.replaying import FloatReference, is_late, side_run, startable
from assistant.engine.source_version import SourceVersion
from assistant.engine.threads import in_thread
from assistant.model.workload import Case
from assistant.ports.lab import LabFailure, Program, ReplayOptions
from assistant.record import Record
from assistant.verify.evidence import SideRun
from assistant.verify.kinds import meaning_of
from assistant.verify.members import split_members
from assistant.verify.numbers import element_of
from assistant.verify.outputs import has_small_output
from assistant.verify.rules import need_tolerance
from assistant.workload.cancelling import CANCELLING
from assistant.workload.chosen_blocks import threads_run
from assistant.workload.recordings import NewCase

__all__ = ["OriginalRuns", "Task", "candidate_runs", "original_runs", "perturb", "task_of", "with_references"]

FILLS = (0xAB, 0x54)
"""Two patterns for memory whose contents are arbitrary: a result that depends on them shows as a difference."""
_DERIVED_LIMIT_S = 10.0
"""A case of our own making ran on the original in less."""
_FIRST_LIMIT_S = 2.0
"""What a candidate gets for such a case first on a GPU, which takes milliseconds: each that hangs costs a process and its context."""
_PATIENCE = 3.0
"""A version that takes so many times as long as the limit does not come to an end."""
_CHECK = "check"
_TIES = "halves"
_PERTURBED_BYTES = 1 << 20
"""A larger case has enough outputs to estimate the original's error from, where there are float64 values."""


class Task(Record):
    """One case as one side runs it."""

    new: NewCase
    fills: tuple[int, ...]
    """Patterns of memory whose contents are arbitrary: one run for each."""
    repeats: int
    is_checked: bool
    is_fresh: bool = False
    """The first runs begin in processes that have run no version before."""
    limit_s: float | None = None
    """For one run; None: as long as the user's program may take."""


async def perturb(job: Job, version: SourceVersion, items: Sequence[PreparedCase], known: PerturbedCases) -> None:
    """Run the original on perturbed inputs of those of ``items`` that can be perturbed, and keep the runs in ``known``.

    Where the lab cannot run them, their bounds stay as they are.
    """
    moving = [item for item in items if item.can_be_perturbed]
    perturbed, _ = await perturbed_runs(job, version, [item.case for item in moving], [True] * len(moving))
    for item, runs in zip(moving, perturbed, strict=True):
        known.keep(item, runs)


class OriginalRuns(Record):
    """Every case with what the original left on it."""

    cases: tuple[PreparedCase, ...]
    missing: tuple[str, ...]
    """What the tolerance lacks, and why: it is narrower than it might be."""


async def original_runs(
    job: Job, version: SourceVersion, cases: Sequence[JudgedCase], effort: Effort, least_runs: int = 1
) -> tuple[PreparedCase, ...] | LabFailure:
    """What the original leaves on the cases, and nothing yet that a tolerance is measured against. ``least_runs``: of each case."""
    tasks = [task_of(case, case.new, effort) for case in cases]
    tasks = [replace(task, repeats=max(task.repeats, least_runs), limit_s=_beside_others(job, task.limit_s)) for task in tasks]
    known = [case.checked if task.is_checked else None for case, task in zip(cases, tasks, strict=True)]
    tasks = [task if checked is None else replace(task, is_checked=False) for task, checked in zip(tasks, known, strict=True)]
    runs = await side_runs(job, version, tasks)
    if isinstance(runs, LabFailure):
        return runs
    runs = [side if checked is None else (*side, checked) for side, checked in zip(runs, known, strict=True)]
    return tuple(PreparedCase(case, side, FloatReference(), ()) for case, side in zip(cases, runs, strict=True))


def _beside_others(job: Job, limit_s: float | None) -> float | None:
    """The limit of a run by the clock, with patience where a GPU may do other work of ours meanwhile."""
    is_shared = job.lab.timing is not None and job.lab.at_once > 1
    return limit_s if limit_s is None or not is_shared else _PATIENCE * limit_s


async def with_references(job: Job, version: SourceVersion, seen: Sequence[PreparedCase]) -> OriginalRuns:
    """The cases with the original's float64 values on them and its reaction to moved inputs. ``seen``: what it leaves there is known."""
    cases, runs, text = [item.case for item in seen], [item.original for item in seen], version.struct_text
    declared = version.declared[0].outputs if version.declared else ()
    rounded = await in_thread(_need_tolerance, seen, text, declared)
    references, no_references = await find_references(job, version, cases, rounded)
    moving = [
        is_rounded and _is_perturbed(case, side, reference, text)
        for case, side, reference, is_rounded in zip(cases, runs, references, rounded, strict=True)
    ]
    later = [
        is_moving and job.lab.timing is None and not _is_shown_by_perturbing(case, reference)
        for case, reference, is_moving in zip(cases, references, moving, strict=True)
    ]
    now = [is_moving and not is_later for is_moving, is_later in zip(moving, later, strict=True)]
    perturbed, not_perturbed = await perturbed_runs(job, version, cases, now)
    prepared = [PreparedCase(*each) for each in zip(cases, runs, references, perturbed, later, strict=True)]
    return OriginalRuns(tuple(prepared), tuple(reason for reason in (no_references, not_perturbed) if reason is not None))


def _need_tolerance(seen: Sequence[PreparedCase], text: str, declared: tuple[str, ...]) -> list[bool]:
    return need_tolerance(tuple(split_members(case_evidence(item, (), text)) for item in seen), declared)


async def side_runs(
    job: Job, version: SourceVersion, tasks: Sequence[Task], plain_limit_s: float | None = None
) -> list[tuple[SideRun, ...]] | LabFailure:
    """Per case its runs: one per fill pattern, the first repeated, and one with every check on. Behind a run come those of its repeats
    that left something else, as far as the lab keeps them: each must be right, and all show how far results spread. ``plain_limit_s``: for
    runs without checks of cases that have a limit."""
    if not tasks:
        return []
    replays = _Replays(job, startable(version.program, [task.new for task in tasks]), tasks, plain_limit_s)
    await replays.write()
    found: list[list[SideRun]] = [[] for _ in tasks]
    batches = _batches(tasks, is_check_bounded=job.lab.timing is not None)
    begun = _begun_checks(job, replays, batches)
    try:
        for batch in batches:
            late = [index for index, side in enumerate(found) if _is_late(tuple(side))]
            if late and begun is not None:
                await called_off(begun)
                begun = None
            explained = late[:1] if batch.mode == _CHECK else []  # by checks; none of them is waited for again otherwise
            chosen = [index for index in batch.chosen if index not in late or index in explained]
            if not chosen:
                continue
            is_fresh = tasks[0].is_fresh and not any(found)
            is_begun = batch.mode == _CHECK and begun is not None
            answers = await begun if is_begun and begun is not None else await replays.of(batch, chosen, is_fresh=is_fresh)
            if isinstance(answers, LabFailure):
                return answers
            for index, runs in zip(chosen, answers, strict=True):
                found[index].extend(runs)
    finally:
        if begun is not None:
            await called_off(begun)
    return [tuple(runs) for runs in found]


class _Replays:
    """One version on the cases of its tasks, by batches."""

    def __init__(self, job: Job, program: Program, tasks: Sequence[Task], plain_limit_s: float | None) -> None:
        self._job = job
        self._program = program
        self._cases = [task.new for task in tasks]
        self._written: tuple[Case, ...] = ()
        self._plain_limit_s = plain_limit_s

    async def write(self) -> None:
        """Before anything is replayed."""
        self._written = await written_cases(self._job.scratch, self._cases)

    async def of(self, batch: _Batch, chosen: Sequence[int], *, is_fresh: bool = False) -> list[tuple[SideRun, ...]] | LabFailure:
        """Of each case of ``chosen`` its run, and those of its repeats that left something else."""
        options = ReplayOptions(mode=batch.mode, fill=batch.fill, repeats=batch.repeats, is_fresh=is_fresh)
        limits = self._job.limits
        if batch.limit_s is not None:
            plain = [self._plain_limit_s] if self._plain_limit_s is not None and batch.mode == "plain" else []
            limits = replace(limits, wall_s=min(limits.wall_s, batch.limit_s, *plain))
        replayed = await self._job.lab.replay(self._program, [self._written[index] for index in chosen], options, limits)
        if isinstance(replayed, LabFailure):
            return replayed
        contents = await left_contents(replayed, self._cases)
        return [
            (
                side_run(run, contents, batch.fill),
                *(SideRun(contents.of(left), None, batch.fill, is_repeat=True) for left in run.varied),
            )
            for run in replayed.cases
        ]


_Answers = list[tuple[SideRun, ...]] | LabFailure


def _begun_checks(job: Job, replays: _Replays, batches: Sequence[_Batch]) -> asyncio.Task[_Answers] | None:
    """Runs with checks, begun next to plain ones where a GPU has those alone; a case that does not come to its end there calls them off."""
    checks = [batch for batch in batches if batch.mode == _CHECK]
    if len(checks) != 1 or batches[0].mode == _CHECK or job.lab.timing is None or job.lab.at_once == 1:
        return None
    return asyncio.create_task(replays.of(checks[0], checks[0].chosen))


async def candidate_runs(job: Job, version: SourceVersion, tasks: Sequence[Task]) -> list[tuple[SideRun, ...]] | LabFailure:
    """As ``side_runs``; a case that does not end in its time gets more of it, since a machine may be busy: what the original did in time
    is no fault of a version that is somewhat slower. Where the first such case does not end then either, the others do not, too."""
    runs = await side_runs(job, version, tasks, None if job.lab.timing is None else _FIRST_LIMIT_S)
    if isinstance(runs, LabFailure):
        return runs
    slow = [index for index, (task, side) in enumerate(zip(tasks, runs, strict=True)) if task.limit_s is not None and _is_late(side)]
    for chosen in (slow[:1], slow[1:]):
        patient = [replace(tasks[index], limit_s=_PATIENCE * (tasks[index].limit_s or 0.0)) for index in chosen]
        again = await side_runs(job, version, patient)
        if isinstance(again, LabFailure):
            return again
        for index, side in zip(chosen, again, strict=True):
            runs[index] = side
        if any(_is_late(side) for side in again):
            break
    return runs


def _is_late(side: tuple[SideRun, ...]) -> bool:
    return any(is_late(run.error) for run in side)


def task_of(case: JudgedCase, new: NewCase, effort: Effort) -> Task:
    """What is run of the case, for the side that runs ``new`` on it."""
    is_checked = case.is_checked and effort.mode == "check" and (effort.checks_blocks or _is_checkable(new))
    return Task(new, _fills(case), case.repeats, is_checked, effort.is_fresh, _DERIVED_LIMIT_S if new.origin.is_derived else None)


def _is_perturbed(case: JudgedCase, original: Sequence[SideRun], reference: FloatReference, text: str) -> bool:
    """Whether the original also runs on inputs moved by one unit in the last place: where few errors are seen, or none without it.

    On values that are chosen to lose digits the original's own error is the measure, where float64 values give it: what a moved input
    does to the result is what such values are chosen for. Ties moved are no ties, and large values moved cancel no longer.
    """
    if case.new.origin.kind == CANCELLING:
        return False
    facts, meaning = buffer_facts(case, text), meaning_of(case.new.origin.kind)
    is_chosen_to_lose = meaning is not None and meaning.is_numeric
    if not is_chosen_to_lose and sum(len(one.before) for one in facts) <= _PERTURBED_BYTES:
        return True
    has_doubles = any(element_of(one.element_type, len(one.before)).name.startswith("double") for one in facts)
    is_needed = has_doubles or not reference.values or has_small_output(facts, tuple(original))
    return is_needed and case.new.origin.kind != _TIES


def _is_shown_by_perturbing(case: JudgedCase, reference: FloatReference) -> bool:
    """Whether runs on moved inputs alone show if the original keeps its digits on values that are chosen to lose them."""
    meaning = meaning_of(case.new.origin.kind)
    return meaning is not None and meaning.is_numeric and not reference.values


class _Batch(Record):
    """Cases that are replayed with the same options."""

    mode: str
    fill: int
    repeats: int
    limit_s: float | None
    chosen: tuple[int, ...]
    """Indices of tasks."""


def _batches(tasks: Sequence[Task], *, is_check_bounded: bool) -> list[_Batch]:
    """Repeated runs first, then runs with checks, then those with the other fill pattern. ``is_check_bounded``: the lab itself limits runs
    with checks, so that they are asked for together: its tools then look at some cases while the emulator has others."""
    first, second = FILLS
    wanted: dict[tuple[str, int, int, float | None], list[int]] = {}
    for index, task in enumerate(tasks):
        wanted.setdefault(("plain", first, task.repeats, task.limit_s), []).append(index)
    for index, task in enumerate(tasks):
        if task.is_checked:
            wanted.setdefault((_CHECK, first, 1, None if is_check_bounded else task.limit_s), []).append(index)
    for index, task in enumerate(tasks):
        if second in task.fills:
            wanted.setdefault(("plain", second, 1, task.limit_s), []).append(index)
    return [_Batch(*options, tuple(chosen)) for options, chosen in wanted.items()]


def _is_checkable(case: NewCase) -> bool:
    return max(threads_run(launch) for launch in case.recording.launches) <= CHECKED_THREADS


def _fills(case: JudgedCase) -> tuple[int, ...]:
    return FILLS if any(buffer.is_poisoned for buffer in case.new.recording.buffers) else FILLS[:1]

"""Runs of both versions on the cases: with both fill patterns, repeated, with every check on, and the original's references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant.engine.cases import Effort, JudgedCase, write_cases
from assistant.engine.ids import new_id
from assistant.engine.job import Job
from assistant.engine.references import FloatReference, LeftContents, find_references, perturbed_runs, side_run, startable
from assistant.engine.subject import Subject
from assistant.ports import LabFailure, ReplayOptions
from assistant.verify.cases import PROBE_KINDS
from assistant.verify.evidence import SideRun
from assistant.workload.recordings import NewCase

__all__ = ["PreparedCase", "fills", "original_runs", "side_runs", "without_broken_probes"]

FILLS = (0xAB, 0x54)
"""Two patterns for memory whose contents are arbitrary: a result that depends on them shows as a difference."""
_CHECKED_THREADS = 1 << 20
"""Launches above this run without race and bounds checks in a replay: the program-wide check run covers what it can."""
_PROBE_WALL_S = 10.0
"""A case of our own making that keeps the original busy for longer is not worth it: it may well run for ever."""


@dataclass(frozen=True)
class PreparedCase:
    """A case with everything the original left behind on it."""

    case: JudgedCase
    original: tuple[SideRun, ...]
    reference: FloatReference
    perturbed: tuple[SideRun, ...]


async def without_broken_probes(
    job: Job, subject: Subject, cases: tuple[JudgedCase, ...]
) -> tuple[tuple[JudgedCase, ...], tuple[str, ...]]:
    """The cases but for probes on which the original fails or does not come to an end soon, and these in words."""
    probes = [case.new for case in cases if case.new.origin.kind in PROBE_KINDS]
    if not probes:
        return cases, ()
    limits = replace(job.limits, wall_s=min(job.limits.wall_s, _PROBE_WALL_S))
    written = write_cases(job.scratch / new_id("K"), probes)
    replayed = await job.lab.replay(startable(subject, probes), written, ReplayOptions(), limits)
    errors = ["not tried"] * len(probes) if isinstance(replayed, LabFailure) else [run.error for run in replayed.cases]
    broken = [(probe, error) for probe, error in zip(probes, errors, strict=True) if error is not None]
    kept = tuple(case for case in cases if not any(case.new is probe for probe, _ in broken))
    return kept, tuple(f"{probe.origin.kind} {probe.origin.shape}: the original does not run: {error}" for probe, error in broken)


async def original_runs(job: Job, subject: Subject, cases: Sequence[JudgedCase], effort: Effort) -> tuple[PreparedCase, ...] | LabFailure:
    runs = await side_runs(job, subject, [case.new for case in cases], effort, [fills(case) for case in cases])
    if isinstance(runs, LabFailure):
        return runs
    references = await find_references(job, subject, cases)
    perturbed = await perturbed_runs(job, subject, cases)
    prepared = [
        PreparedCase(case, side, reference, moved) for case, side, reference, moved in zip(cases, runs, references, perturbed, strict=True)
    ]
    return tuple(prepared)


async def side_runs(
    job: Job, subject: Subject, cases: Sequence[NewCase], effort: Effort, patterns: Sequence[tuple[int, ...]]
) -> list[tuple[SideRun, ...]] | LabFailure:
    """Per case its runs: one per fill pattern, the first repeated, and one with every check on. Behind a run come those of its repeats
    that left something else, as far as the lab keeps them: each must be right, and all show how far results spread."""
    if not cases:
        return []
    program = startable(subject, cases)
    written = write_cases(job.scratch / new_id("K"), cases)
    found: list[list[SideRun]] = [[] for _ in cases]
    for fill in FILLS:
        batches = _batches(cases, effort, [index for index in range(len(cases)) if fill in patterns[index]], fill)
        for mode, count, chosen in batches:
            if not chosen:
                continue
            is_first = not any(found)
            options = ReplayOptions(mode=mode, fill=fill, repeats=count, is_fresh=effort.is_fresh and is_first)
            replayed = await job.lab.replay(program, [written[index] for index in chosen], options, job.limits)
            if isinstance(replayed, LabFailure):
                return replayed
            contents = LeftContents(replayed.blobs)
            for index, run in zip(chosen, replayed.cases, strict=True):
                found[index].append(side_run(run, contents, fill))
                found[index].extend(SideRun(contents.of(left), None, fill, is_repeat=True) for left in run.varied)
    return [tuple(runs) for runs in found]


def _batches(cases: Sequence[NewCase], effort: Effort, chosen: list[int], fill: int) -> list[tuple[str, int, list[int]]]:
    """(mode, repeats, indices of cases) of the runs with one fill pattern; probes are not repeated."""
    probes = [index for index in chosen if cases[index].origin.kind in PROBE_KINDS]
    others = [index for index in chosen if index not in probes]
    if fill != FILLS[0]:
        return [("plain", 1, chosen)]
    batches = [("plain", effort.repeats, others), ("plain", 1, probes)]
    if effort.mode == "check":
        batches.append(("check", 1, [index for index, case in enumerate(cases) if _is_checkable(case)]))
    return batches


def _is_checkable(case: NewCase) -> bool:
    return max(launch.config.thread_count for launch in case.recording.launches) <= _CHECKED_THREADS


def fills(case: JudgedCase) -> tuple[int, ...]:
    return FILLS if any(buffer.is_poisoned for buffer in case.new.recording.buffers) else FILLS[:1]

"""Arrays that a person has in a notebook as a workload: replayed and counted like recorded launches, held against their own function.

A live case is a recording of one launch (`LiveCase`), so that everything behind the first count is as for captured launches; what is
special is here. Example::

    counted = await count_live(job, version, request.live, "check")
    differences(counted)       # problems of kind "differs_from_reference"
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.engine.evaluate.assessment import REPEATS, CountedRun
from assistant.engine.evaluate.cases import launched_recording, live_case, said_bytes, under_own_name
from assistant.engine.evaluate.counting import counted_of
from assistant.engine.job import Job
from assistant.engine.source_version import SourceVersion
from assistant.model.elements import parse_element_type
from assistant.model.profile import Correction, Problem
from assistant.model.workload import LiveCase, LiveWorkload
from assistant.ports.lab import CaseRun, LabFailure, ReplayOptions
from assistant.verify.agreement import disagreement
from assistant.workload.recordings import RecordingReader

__all__ = ["DIFFERS", "count_live", "differences"]

_Place = tuple[str, str, int]
"""Kind, file and line of a problem."""
_FRESH_ALONE = "not on your own values, but on fresh ones, drawn at up to 8 times theirs"
_BEYOND = "out_of_bounds"
DIFFERS = "differs_from_reference"
"""``Problem.kind`` of a kernel that does not compute what the user's own function computes."""


async def count_live(
    job: Job, version: SourceVersion, live: LiveWorkload, mode: str = "count", corrections: tuple[Correction, ...] = ()
) -> CountedRun | LabFailure:
    """Replay the cases that have a weight, under ``check`` all of them, and hold the results against the reference."""
    chosen = [item for item in live.cases if item.weight > 0 or mode == "check"]
    folders = [launched_recording(version, item) for item in chosen]
    cases = [replace(live_case(item), recording=folder) for item, folder in zip(chosen, folders, strict=True) if folder is not None]
    if len(cases) < len(chosen):
        message = "the launch that the first line of the text gives cannot be worked out for the arrays"
        return LabFailure("unsupported", message, "give grid and block in numbers and parameters of the kernel")
    names = tuple(sorted({RecordingReader(case.recording).recording.launches[0].kernel for case in cases}))
    options = ReplayOptions(mode=mode, sample_blocks=job.request.sample_blocks, repeats=REPEATS, corrections=corrections)
    replayed = await job.lab.replay(replace(version.program, kernels=names), cases, options, job.limits)
    if isinstance(replayed, LabFailure):
        return replayed
    beyond = next(filter(None, map(_beyond_the_emulator, replayed.cases)), None)
    if beyond is not None:
        return beyond
    foreign = _foreign(chosen, replayed.cases)
    kept = [index for index in range(len(chosen)) if index not in foreign]
    chosen, cases = [chosen[index] for index in kept], [cases[index] for index in kept]
    replayed = replace(replayed, cases=_marked_if_fresh(chosen, [replayed.cases[index] for index in kept]))
    found = tuple(_differences_from_reference(version, live, chosen, replayed.cases, replayed.blobs))
    counted = counted_of(version, cases, replayed, options)
    return replace(counted, problems=(*counted.problems, *found), left_out=tuple(foreign.values()))


def _beyond_the_emulator(run: CaseRun) -> LabFailure | None:
    """Of a case that ended at what the emulator does not run, such as a library: nothing is known of it, right or wrong."""
    unsupported = next((problem for problem in run.problems if problem.kind == "unsupported"), None)
    if run.error is None or unsupported is None:
        return None
    line = f"; line {unsupported.line}" if unsupported.line else ""
    return LabFailure("unsupported", f"{unsupported.message}{line}", "check it on a GPU, or write that part without the library")


def _foreign(items: Sequence[LiveCase], runs: Sequence[CaseRun]) -> dict[int, str]:
    """Draws that are no input of the kernel, by index, with a sentence about each: their values are larger than the person's own, and on
    them alone it leaves its arrays (a histogram of values from 0 to 1 has no bin for 5).

    Draws within the range of the person's own values are never among them.
    """
    pairs = tuple(zip(items, runs, strict=True))
    within = frozenset(_place(problem) for item, run in pairs if not _is_beyond_own(item) for problem in run.problems)
    found: dict[int, str] = {}
    for index, (item, run) in enumerate(pairs):
        beyond = [problem for problem in run.problems if problem.kind == _BEYOND]
        if _is_beyond_own(item) and beyond and not within.intersection(map(_place, beyond)):
            place = f"line {beyond[0].line}: {beyond[0].message}"
            values = f"values of {_named(item)} other than your zeros" if item.drawn else f"values up to {item.scale:g} times your own"
            found[index] = (
                f"not checked: {values} at {item.shape}. On them the kernel leaves its arrays, so they "
                f"are taken for none of its inputs ({place}). If it can be given such values, guard the index"
            )
    return found


def _is_beyond_own(item: LiveCase) -> bool:
    """Whether it holds values outside the range of the person's."""
    return item.scale > 1.0 or bool(item.drawn)


def _named(item: LiveCase) -> str:
    return ", ".join(item.drawn)


def _marked_if_fresh(items: Sequence[LiveCase], runs: Sequence[CaseRun]) -> tuple[CaseRun, ...]:
    """With a word where a defect shows on fresh values alone: those may be none that the kernel is ever given."""
    pairs = tuple(zip(items, runs, strict=True))
    own = frozenset(_place(problem) for item, run in pairs if item.seed == 0 for problem in run.problems)

    def marked(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
        return tuple(p if _place(p) in own else replace(p, message=f"{p.message}; {_FRESH_ALONE}") for p in problems)

    def of_fresh(run: CaseRun) -> CaseRun:
        profiles = tuple(replace(profile, problems=marked(profile.problems)) for profile in run.profiles)
        return replace(run, problems=marked(run.problems), profiles=profiles)

    return tuple(run if item.seed == 0 else of_fresh(run) for item, run in pairs)


def _place(problem: Problem) -> _Place:
    return problem.kind, problem.file, problem.line


def differences(counted: CountedRun) -> tuple[Problem, ...]:
    """Where the kernel differs from the user's own function."""
    return tuple(problem for problem in counted.problems if problem.kind == DIFFERS)


def _differences_from_reference(
    version: SourceVersion, live: LiveWorkload, items: Sequence[LiveCase], runs: Sequence[CaseRun], blobs: Path
) -> Iterator[Problem]:
    """One problem for each output and case in which the kernel differs."""
    for item, run in zip(items, runs, strict=True):
        if run.error is not None:
            continue  # reported already
        reader, after = RecordingReader(item.recording), dict(run.after)
        launch = reader.recording.launches[0]
        own = under_own_name(version, launch)
        kernel = None if own is None else version.kernel_of(own.kernel)
        types = {buffer.id: buffer.element_type for buffer in reader.recording.buffers}
        for one in item.reference:
            element = parse_element_type(types[one.buffer] or "")
            if element is None or one.buffer not in after:
                continue
            said = reader.blob(one.blob)
            left = (blobs / after[one.buffer]).read_bytes()[one.offset_bytes :][: said_bytes(said, element)]
            found = disagreement(left, said, element)
            if found is not None:
                where = item.shape if item.seed == 0 else f"{item.shape}, fresh values"
                where += f" of {_named(item)} (yours are zeros alone)" if item.drawn else ""
                message = f"{one.name}{found}; {live.reference or 'reference'} at {where}"
                line = 0 if kernel is None else kernel.line
                yield Problem(DIFFERS, message, str(version.source.path), line, None, None, None, None, None, 1)

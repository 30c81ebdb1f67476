"""A comparison in every program that has the file: each judges it by itself, and the worst verdict is that of the whole.

Example::

    sides = read_all(judging_programs(request, loaded), flags, sides_in)
    ending = await compare_everywhere(job, sides, is_strict)     # FAIL where one of them fails
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.config import find_workspace, load_settings
from assistant.cuda.changes import changes_of
from assistant.engine.asked_function import settle_region
from assistant.engine.compared_files import Sides
from assistant.engine.every_program import judging_programs
from assistant.engine.job import CANNOT_ANSWER, Ending, Job
from assistant.engine.judge import ComparisonResult, Verdict, compare, compare_ending, verdict_event
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest, about_texts
from assistant.engine.running import flags_of
from assistant.engine.search import NotOffered
from assistant.engine.source_version import SourceVersion, candidate_of
from assistant.errors import KernelOptError
from assistant.model.build import Flags
from assistant.model.comparison import SpeedOutcome, format_ratio
from assistant.model.profile import Severity
from assistant.model.source import Source
from assistant.model.verification import Outcome, VerificationFinding
from assistant.record import Record

__all__ = ["NamedSides", "compare_everywhere", "judged_elsewhere", "read_all", "read_sides"]


SidesIn = Callable[[JobRequest, SourceVersion], Sides]
"""What is compared in one program, by the request in it and the file's version there."""


class NamedSides(Record):
    """Both sides in one program."""

    program: str
    request: JobRequest
    sides: Sides


def read_all(programs: Sequence[tuple[str, JobRequest]], flags: Flags, sides: SidesIn) -> tuple[NamedSides, ...]:
    """Both sides in each program. Raises UsageError, with the nearest names, where speeds are asked of a function that none defines."""
    made = tuple(read_sides(name, each, flags, sides) for name, each in programs)
    first = programs[0][1]
    if first.region is not None and all(each.request.region is None for each in made):
        settle_region(first, read_version(first, flags), None)
    return made


def read_sides(name: str, request: JobRequest, flags: Flags, sides: SidesIn) -> NamedSides:
    """Both sides in the program ``name``, which may not have the function that speeds are asked of: what differs is judged in it then."""
    settled = settle_region(replace(request, region=None, usual_region=request.region), read_version(request, flags), None)
    return NamedSides(name, settled.request, sides(settled.request, settled.version))


async def compare_everywhere(job: Job, sides: Sequence[NamedSides], is_strict: bool) -> Ending:
    """Compare in each program, one after another; the worst verdict is reported once more, last, as that of the whole."""
    results: list[tuple[NamedSides, ComparisonResult]] = []
    for each in sides:
        job.say(Severity.INFORMATION, f"in the program {each.program}:")
        results.append((each, await compare(replace(job, request=each.request), each.sides.a, each.sides.b, is_strict)))
    lacking = next(((each, result) for each, result in results if result.whole is None), None)
    failing = next((each for each, result in results if any(verdict.is_failure for verdict in result.verdicts)), None)
    judged = [(each, result.whole) for each, result in results if result.whole is not None]
    if judged:
        where, worst = max(judged, key=lambda one: _badness(one[1]))
        a, b = sides[0].sides.a.source.sha256, sides[0].sides.b.source.sha256
        verification = replace(worst.verification, findings=_found_in(where.program, worst.verification.findings))
        job.emit(verdict_event(job, a, b, replace(worst, kernel=None, verification=verification)))
    if failing is None and lacking is not None:
        each, result = lacking
        return Ending(result.ending.exit_code or CANNOT_ANSWER, f"in the program {each.program}: {result.ending.reason}")
    ending = compare_ending([(verdict.verification, verdict.speed) for _, result in results for verdict in result.verdicts], is_strict)
    return ending if failing is None else replace(ending, reason=f"{ending.reason} in the program {failing.program}")


async def judged_elsewhere(job: Job, before: SourceVersion, after: SourceVersion) -> tuple[VerificationFinding, ...] | NotOffered:
    """What a person has to decide on in other programs, by their names; nothing where no other program is to judge the edit."""
    changes = changes_of(before.sources, after.sources)
    try:
        others = await asyncio.to_thread(_others, job, before, tuple(change.before for change in changes), [c.after for c in changes])
    except KernelOptError as error:
        return NotOffered(f"it could not be judged in every program: {error.message}")
    findings: list[VerificationFinding] = []
    for other in others:
        job.say(Severity.INFORMATION, f"in the program {other.program}:")
        result = await compare(replace(job, request=other.request), other.sides.a, other.sides.b, is_strict=False)
        reason = _against(result)
        if reason is not None:
            return NotOffered(f"in the program {other.program} {reason}")
        findings += _found_in(other.program, _to_decide(result))
    return tuple(findings)


def _others(job: Job, before: SourceVersion, old: tuple[Source, ...], new: list[Source]) -> tuple[NamedSides, ...]:
    request = job.request
    loaded = load_settings(find_workspace(request.file))
    programs = judging_programs(about_texts(request, old), loaded)
    flags = flags_of(request, loaded)
    own = {source.path for source in before.program.sources}
    sides = (read_sides(name, each, flags, lambda _, version: Sides(version, candidate_of(version, new))) for name, each in programs)
    return tuple(side for side in sides if {source.path for source in side.sides.a.program.sources} != own)


def _against(result: ComparisonResult) -> str | None:
    """Why the edit is not offered; None where nothing speaks against it."""
    whole = result.whole
    if whole is None:
        return f"it could not be judged: {result.ending.reason}"
    failing = next((found for verdict in result.verdicts for found in verdict.verification.findings if found.outcome is Outcome.FAIL), None)
    if failing is not None or any(verdict.is_failure for verdict in result.verdicts):
        return "it is wrong" if failing is None else f"it is wrong: {failing.message}"
    if whole.speed is not None and whole.speed.outcome is SpeedOutcome.SLOWER:
        return f"it is {whole.speed.outcome.value} {format_ratio(whole.speed.ratio)}x"
    return None


def _to_decide(result: ComparisonResult) -> list[VerificationFinding]:
    return [found for verdict in result.verdicts for found in verdict.verification.findings if found.outcome is Outcome.NEEDS_DECISION]


def _found_in(program: str, findings: Sequence[VerificationFinding]) -> tuple[VerificationFinding, ...]:
    return tuple(replace(found, message=f"in the program {program}: {found.message}") for found in findings)


def _badness(whole: Verdict) -> tuple[int, float]:
    """Worst verdict first, then the least gain."""
    return whole.verification.outcome.severity, 0.0 if whole.speed is None else -whole.speed.ratio

"""A comparison in every program that has the file: each judges it by itself, and the worst verdict is that of the whole.

Example::

    requests = in_programs(request, flags)                       # one for each program
    ending = await compare_everywhere(job, sides, is_strict)     # FAIL where one of them fails
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.engine.asked_function import settle_region
from assistant.engine.compared_files import Sides
from assistant.engine.job import CANNOT_ANSWER, Ending, Job
from assistant.engine.judge import ComparisonResult, Verdict, compare, compare_ending, verdict_event
from assistant.engine.programs import programs_of
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.source_version import SourceVersion
from assistant.model.build import Flags
from assistant.model.profile import Severity
from assistant.model.program import ProgramSearch
from assistant.model.verification import Outcome
from assistant.record import Record

__all__ = ["NamedSides", "compare_everywhere", "in_programs", "read_sides"]

_ORDER = (Outcome.PASS, Outcome.NEEDS_DECISION, Outcome.FAIL)


SidesIn = Callable[[JobRequest, SourceVersion], Sides]
"""What is compared in one program, by the request in it and the file's version there."""


class NamedSides(Record):
    """Both sides in one program."""

    program: str
    request: JobRequest
    sides: Sides


def in_programs(request: JobRequest, flags: Flags) -> tuple[tuple[str, JobRequest], ...]:
    """The request in each program that has its file, by the program's name. Raises CannotAnswerError where that cannot be read."""
    found = programs_of(request, flags).search.found
    return tuple((program.name, replace(request, programs=ProgramSearch((program,)))) for program in found)


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
    judged = [result for _, result in results if result.whole is not None]
    if judged:
        worst = max(judged, key=_badness)
        assert worst.whole is not None
        a, b = sides[0].sides.a.source.sha256, sides[0].sides.b.source.sha256
        job.emit(verdict_event(job, a, b, replace(worst.whole, kernel=None)))
    if failing is None and lacking is not None:
        each, result = lacking
        return Ending(result.ending.exit_code or CANNOT_ANSWER, f"in the program {each.program}: {result.ending.reason}")
    ending = compare_ending([(verdict.verification, verdict.speed) for result in judged for verdict in result.verdicts], is_strict)
    return ending if failing is None else replace(ending, reason=f"{ending.reason} in the program {failing.program}")


def _badness(result: ComparisonResult) -> tuple[int, float]:
    """Worst verdict first, then the least gain."""
    whole: Verdict | None = result.whole
    assert whole is not None
    return _ORDER.index(whole.verification.outcome), 0.0 if whole.speed is None else -whole.speed.ratio

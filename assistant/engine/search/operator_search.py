"""The search on a PyTorch operator goes on from a version that is right; what it finds is judged against PyTorch before it is offered.

The version's launcher is called by a program (``operators/launcher_program.py``), so that candidates are built, counted, replayed and
predicted as those of any other program are. What was confirmed there goes through the judge of operators, as another program would.
"""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path

from assistant.engine.job import DONE, Ending, Job
from assistant.engine.operators import FirstVersion, JudgeOperator, OperatorPair, as_program, operator_candidate
from assistant.engine.request import JobRequest, OperatorOptions
from assistant.engine.search.elsewhere import JudgeElsewhere, NotOffered
from assistant.engine.source_version import SourceVersion, as_candidate
from assistant.errors import KernelOptError
from assistant.model.profile import Severity
from assistant.model.verification import CannotJudge, Outcome, Verification, VerificationFinding
from assistant.operators.call_program import NoProgram
from assistant.operators.task import Task
from assistant.ports.lab import LabFailure

__all__ = ["OpenSearch", "judged_as_operator", "search_operator"]

OpenSearch = Callable[[JobRequest, JudgeElsewhere], Callable[[Job, SourceVersion], Awaitable[Ending]]]
"""The search on the file of a request as the body of a job; and who judges once more what it confirmed."""
ReadVersion = Callable[[JobRequest], SourceVersion]


async def search_operator(
    job: Job,
    first: FirstVersion,
    options: OperatorOptions,
    folder: Path,
    read: ReadVersion,
    judge: JudgeOperator,
    open_search: OpenSearch,
) -> Ending:
    """How the job ends. The first version stays, whatever comes of the search. ``folder``: for its program."""
    found = await as_program(job, first.pair, options, folder)
    if isinstance(found, LabFailure | NoProgram):
        why = found.reason if isinstance(found, NoProgram) else found.message
        return _unsearched(job, first, why)
    try:
        version = as_candidate(read(found))
    except KernelOptError as error:
        return _unsearched(job, first, error.message)
    search = open_search(found, judged_as_operator(first.pair.task, options, judge))
    ending = await search(replace(job, request=found), version)
    joined = "; " if ending.exit_code == DONE else "; nothing better was found: "
    return replace(first.ending, reason=f"{first.ending.reason}{joined}{ending.reason}")


def judged_as_operator(task: Task, options: OperatorOptions, judge: JudgeOperator) -> JudgeElsewhere:
    """Holds an edited launcher against the task's reference."""
    numbers = itertools.count()

    async def judged(job: Job, before: SourceVersion, after: SourceVersion) -> tuple[VerificationFinding, ...] | NotOffered:
        scratch = job.scratch / f"as_operator_{next(numbers)}"
        scratch.mkdir()
        try:
            candidate = operator_candidate(after.source)
        except KernelOptError as error:
            return NotOffered(f"it is no candidate for {task.name} any more: {error.message}")
        found = await judge(replace(job, scratch=scratch), OperatorPair(task, candidate), options)
        if isinstance(found, LabFailure):
            return NotOffered(f"it could not be judged against {task.name}: {found.message}")
        if isinstance(found.result, CannotJudge):
            return NotOffered(f"it could not be judged against {task.name}: {found.result.reason}")
        if found.result.outcome is Outcome.FAIL:
            return NotOffered(f"it is not what {task.name} computes: {_first_failure(found.result)}")
        return tuple(_to_decide(found.result))

    return judged


def _unsearched(job: Job, first: FirstVersion, why: str) -> Ending:
    job.say(Severity.WARNING, f"{first.pair.candidate.source.path.name} is not searched on: {why}")
    return first.ending


def _first_failure(result: Verification) -> str:
    return next((finding.message for finding in result.findings if finding.outcome is Outcome.FAIL), "it fails")


def _to_decide(result: Verification) -> Iterator[VerificationFinding]:
    return (finding for finding in result.findings if finding.outcome is Outcome.NEEDS_DECISION)

"""What the judge of operators found of a candidate, and how it is reported."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from assistant.engine.job import CANNOT_ANSWER, DONE, NO, Ending, Job
from assistant.engine.judge import Verdict, verdict_event
from assistant.engine.operators.reading import OperatorPair
from assistant.engine.request import OperatorOptions
from assistant.model.comparison import Comparison, speed_in_words
from assistant.model.profile import Severity
from assistant.model.source import Source
from assistant.model.verification import CannotJudge, Outcome, Verification, VerificationResult, verdict_in_words
from assistant.ports.lab import LabFailure
from assistant.record import Record

__all__ = ["JudgeOperator", "JudgedOperator", "reported_operator"]


class JudgedOperator(Record):
    """A verdict, and where there was a GPU the speed over eager PyTorch."""

    result: VerificationResult
    speed: Comparison | None
    no_time: str
    """Why there is no speed, where there is none."""


def reported_operator(job: Job, pair: OperatorPair, options: OperatorOptions, found: JudgedOperator | LabFailure) -> Ending:
    """How the job ends with it."""
    if isinstance(found, LabFailure):
        return job.failed(found)
    if isinstance(found.result, CannotJudge):
        job.say(Severity.ERROR, found.result.reason, found.result.remedy)
        return Ending(CANNOT_ANSWER, "cannot judge the candidate")
    return _reported(job, pair, options, found.result, found.speed, found.no_time)


def _reported(
    job: Job, pair: OperatorPair, options: OperatorOptions, result: Verification, speed: Comparison | None, no_time: str
) -> Ending:
    verdict = Verdict(pair.task.name, result, speed, ())
    before = Source(pair.task.path, pair.task.text)
    job.emit(verdict_event(job, before.sha256, pair.candidate.source.sha256, verdict))
    if result.outcome is Outcome.FAIL:
        return Ending(NO, f"FAIL: {pair.candidate.source.path.name} does not do what {pair.task.name} does")
    is_open = options.is_strict and result.outcome is Outcome.NEEDS_DECISION
    words = no_time if speed is None else f"{speed_in_words(speed.outcome, speed.ratio, speed.caveats)} than eager"
    return Ending(NO if is_open else DONE, f"{verdict_in_words(result.outcome, result.caveats)}, {words}")


JudgeOperator = Callable[[Job, OperatorPair, OperatorOptions], Awaitable[JudgedOperator | LabFailure]]
"""The one judge of operators: ``judging.judged_operator``."""

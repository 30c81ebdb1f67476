"""How much faster is an edit whose verdict is known? Both versions run once more, and all that the request's Region does is timed.

Example::

    result = await compare_verified(job, original, accepted, proposal.verification)
    result.whole      # None where the Region has no speed of its own: `compare` asks each kernel for its own
"""

from __future__ import annotations

from assistant.engine.evaluate import Evaluation, evaluate
from assistant.engine.job import CANNOT_ANSWER, Ending, Job, Stopwatch
from assistant.engine.judge.compared import ComparisonResult, Verdict, hashes_of, verdict_event
from assistant.engine.judge.ending import compare_ending
from assistant.engine.judge.program_speed import speed_of_program, why_not_asked
from assistant.engine.judge.timing_verdict import Speed
from assistant.engine.source_version import SourceVersion
from assistant.model.profile import Severity
from assistant.model.verification import Verification
from assistant.ports.lab import LabFailure

__all__ = ["compare_verified"]


async def compare_verified(job: Job, a: SourceVersion, b: SourceVersion, verification: Verification) -> ComparisonResult:
    """``verification``: of these very texts, confirmed; nothing of it is repeated."""
    watch = Stopwatch(job, "build")
    watch.begin("counts what both versions do")
    before = await evaluate(job, a)
    if isinstance(before, LabFailure):
        return ComparisonResult(job.failed(before), failure=before)
    after = await evaluate(job, b, first_evidence=before.next_evidence)
    watch.end("both versions built and counted")
    if isinstance(after, LabFailure):
        return ComparisonResult(job.failed(after), before=before, failure=after)
    return await _timed(job, before, after, verification)


async def _timed(job: Job, before: Evaluation, after: Evaluation, verification: Verification) -> ComparisonResult:
    watch = Stopwatch(job, "confirm")
    watch.begin("all that the program does on the device")
    speed = await speed_of_program(job, before, after) or Speed(None)
    watch.end("the whole program")
    for note in speed.notes:
        job.say(Severity.WARNING, note)
    if speed.comparison is None:
        reason = why_not_asked(job, before, after) or "no speed of the whole program could be judged"
        return ComparisonResult(Ending(CANNOT_ANSWER, reason), before=before, after=after)
    evidence = tuple(fact for item in (*before.assessment.kernels, *after.assessment.kernels) for fact in item.evidence)
    verdict = Verdict(None, verification, speed.comparison, evidence)
    job.emit(verdict_event(job, *hashes_of(before.version, after.version), verdict))
    ending = compare_ending([(verification, speed.comparison)], is_strict=False)
    return ComparisonResult(ending, (verdict,), before=before, after=after)

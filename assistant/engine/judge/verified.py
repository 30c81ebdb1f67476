"""How much faster are edits whose verdicts are known? Both versions run once more, and all that the request's Region does is timed.

Several edits were each verified on the version that the one before it left: what reaches the host is then compared for all of them
together, as no verdict has seen that. Example::

    result = await compare_verified(job, original, accepted, [proposal.verification])
    result.whole      # None where the Region has no speed of its own: `compare` asks each kernel for its own
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.engine.evaluate import Evaluation, evaluate, repeat_limited, repeat_run
from assistant.engine.job import CANNOT_ANSWER, Ending, Job, Stopwatch
from assistant.engine.judge.compared import ComparisonResult, Verdict, hashes_of, verdict_event
from assistant.engine.judge.ending import compare_ending
from assistant.engine.judge.preparing import confirm_effort, run_original
from assistant.engine.judge.program_speed import speed_of_program, why_not_asked
from assistant.engine.judge.timing_verdict import Speed
from assistant.engine.judge.whole_program import program_verdict
from assistant.engine.source_version import SourceVersion
from assistant.engine.threads import in_thread
from assistant.model.profile import Severity
from assistant.model.verification import Verification, verified_in_turn
from assistant.ports.lab import LabFailure

__all__ = ["compare_verified"]


async def compare_verified(job: Job, a: SourceVersion, b: SourceVersion, verifications: Sequence[Verification]) -> ComparisonResult:
    """``verifications``: of each of the edits that make B of A, in turn, confirmed; nothing of them is repeated. No answer where several
    give the host other results than A does."""
    watch = Stopwatch(job, "build")
    watch.begin("counts what both versions do")
    before = await evaluate(job, a)
    if isinstance(before, LabFailure):
        return ComparisonResult(job.failed(before), failure=before)
    after = await evaluate(job, b, first_evidence=before.next_evidence)
    watch.end("both versions built and counted")
    if isinstance(after, LabFailure):
        return ComparisonResult(job.failed(after), before=before, failure=after)
    if len(verifications) > 1 and not await _gives_the_host_the_same(job, before, after):
        reason = "what reaches the host is not the same with all edits together, or cannot be compared"
        return ComparisonResult(Ending(CANNOT_ANSWER, reason), before=before, after=after)
    return await _timed(job, before, after, verified_in_turn(verifications))


async def _gives_the_host_the_same(job: Job, before: Evaluation, after: Evaluation) -> bool:
    """Whether B's run leaves what A's does, within what A's own runs differ by and the tolerance."""
    repeat = repeat_limited if after.version.program.is_candidate else repeat_run
    again = await repeat(job, before.version, before.counted)
    if again is None or isinstance(again, LabFailure):
        return False
    ran = await run_original(job, before, frozenset(), confirm_effort(job), again)
    verdict = None if isinstance(ran, LabFailure) else await in_thread(program_verdict, ran, after.version, after.counted)
    return verdict is not None and not verdict.findings


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

"""The verdict of a candidate's edit: of its kernels one by one, and where these are right together alone, of its program as a whole.

`compare` asks the same, kernel by kernel, with the speed of each. Example::

    verification = await verify_edit(job, before, baseline, evaluation, stated_labels)
"""

from __future__ import annotations

from dataclasses import replace

from assistant.engine.evaluate import Evaluation
from assistant.engine.job import Job
from assistant.engine.judge.baseline import Baseline
from assistant.engine.judge.judging import verify
from assistant.engine.judge.moved import divided_results, may_be_moved, moved_work, right_as_a_whole, right_by_its_sums
from assistant.model.verification import Verification, VerificationResult
from assistant.ports.lab import LabFailure
from assistant.verify.evidence import DetectedLabel

__all__ = ["verify_edit"]


async def verify_edit(
    job: Job, before: Evaluation, baseline: Baseline, after: Evaluation, stated_labels: tuple[DetectedLabel, ...] = ()
) -> VerificationResult | LabFailure:
    """As `verify`, of the edit that makes ``after`` of ``before``, whose kernels ``baseline`` has run."""
    verdict = await verify(job, baseline, after, stated_labels)
    if not isinstance(verdict, Verification) or not may_be_moved(verdict):
        return verdict
    divided, reason = divided_results(before, after, verdict), moved_work(before, after)
    if not divided and reason is None:
        return verdict
    launched = frozenset(kernel.key for kernel in before.launched_kernels)
    program = replace(baseline, cases=(), dropped_cases=(), sizes=None, caveats=(), kernels=launched)
    whole = await verify(job, program, after, stated_labels)
    if isinstance(whole, LabFailure):
        return whole
    return right_by_its_sums(verdict, whole, divided) if divided else right_as_a_whole(verdict, whole, reason or "")

"""What the judge found, as the few facts that a reward is made of. Pure.

Example::

    judgement_of(result, is_host_same=True).outcome      # Outcome.PASS
    judgement_of_events(log).outcome                     # of a PyTorch task
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.agents.tasks.reward import Judgement, Reason
from assistant.engine.judge import FOREIGN_READING, NOT_PREPROCESSED, ComparisonResult, UnjudgedKernel, is_same_machine_code, speed_report
from assistant.model import events
from assistant.model.verification import Outcome, Unjudgeable

__all__ = ["judgement_of", "judgement_of_events"]

_INTERNAL = 4


def judgement_of(result: ComparisonResult, *, is_host_same: bool) -> Judgement:
    """``is_host_same``: whether the edit leaves host code as it is; an edit of it is no unchanged program."""
    answer = result.ending.reason
    refusal = _refusal(result)
    if refusal is not None:
        return Judgement(None, answer, refusal=refusal)
    whole = result.whole
    is_failure = any(verdict.is_failure for verdict in result.verdicts)
    if whole is None or result.ending.exit_code == _INTERNAL or (result.unjudged and not is_failure):
        why = result.unjudged[0].reason if result.unjudged else answer
        return Judgement(None, why, is_judged_in_part=whole is not None and not is_failure)
    findings = dict.fromkeys(finding for verdict in result.verdicts for finding in verdict.verification.findings)
    labels = dict.fromkeys(label.value for verdict in result.verdicts for label in verdict.verification.labels)
    light = [verdict.light_ratio for verdict in result.verdicts if verdict.speed is not None and verdict.kernel is not None]
    return Judgement(
        outcome=Outcome.FAIL
        if is_failure
        else max((v.verification.outcome for v in result.verdicts), key=lambda outcome: outcome.severity),
        answer=answer,
        findings=tuple(findings),
        labels=tuple(labels),
        speed=None if whole.speed is None else speed_report(whole.speed),
        light_ratio=light[0] if len(light) == 1 else None,
        is_unchanged=is_host_same
        and result.before is not None
        and result.after is not None
        and is_same_machine_code(result.before, result.after),
    )


def judgement_of_events(log: Sequence[events.Event]) -> Judgement:
    """Of a job that reports one verdict."""
    ended = next((event for event in reversed(log) if isinstance(event, events.JobEnded)), None)
    answer = "the job did not come to an end" if ended is None else ended.reason
    made = next((event for event in reversed(log) if isinstance(event, events.ComparisonMade)), None)
    if made is None or ended is None or ended.exit_code == _INTERNAL:
        return Judgement(None, answer)
    return Judgement(made.verification.outcome, answer, made.verification.findings, made.verification.labels, made.speed)


def _refusal(result: ComparisonResult) -> Reason | None:
    """What the judge refused of the edit itself; None for what the original, the machine or the workload is at fault for."""
    failure = result.failure
    if failure is not None and failure.kind in {FOREIGN_READING, NOT_PREPROCESSED}:
        return Reason(failure.kind, failure.message)
    parted = next((one for one in result.unjudged if _is_of_edit(one)), None)
    return None if parted is None else Reason(Unjudgeable.SEVERAL_PROGRAMS.value, parted.reason)


def _is_of_edit(unjudged: UnjudgedKernel) -> bool:
    return unjudged.code is Unjudgeable.SEVERAL_PROGRAMS

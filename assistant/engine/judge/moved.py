"""Kernels that differ one by one and are right together: an edit may move work to another kernel, or to a copy or fill of the host's.

Only the whole program can show it. So where it leaves the same on the host, such a difference is left to a person, and all launches of both
versions are added up for the speed. Example::

    reason = moved_work(before, after)                  # "several kernels are edited"
    verdict = right_as_a_whole(verdict, whole, reason)  # NEEDS_DECISION in place of FAIL
"""

from __future__ import annotations

from dataclasses import replace

from assistant.engine.evaluate import Evaluation
from assistant.engine.judge.changes import edited_kernels
from assistant.model.verification import Label, Outcome, Verification, VerificationFinding, VerificationResult
from assistant.workload.added_work import added_launches, added_operations

__all__ = ["may_be_moved", "moved_work", "right_as_a_whole"]

_OF_OTHERS = frozenset(
    {
        "wrong_value",
        "nan_position",
        "not_written",
        "wrote_outside_outputs",
        "untyped_value",
        "unread_value",
        "uninitialised_read",
    }
)
"""Finding codes of values that a launch by itself leaves, or finds."""


def moved_work(before: Evaluation, after: Evaluation) -> str | None:
    """Where a kernel's work can have gone; None where the edit leaves it no place."""
    if len(edited_kernels(before.version, after.version)) > 1:
        return "several kernels are edited"
    recordings = [evaluation.counted.recording for evaluation in (before, after)]
    if any(recording is None for recording in recordings):
        return None
    a, b = recordings
    assert a is not None and b is not None
    added = (*added_launches(a, b), *added_operations(a, b))
    if added:
        return f"B adds {', '.join(added)}"
    left_out = added_operations(b, a)
    return f"B leaves out {', '.join(left_out)}" if left_out else None


def may_be_moved(verdict: Verification) -> bool:
    """Whether all that is wrong can be the work of something else in the new program."""
    failed = {finding.code for finding in verdict.findings if finding.outcome is Outcome.FAIL}
    return verdict.outcome is Outcome.FAIL and failed <= _OF_OTHERS


def right_as_a_whole(verdict: Verification, whole: VerificationResult, reason: str) -> Verification:
    """``verdict`` of one kernel, in the light of the whole program's: it stays where that is wrong, too, or not known."""
    first = verdict.failure
    if not isinstance(whole, Verification) or whole.outcome is Outcome.FAIL or first is None:
        return verdict
    message = f"right only together with the rest of the edit ({reason}): by itself the kernel leaves other values; {first.message}"
    decided = VerificationFinding("moved_work", Outcome.NEEDS_DECISION, message, first.kernel, first.line, first.case, first.buffer)
    others = tuple(finding for finding in verdict.findings if finding.outcome is not Outcome.FAIL)
    labels = tuple(dict.fromkeys((*verdict.labels, *whole.labels, Label.ASSUMPTION)))
    caveats = tuple(dict.fromkeys((*verdict.caveats, *whole.caveats)))
    return replace(
        verdict,
        outcome=Outcome.NEEDS_DECISION,
        findings=tuple(dict.fromkeys((decided, *others, *whole.findings))),
        labels=labels,
        caveats=caveats,
    )

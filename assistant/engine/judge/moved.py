"""Kernels that differ one by one and are right together: an edit may move work to another kernel, or to a copy or fill of the host's.

Only the whole program can show it. So where it leaves the same on the host, such a difference is left to a person, and all launches of both
versions are added up for the speed. Example::

    reason = moved_work(before, after)                  # "several kernels are edited"
    verdict = right_as_a_whole(verdict, whole, reason)  # NEEDS_DECISION in place of FAIL

An edit may also have each block do another part of the work, and leave another partial sum for the host to add up: then the program says
what is right, as where they are another number; as many of them only where another kernel goes on from them, so that the host may not know
one from another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.engine.evaluate import Evaluation
from assistant.engine.judge.block_results import divided_otherwise, handed_on
from assistant.engine.judge.changes import edited_kernels
from assistant.model.verification import Label, Outcome, Verification, VerificationFinding, VerificationResult
from assistant.workload.added_work import added_launches, added_operations

__all__ = ["divided_results", "judged_as_a_whole", "may_be_moved", "moved_work", "right_as_a_whole", "right_by_its_sums"]

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


def divided_results(before: Evaluation, after: Evaluation, verdict: Verification) -> tuple[str, ...]:
    """Names of the results of blocks that are all that is wrong, where B's blocks share the work otherwise; none where anything else is."""
    recordings = before.counted.recording, after.counted.recording
    found = (results(before.version, after.version, *recordings) for results in (divided_otherwise, handed_on))
    kernels = ((before.version.kernel_of(instance), places) for each in found for instance, places in each.items())
    names = {kernel.parameters[place].name for kernel, places in kernels if kernel is not None for place in places}
    wrong = {finding.buffer for finding in verdict.findings if finding.outcome is Outcome.FAIL}
    return tuple(sorted(names)) if wrong and wrong <= names else ()


def judged_as_a_whole(verdict: Verification, whole: VerificationResult, divided: Sequence[str], reason: str) -> Verification:
    """A kernel's verdict in the light of the whole program's. ``divided``: as of `divided_results`; ``reason``: as of `moved_work`."""
    return right_by_its_sums(verdict, whole, divided) if divided else right_as_a_whole(verdict, whole, reason)


def right_by_its_sums(verdict: Verification, whole: VerificationResult, names: Sequence[str]) -> Verification:
    """The whole program's verdict in the place of a kernel's whose blocks share the work otherwise, with what else was found of the kernel;
    the kernel's own where the program is wrong."""
    if not isinstance(whole, Verification) or whole.outcome is Outcome.FAIL:
        return verdict
    reason = f"B's blocks share the work otherwise, and each leaves a part of {' and '.join(names)}"
    others = tuple(finding for finding in verdict.findings if finding.outcome is not Outcome.FAIL)
    findings = tuple(dict.fromkeys((*others, *whole.findings)))
    return replace(
        whole,
        outcome=max((whole.outcome, *(finding.outcome for finding in others)), key=lambda outcome: outcome.severity),
        findings=findings,
        missing_checks=(*whole.missing_checks, f"kernel-level replay: {reason}; only what reaches the host was compared"),
        labels=tuple(dict.fromkeys((*verdict.labels, *whole.labels))),
        caveats=tuple(dict.fromkeys((*verdict.caveats, *whole.caveats))),
    )


def right_as_a_whole(verdict: Verification, whole: VerificationResult, reason: str) -> Verification:
    """``verdict`` of a kernel, in the light of the whole program's: it stays where that is wrong, too, or not known."""
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

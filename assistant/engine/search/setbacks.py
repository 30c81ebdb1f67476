"""Why a candidate was not kept, as whoever wrote it needs to know it. Pure.

Seeds are never told, so that no edit can be written for the values it is judged on. What a candidate printed is never told either: with
the right to edit host code it could print what no prompt may hold. Example::

    setback_of(trial)     # Setback(kind=SetbackKind.BUILD, reason="nvcc does not compile k.cu: line 7: …", …)
"""

from __future__ import annotations

from dataclasses import replace

from assistant.engine.proposals.records import Tried
from assistant.model.attempt import Attempt
from assistant.model.plan import Setback, SetbackKind, TriedBefore
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Outcome, VerificationFinding

__all__ = ["attempted_before", "setback_of", "tried_before"]

_KINDS = {
    TrialOutcome.BUILD_FAILED: SetbackKind.BUILD,
    TrialOutcome.FAILED: SetbackKind.WRONG_ANSWER,
    TrialOutcome.NOT_BETTER: SetbackKind.NOT_FASTER,
}
"""Outcomes of candidates that another edit may mend; what a person or the workload refuses is no such thing."""
_PRINTED = "wrong_output"
"""Code of the finding that quotes what a program printed."""


def setback_of(tried: Tried) -> Setback | None:
    """None where the candidate was kept, or where no other edit would fare better."""
    kind = _KINDS.get(tried.outcome)
    if kind is None:
        return None
    launches = tuple(launch for item in tried.after for launch in item.launches)
    return Setback(
        kind=kind,
        reason=_told(tried),
        text=tried.text,
        diagnostics=tried.diagnostics,
        findings=() if tried.verification is None else tuple(map(_unprinted, tried.verification.findings)),
        cases=() if tried.verification is None else tried.verification.cases,
        problems=tuple(dict.fromkeys(problem for launch in launches for problem in launch.profile.problems)),
        evidence=tuple(fact for item in tried.after for fact in item.evidence),
        ratio=tried.ratio,
        profiles=tuple(launch.profile for launch in launches),
        resources=next((item.resources for item in tried.after), None),
    )


def tried_before(tried: Tried) -> TriedBefore:
    """The candidate in a line, for the next plan."""
    return TriedBefore(tried.step.technique, tried.step.line, tried.rewrite.summary, tried.outcome, _told(tried), tried.ratio)


def attempted_before(attempt: Attempt) -> TriedBefore:
    """The same of a candidate of an earlier job, whose own words memory does not tell apart."""
    reason = "it failed its verification" if attempt.outcome is TrialOutcome.FAILED else attempt.reason
    ratio = None if attempt.comparison is None else attempt.comparison.ratio
    return TriedBefore(attempt.technique, attempt.line, attempt.summary, attempt.outcome, reason, ratio)


def _told(tried: Tried) -> str:
    """The reason without what the candidate printed."""
    findings = () if tried.verification is None else tried.verification.findings
    first = next((finding for finding in findings if finding.outcome is Outcome.FAIL), None)
    if first is not None and first.message == tried.reason:
        return _unprinted(first).message
    return tried.reason.replace(tried.printed, "…") if tried.printed else tried.reason


def _unprinted(finding: VerificationFinding) -> VerificationFinding:
    if finding.code != _PRINTED:
        return finding
    return replace(finding, message="the program prints something else", expected=None, actual=None)

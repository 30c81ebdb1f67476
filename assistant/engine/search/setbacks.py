"""Why a candidate was not kept, as its writer needs to know it. Pure.

Seeds are never shown, so that no edit can be written for the values it is judged on. What a candidate printed is shown where it edits
device code alone: with the right to edit host code it could print what no prompt may hold. Example::

    setback_of(trial)     # Setback(kind=SetbackKind.BUILD, reason="nvcc does not compile k.cu: line 7: …", …)
"""

from __future__ import annotations

from dataclasses import replace

from assistant.engine.search.trials import Trial
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
"""Outcomes of candidates that another edit may repair; what a person or the workload refuses is no such thing."""
_PRINTED = "wrong_output"
"""Code of the finding that quotes what a program printed."""


def setback_of(trial: Trial) -> Setback | None:
    """None where the candidate was kept, or where no other edit would fare better."""
    kind = _KINDS.get(trial.outcome)
    if kind is None:
        return None
    launches = tuple(launch for item in trial.after for launch in item.launches)
    return Setback(
        kind=kind,
        reason=_reason_for_planners(trial),
        text=trial.text,
        others=trial.others,
        diagnostics=trial.diagnostics,
        findings=() if trial.verification is None else tuple(_showable(trial, found) for found in trial.verification.findings),
        cases=() if trial.verification is None else trial.verification.cases,
        problems=tuple(dict.fromkeys(problem for launch in launches for problem in launch.profile.problems)),
        evidence=tuple(fact for item in trial.after for fact in item.evidence),
        ratio=trial.ratio,
        profiles=tuple(launch.profile for launch in launches),
        resources=next((item.resources for item in trial.after), None),
    )


def tried_before(trial: Trial) -> TriedBefore:
    """The candidate in a line, for the next plan."""
    return TriedBefore(
        trial.step.technique, trial.step.line, trial.rewrite.summary, trial.outcome, _reason_for_planners(trial), trial.ratio
    )


def attempted_before(attempt: Attempt) -> TriedBefore:
    """The same of a candidate of an earlier job, whose own words memory cannot tell apart."""
    reason = "it failed its verification" if attempt.outcome is TrialOutcome.FAILED else attempt.reason
    ratio = None if attempt.comparison is None else attempt.comparison.ratio
    return TriedBefore(attempt.technique, attempt.line, attempt.summary, attempt.outcome, reason, ratio)


def _reason_for_planners(trial: Trial) -> str:
    """The reason, without what the candidate printed where that could be anything."""
    findings = () if trial.verification is None else trial.verification.findings
    first = next((finding for finding in findings if finding.outcome is Outcome.FAIL), None)
    if first is not None and first.message == trial.reason:
        return _showable(trial, first).message
    return trial.reason.replace(trial.printed, "…") if trial.printed and trial.has_host_code else trial.reason


def _showable(trial: Trial, finding: VerificationFinding) -> VerificationFinding:
    if finding.code != _PRINTED or not trial.has_host_code:
        return finding
    return replace(finding, message="the program prints something else", expected=None, actual=None)

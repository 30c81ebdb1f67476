"""Why a candidate was not kept, as its writer needs to know it. Pure.

Seeds are never shown, so that no edit can be written for the values it is judged on. What a candidate printed is shown whole where it
edits device code alone: with the right to edit host code it could print what no prompt may hold, and only what its writer knows is shown
(`printed`). Example::

    setback_of(trial)     # Setback(kind=SetbackKind.BUILD, reason="nvcc does not compile k.cu: line 7: …", …)
"""

from __future__ import annotations

from dataclasses import replace

from assistant.cuda.changed_items import changed_items
from assistant.engine.search.printed import with_known_words, words_of
from assistant.engine.search.trials import SearchNode, Trial
from assistant.engine.source_version import SourceVersion
from assistant.model.attempt import Attempt
from assistant.model.plan import AttemptSummary, Setback, SetbackKind
from assistant.model.source import Source
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Label, Outcome, Verification, VerificationFinding
from assistant.verify.kinds import meaning_of

__all__ = [
    "only_here",
    "reason_for_planners",
    "setback_of",
    "setback_of_attempt",
    "setback_of_confirmation",
    "summary_of_attempt",
    "summary_of_trial",
]

_KINDS = {
    TrialOutcome.BUILD_FAILED: SetbackKind.BUILD,
    TrialOutcome.FAILED: SetbackKind.WRONG_ANSWER,
    TrialOutcome.NOT_BETTER: SetbackKind.NOT_FASTER,
}
"""Outcomes of candidates that another edit may repair; what a person or the workload refuses is no such thing."""
_PRINTED = "wrong_output"
"""Code of the finding that quotes what a program printed."""


def setback_of(trial: Trial, deferred: frozenset[Label] = frozenset()) -> Setback | None:
    """None where no other edit would fare better; of a kept candidate what it is wrong on, unless that is ``deferred``."""
    kind = _KINDS.get(trial.outcome)
    if trial.outcome is TrialOutcome.KEPT and trial.verification is not None and only_here(trial.verification, deferred):
        kind = SetbackKind.ONLY_HERE
    if trial.untuned and (kind is None or kind is SetbackKind.NOT_FASTER) and trial.ratio is not None:
        kind = SetbackKind.UNTUNED
    if kind is None:
        return None
    launches = tuple(launch for item in trial.after for launch in item.launches)
    return Setback(
        kind=kind,
        reason=trial.untuned if kind is SetbackKind.UNTUNED else _with_tuning(trial, reason_for_planners(trial)),
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


def _with_tuning(trial: Trial, reason: str) -> str:
    return f"{reason}; besides, {trial.untuned}" if trial.untuned else reason


def setback_of_attempt(attempt: Attempt) -> Setback | None:
    """The same of a candidate of an earlier job, as far as memory has it."""
    kind = _KINDS.get(attempt.outcome)
    return None if kind is None else Setback(kind, summary_of_attempt(attempt).reason, attempt.text)


def setback_of_confirmation(node: SearchNode, kind: SetbackKind, reason: str, verification: Verification) -> Setback:
    """Of a kept version that did not hold when it was judged on fresh values with every check."""
    has_host_code = node.has_host_code
    step, rewrite = node.kept[-1].step, node.kept[-1].rewrite
    trial = Trial("", step, rewrite, node.text, node.others, verification=verification, has_host_code=has_host_code)
    findings = tuple(_showable(trial, found) for found in verification.findings)
    is_printed = has_host_code and any(found.code == _PRINTED and found.message in reason for found in verification.findings)
    shown = "the program prints something else on fresh values" if is_printed else reason
    return Setback(kind, shown, node.text, others=node.others, findings=findings, cases=verification.cases)


def only_here(verification: Verification, deferred: frozenset[Label] = frozenset()) -> tuple[VerificationFinding, ...]:
    """What says that an edit is right on the program's own sizes and values alone, unless a person put that decision off."""
    if verification.outcome is not Outcome.NEEDS_DECISION or Label.ASSUMPTION in deferred:
        return ()
    return tuple(found for found in verification.findings if _is_only_here(found, verification))


def _is_only_here(found: VerificationFinding, verification: Verification) -> bool:
    if found.outcome is not Outcome.NEEDS_DECISION or found.case is None or found.case >= len(verification.cases):
        return False
    meaning = meaning_of(verification.cases[found.case].kind)
    return meaning is not None and meaning.label is Label.ASSUMPTION


def summary_of_trial(trial: Trial, before: SourceVersion) -> AttemptSummary:
    """The candidate in a line, and all that it changed of ``before``, for the next plan."""
    known = {file.source.path: file.source.text for file in before.files}
    after = (Source(before.source.path, trial.text), *trial.others)
    code = "\n\n".join(part for source in after for part in changed_items(known.get(source.path, ""), source.text))
    reason = reason_for_planners(trial)
    return AttemptSummary(trial.step.technique, trial.step.line, trial.rewrite.summary, trial.outcome, reason, trial.ratio, code)


def summary_of_attempt(attempt: Attempt) -> AttemptSummary:
    """The same of a candidate of an earlier job, whose own words memory cannot tell apart."""
    reason = "it failed its verification" if attempt.outcome is TrialOutcome.FAILED else attempt.reason
    code = "\n\n".join(changed_items(attempt.parent_text, attempt.text))
    return AttemptSummary(attempt.technique, attempt.line, attempt.summary, attempt.outcome, reason, attempt.ratio, code)


def reason_for_planners(trial: Trial) -> str:
    """The reason, without what the candidate printed where that could be anything."""
    first = None if trial.verification is None else trial.verification.failure
    if first is not None and first.message == trial.reason:
        return _showable(trial, first).message
    if not (trial.printed and trial.has_host_code):
        return trial.reason
    return trial.reason.replace(trial.printed, with_known_words(trial.printed, _known_words(trial)))


def _showable(trial: Trial, finding: VerificationFinding) -> VerificationFinding:
    if finding.code != _PRINTED or not trial.has_host_code:
        return finding
    known = _known_words(trial) | words_of(finding.expected or "")
    actual = None if finding.actual is None else with_known_words(finding.actual, known)
    return replace(finding, message="the program prints something else", actual=actual)


def _known_words(trial: Trial) -> frozenset[str]:
    """What stands in the candidate's texts, which its writer has seen or written."""
    return frozenset[str]().union(*(words_of(text) for text in (trial.text, *(source.text for source in trial.others))))

"""The verdict: PASS, NEEDS_DECISION or FAIL with findings, or that this evidence cannot judge. Pure.

Order of questions: does the original itself run clean; do the controls fail; does B do the same; what must a human know. Cases on
which a control passes can still show that B is wrong, never that it is right.

Example::

    match judge(evidence):
        case CannotJudge(reason=reason): ...
        case Verification(outcome=Outcome.PASS): ...
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assistant.model.verification import (
    CannotJudge,
    CaseResult,
    Label,
    Outcome,
    Unjudgeable,
    Verification,
    VerificationFinding,
    VerificationResult,
)
from assistant.verify.cases import UsableCases, usable_cases
from assistant.verify.evidence import DetectedLabel, JudgeEvidence
from assistant.verify.judged_case import case_result, judge_case, judge_injected, variation, without_undefined, worst
from assistant.verify.known_rules import KnownRules, OriginalRules
from assistant.verify.measured_error import with_measured_error
from assistant.verify.members import split_members
from assistant.verify.probes import judge_probes
from assistant.verify.problems import ASSUMPTIONS, new_problems, unsupported
from assistant.verify.sizes_tried import caveats_of, untried
from assistant.verify.transfer_values import UNTYPED

__all__ = ["DECISION_LABELS", "judge", "judge_further"]

DECISION_LABELS = frozenset(
    {
        Label.PRECISION,
        Label.FAST_MATH,
        Label.LIBRARY_CALL,
        Label.NEW_FLAGS,
        Label.ASSUMPTION,
        Label.ALIGNMENT,
        Label.NAN_BEHAVIOUR,
        Label.NON_DETERMINISM,
        Label.ARCH_LOCK_IN,
    }
)
"""Labels that a human decides on; the others only inform."""
_HALF_CHECKED = "not every check ran to its end"
_REMEDY = "declare a workload on which the original runs clean (kernelopt init FILE), or fix the original first"


def judge(evidence: JudgeEvidence, known: KnownRules | None = None) -> VerificationResult:
    """The verdict on B, from what both versions left behind. ``known``: of the same original, where other candidates are judged by it."""
    known = known or KnownRules()
    if not evidence.cases:
        return _program_only(evidence)
    evidence = replace(evidence, cases=tuple(split_members(case) for case in evidence.cases))
    usable = usable_cases(evidence.cases)
    if isinstance(usable, CannotJudge):
        return _unless_program_fails(evidence, usable)
    lacking = _lacking(usable)
    if lacking is not None:
        return _unless_program_fails(evidence, lacking)
    rules = known.of(usable.ordinary, evidence.outputs, evidence.tolerance)
    if rules.unusable:
        dropped = {item.case_index: item.reason for item in rules.unusable}
        usable = usable.without(dropped)
        if isinstance(usable, CannotJudge):
            return _unless_program_fails(evidence, usable)
        rules = known.of(usable.ordinary, evidence.outputs, evidence.tolerance)
    weak = rules.weak
    judged = {kernel for case in usable.ordinary if case.kernel not in weak for kernel in case.launched_kernels}
    noted = tuple(reason.reason for kernel, reason in weak.items() if kernel not in evidence.edited)
    unjudged = _unjudged(evidence.edited, judged, weak)
    evidence = replace(evidence, missing_checks=(*evidence.missing_checks, *noted), findings=(*evidence.findings, *unjudged))
    verdict = _judge_cases(evidence, usable, rules)
    can_pass = bool(judged.intersection(evidence.edited or judged))
    if can_pass or verdict.outcome is Outcome.FAIL:
        return verdict
    reasons = [reason for kernel, reason in weak.items() if not evidence.edited or kernel in evidence.edited]
    return reasons[0] if reasons else CannotJudge(Unjudgeable.NO_CASE, "no case launches the changed kernels", _REMEDY)


def judge_further(evidence: JudgeEvidence, known: KnownRules) -> tuple[VerificationFinding, ...]:
    """What is wrong with the values of B's runs, by the rule that `judge` holds values to; cases without runs of B lend their errors.

    For runs that come after a verdict (timed calls). No controls and no labels; empty where the original cannot be judged by.
    """
    usable = usable_cases(tuple(split_members(case) for case in evidence.cases))
    if isinstance(usable, CannotJudge):
        return ()
    prepared = known.of(usable.ordinary, evidence.outputs, evidence.tolerance).prepared
    is_precision_changed = any(d.label in (Label.PRECISION, Label.FAST_MATH) for d in evidence.labels)
    found = list[VerificationFinding]()
    for index, case in enumerate(usable.ordinary):
        mine = [p for p in prepared if p.output.case_index == index]
        found.extend(judge_case(case, index, mine, evidence, is_precision_changed)[0])
    return _grouped(found)


def _unjudged(edited: tuple[str, ...], judged: set[str], weak: Mapping[str, CannotJudge]) -> list[VerificationFinding]:
    """One finding per edited kernel that no case can judge: what other kernels' cases show says nothing of it."""
    findings = list[VerificationFinding]()
    for kernel in edited:
        if kernel not in judged:
            reason = weak[kernel].reason if kernel in weak else f"{kernel} is changed too, but no case launches it"
            message = f"{reason}; the other kernels' cases do not cover it"
            findings.append(VerificationFinding("not_judged", Outcome.NEEDS_DECISION, message, kernel))
    return findings


def _judge_cases(evidence: JudgeEvidence, usable: UsableCases, rules: OriginalRules) -> Verification:
    prepared = rules.prepared
    is_precision_changed = any(d.label in (Label.PRECISION, Label.FAST_MATH) for d in evidence.labels)
    varied = variation(usable.ordinary, prepared, evidence)
    defects = [*new_problems(usable.ordinary, evidence.lines), *([varied] if isinstance(varied, VerificationFinding) else [])]
    findings, results, labels = list[VerificationFinding](), list[CaseResult](), list(evidence.labels)
    is_regrouped, shares = False, list[float]()
    for index, case in enumerate(usable.ordinary):
        mine = [p for p in prepared if p.output.case_index == index]
        found, verdicts = judge_case(case, index, mine, evidence, is_precision_changed)
        found, undefined = without_undefined(case, found, is_precision_changed)
        findings.extend(found)
        labels.extend(undefined)
        results.append(case_result(case, [*found, *(defect for defect in defects if defect.case == index)], verdicts))
        is_regrouped |= any(v.outcome is Outcome.PASS and not v.is_bitwise_equal for v in verdicts)
        shares.extend(v.share for v in verdicts if v.share is not None)
    findings.extend(defects)
    labels.extend([varied] if isinstance(varied, DetectedLabel) else [])
    if is_regrouped and not is_precision_changed:
        labels.append(DetectedLabel(Label.REASSOCIATION, "results differ in the last bits, within the original's own error"))
    if worst(finding.outcome for finding in findings) is not Outcome.FAIL:
        is_rounded = any(finding.code == "precision" for finding in findings)
        probes = judge_probes(usable, evidence, is_precision_changed, rules.spreads, is_rounded=is_rounded)
        injected = tuple(case for case in usable.injected if case.origin.shape not in probes.wrong_sizes)
        injected_findings, injected_labels = judge_injected(injected, usable.ordinary, evidence, rules.spreads)
        findings.extend(injected_findings)
        labels.extend(injected_labels)
        results.extend(probes.results)
        findings.extend(probes.findings)
        if set(evidence.edited or (case.kernel for case in usable.ordinary)) <= probes.unaligned_kernels:
            labels = [detected for detected in labels if detected.label is not Label.ALIGNMENT]
        labels = [*probes.labels, *labels]
        usable = replace(usable, dropped=(*usable.dropped, *probes.dropped))
    every_run = [run for case in usable.ordinary for run in (*case.original, *case.candidate)]
    unchecked = dict.fromkeys(reason for run in every_run if (reason := unsupported(run)) is not None)
    estimated = sorted({p.output.name for p in prepared if p.is_estimated})
    missing = [f"tolerance of {name}: no float64 reference and no perturbed runs, so only rounding is allowed" for name in estimated]
    missing.extend(unchecked)
    if unchecked:
        evidence = replace(evidence, caveats=(*evidence.caveats, _HALF_CHECKED))
    return _conclude(evidence, usable, _grouped(findings), with_measured_error(labels, shares), tuple(results), missing)


def _lacking(usable: UsableCases) -> CannotJudge | None:
    """What kept the lab from running B; None when nothing did."""
    for case in (*usable.ordinary, *usable.injected):
        for run in case.candidate:
            reason = unsupported(run)
            if run.error is not None and reason is not None:
                return CannotJudge(
                    Unjudgeable.NEEDS_GPU, f"the new kernel cannot be run here: {reason}", "judge it on a GPU (--device gpu)"
                )
    return None


def _conclude(
    evidence: JudgeEvidence,
    usable: UsableCases,
    findings: tuple[VerificationFinding, ...],
    labels: list[DetectedLabel],
    results: tuple[CaseResult, ...],
    missing: list[str],
) -> Verification:
    program = evidence.program
    own = (*findings, *evidence.findings)
    seen = () if program is None else _beside_cases(program.findings, own)
    every = (*own, *seen, *_label_findings(labels))
    oracle = "declared" if evidence.is_declared else "kernel"
    assumed = (*((Label.ASSUMPTION,) if any(finding.code in ASSUMPTIONS for finding in findings) else ()), *_assumed(evidence))
    outcome, sizes = worst(finding.outcome for finding in every), evidence.sizes
    return Verification(
        outcome=outcome,
        findings=every,
        labels=tuple(dict.fromkeys((*(detected.label for detected in labels), *assumed))),
        cases=results,
        oracle=oracle if program is None else f"{oracle}+program",
        dropped_cases=(*evidence.dropped_cases, *usable.dropped),
        missing_checks=(*evidence.missing_checks, *missing, *(() if sizes is None else (untried(sizes, results),))),
        caveats=(*evidence.caveats, *(() if sizes is None or outcome is Outcome.FAIL else caveats_of(sizes, results))),
    )


def _beside_cases(seen: tuple[VerificationFinding, ...], own: tuple[VerificationFinding, ...]) -> tuple[VerificationFinding, ...]:
    """What the whole program shows, where cases judge too: host data of unknown type cannot fail what passes on every case."""
    if worst(finding.outcome for finding in own) is Outcome.FAIL:
        return seen
    reason = "; the kernel is right on every case, so a person decides whether this is rounding"
    return tuple(replace(f, outcome=Outcome.NEEDS_DECISION, message=f.message + reason) if f.code == UNTYPED else f for f in seen)


def _program_only(evidence: JudgeEvidence) -> VerificationResult:
    if evidence.program is None:
        return CannotJudge(Unjudgeable.NO_CASE, "there is no case to judge on", _REMEDY)
    every = (*evidence.findings, *evidence.program.findings, *_label_findings(list(evidence.labels)))
    return Verification(
        outcome=worst(finding.outcome for finding in every),
        findings=every,
        labels=tuple(dict.fromkeys((*(detected.label for detected in evidence.labels), *_assumed(evidence)))),
        cases=(),
        oracle="program",
        dropped_cases=evidence.dropped_cases,
        missing_checks=evidence.missing_checks,
        caveats=evidence.caveats,
    )


def _assumed(evidence: JudgeEvidence) -> tuple[Label, ...]:
    """The label of what static rules say a person must know."""
    return (Label.ASSUMPTION,) if any(finding.code == Label.ASSUMPTION.value for finding in evidence.findings) else ()


def _unless_program_fails(evidence: JudgeEvidence, verdict: CannotJudge) -> VerificationResult:
    """A program that plainly goes wrong is FAIL even where the kernel's cases cannot judge."""
    program = evidence.program
    if program is not None and any(finding.outcome is Outcome.FAIL for finding in program.findings):
        return _program_only(replace(evidence, missing_checks=(*evidence.missing_checks, verdict.reason)))
    return verdict


def _label_findings(labels: list[DetectedLabel]) -> tuple[VerificationFinding, ...]:
    first = {detected.label: detected for detected in reversed(labels) if detected.label in DECISION_LABELS}
    return tuple(
        VerificationFinding(one.label.value, Outcome.NEEDS_DECISION, one.message, line=one.line, case=one.case)
        for one in reversed(first.values())
    )


def _grouped(findings: list[VerificationFinding]) -> tuple[VerificationFinding, ...]:
    """The first finding of each code, kernel and buffer, saying in how many cases it occurs."""
    groups: dict[tuple[str, str | None, str | None], list[VerificationFinding]] = {}
    for finding in findings:
        groups.setdefault((finding.code, finding.kernel, finding.buffer), []).append(finding)
    result = list[VerificationFinding]()
    for group in groups.values():
        worst = max(group, key=lambda finding: finding.outcome.severity)
        case_count = len({finding.case for finding in group})
        suffix = f", in {case_count} cases" if case_count > 1 else ""
        result.append(replace(worst, message=worst.message + suffix))
    return tuple(result)

"""The verdict: PASS, NEEDS_DECISION or FAIL with findings, or that this evidence cannot judge. Pure.

Order of questions: does the original itself run clean; do the controls fail; does B do the same; what must a human know. Cases on
which a control passes can still show that B is wrong, never that it is right.

Example::

    match judge(evidence):
        case CannotJudge(reason=reason): ...
        case Verification(outcome=Outcome.PASS): ...
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from assistant.model.verification import (
    CannotJudge,
    CaseResult,
    Label,
    Outcome,
    Verification,
    VerificationFinding,
    VerificationResult,
)
from assistant.verify.cases import UsableCases, usable_cases
from assistant.verify.compare import BufferVerdict, PreparedOutput, compare, prepare
from assistant.verify.controls import check_controls
from assistant.verify.evidence import CaseEvidence, DetectedLabel, JudgeEvidence, SideRun
from assistant.verify.problems import new_problems, run_failure, unsupported

__all__ = ["DECISION_LABELS", "judge"]

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
"""Labels that a human decides on (DESIGN §5.8); the others only inform."""
_SEVERITY = {Outcome.PASS: 0, Outcome.NEEDS_DECISION: 1, Outcome.FAIL: 2}
_REMEDY = "declare a workload on which the original runs clean (kernelopt init FILE), or mend the original first"


def judge(evidence: JudgeEvidence) -> VerificationResult:
    """The verdict on B, from what both versions left behind."""
    if not evidence.cases:
        return _program_only(evidence)
    usable = usable_cases(evidence.cases)
    if isinstance(usable, CannotJudge):
        return _unless_program_fails(evidence, usable)
    lacking = _lacking(usable)
    if lacking is not None:
        return _unless_program_fails(evidence, lacking)
    prepared, unusable = prepare(usable.ordinary, evidence.outputs, evidence.tolerance)
    if unusable:
        dropped = {item.case_index: item.reason for item in unusable}
        usable = usable.without(dropped)
        if isinstance(usable, CannotJudge):
            return _unless_program_fails(evidence, usable)
        prepared, _ = prepare(usable.ordinary, evidence.outputs, evidence.tolerance)
    weak = check_controls(usable.ordinary, prepared, evidence.tolerance)
    unjudged = tuple(reason.reason for _, reason in weak)
    verdict = _judge_cases(replace(evidence, missing_checks=(*evidence.missing_checks, *unjudged)), usable, prepared)
    can_pass = len(weak) < len({case.kernel for case in usable.ordinary})
    return verdict if can_pass or verdict.outcome is Outcome.FAIL else weak[0][1]


def _judge_cases(evidence: JudgeEvidence, usable: UsableCases, prepared: tuple[PreparedOutput, ...]) -> Verification:
    is_precision_changed = any(d.label in (Label.PRECISION, Label.FAST_MATH) for d in evidence.labels)
    findings, results, labels = list[VerificationFinding](), list[CaseResult](), list(evidence.labels)
    is_regrouped = False
    for index, case in enumerate(usable.ordinary):
        mine = [p for p in prepared if p.output.case_index == index]
        found, verdicts = _judge_case(case, index, mine, evidence, is_precision_changed)
        findings.extend(found)
        results.append(_case_result(case, found, verdicts))
        is_regrouped |= any(v.outcome is Outcome.PASS and not v.is_bitwise_equal for v in verdicts)
        labels.extend(_determinism(case, mine))
    findings.extend(new_problems(usable.ordinary))
    findings.extend(_racy_exact_outputs(usable.ordinary, prepared))
    if is_regrouped and not is_precision_changed:
        labels.append(DetectedLabel(Label.REASSOCIATION, "results differ in the last bits, within the original's own error"))
    if _worst(finding.outcome for finding in findings) is not Outcome.FAIL:
        injected_findings, injected_labels = _judge_injected(usable.injected, evidence)
        findings.extend(injected_findings)
        labels.extend(injected_labels)
    every_run = [run for case in usable.ordinary for run in (*case.original, *case.candidate)]
    unchecked = dict.fromkeys(reason for run in every_run if (reason := unsupported(run)) is not None)
    estimated = sorted({p.output.name for p in prepared if p.is_estimated})
    missing = [f"tolerance of {name}: no float64 reference and no perturbed runs, so only rounding is allowed" for name in estimated]
    missing.extend(unchecked)
    return _conclude(evidence, usable, _grouped(findings), labels, tuple(results), missing)


def _lacking(usable: UsableCases) -> CannotJudge | None:
    """What kept the lab from running B; None when nothing did."""
    for case in (*usable.ordinary, *usable.injected):
        for run in case.candidate:
            reason = unsupported(run)
            if run.error is not None and reason is not None:
                return CannotJudge(f"the new kernel cannot be run here: {reason}", "judge it on a GPU (--device gpu)")
    return None


def _judge_case(
    case: CaseEvidence, index: int, prepared: list[PreparedOutput], evidence: JudgeEvidence, is_precision_changed: bool
) -> tuple[list[VerificationFinding], list[BufferVerdict]]:
    findings, verdicts = list[VerificationFinding](), list[BufferVerdict]()
    for run in case.candidate:
        failure = run_failure(case, index, run)
        if failure is not None:
            findings.append(failure)
        if run.error is not None:
            continue
        for output in prepared:
            after = run.contents(output.output.buffer.id)
            if after is None:
                findings.append(_missing_result(case, index, output))
                continue
            verdict = compare(output, after, run.fill, evidence.tolerance, is_precision_changed)
            verdicts.append(verdict)
            if verdict.code is not None:
                findings.append(_value_finding(case, index, output, verdict, verdict.code))
    return findings, verdicts


def _missing_result(case: CaseEvidence, index: int, output: PreparedOutput) -> VerificationFinding:
    """A buffer that the new kernel's run did not give back cannot have been right."""
    message = f"{output.output.name}: the new kernel's run left no contents of it"
    return VerificationFinding("missing_result", Outcome.FAIL, message, case.kernel, case=index, buffer=output.output.name)


def _value_finding(case: CaseEvidence, index: int, output: PreparedOutput, verdict: BufferVerdict, code: str) -> VerificationFinding:
    at = f" at {case.origin.shape}" if case.origin.shape else ""
    place = "" if verdict.index is None else f"[{verdict.index}]"
    what = {
        "wrote_outside_outputs": "the original leaves it unchanged",
        "not_written": "the original writes it, the new kernel does not",
        "nan_position": "NaN or infinity where the original has none, or the reverse",
    }.get(code, "wrong value")
    message = f"{output.output.name}{place}{at}: {what}; expected {verdict.expected}, got {verdict.actual} ({verdict.detail})"
    return VerificationFinding(
        code=code,
        outcome=verdict.outcome,
        message=message,
        kernel=case.kernel,
        case=index,
        buffer=output.output.name,
        index=verdict.index,
        expected=verdict.expected,
        actual=verdict.actual,
    )


def _case_result(case: CaseEvidence, findings: list[VerificationFinding], verdicts: list[BufferVerdict]) -> CaseResult:
    measured = [v.errors for v in verdicts if v.errors is not None]
    return CaseResult(
        kind=case.origin.kind,
        shape=case.origin.shape,
        scale=case.origin.scale,
        outcome=_worst(finding.outcome for finding in findings),
        max_error=max((e.max for e in measured), default=None),
        rms_error=max((e.rms for e in measured), default=None),
    )


def _repeats_differ(runs: tuple[SideRun, ...]) -> str | None:
    return next((run.repeat_difference for run in runs if run.repeat_difference is not None), None)


def _determinism(case: CaseEvidence, prepared: list[PreparedOutput]) -> list[DetectedLabel]:
    difference = _repeats_differ(case.candidate)
    if difference is None or _repeats_differ(case.original) is not None or _all_exact(prepared):
        return []
    return [DetectedLabel(Label.NON_DETERMINISM, f"repeats of the same call differ: {difference}")]


def _racy_exact_outputs(cases: tuple[CaseEvidence, ...], prepared: tuple[PreparedOutput, ...]) -> list[VerificationFinding]:
    """Repeats that differ although every output is an exact type: no rounding explains that."""
    findings = list[VerificationFinding]()
    for index, case in enumerate(cases):
        difference = _repeats_differ(case.candidate)
        mine = [p for p in prepared if p.output.case_index == index]
        if difference is not None and _repeats_differ(case.original) is None and _all_exact(mine):
            message = f"repeats of the same call leave different exact values: {difference}"
            findings.append(VerificationFinding("race", Outcome.FAIL, message, case.kernel, case=index))
    return findings


def _all_exact(prepared: list[PreparedOutput]) -> bool:
    return all(p.is_exact for p in prepared if p.output.is_compared and p.output.written.any())


def _judge_injected(cases: tuple[CaseEvidence, ...], evidence: JudgeEvidence) -> tuple[list[VerificationFinding], list[DetectedLabel]]:
    """Injected NaN, infinities, denormals and huge values: other values are only a label, a failing run is a failure."""
    prepared, _ = prepare(cases, evidence.outputs, evidence.tolerance)
    findings, labels = list[VerificationFinding](), list[DetectedLabel]()
    for index, case in enumerate(cases):
        mine = [p for p in prepared if p.output.case_index == index]
        found, _ = _judge_case(case, index, mine, evidence, is_precision_changed=False)
        findings.extend(replace(f, case=None) for f in found if f.buffer is None or f.code == "wrote_outside_outputs")
        for finding in found:
            if finding.buffer is not None and finding.code != "wrote_outside_outputs":
                labels.append(DetectedLabel(Label.NAN_BEHAVIOUR, f"on NaN, infinite or huge input {finding.message}"))
    return findings, labels[:1]


def _conclude(
    evidence: JudgeEvidence,
    usable: UsableCases,
    findings: tuple[VerificationFinding, ...],
    labels: list[DetectedLabel],
    results: tuple[CaseResult, ...],
    missing: list[str],
) -> Verification:
    program = evidence.program
    every = (*findings, *evidence.findings, *(() if program is None else program.findings), *_label_findings(labels))
    oracle = "declared" if evidence.is_declared else "kernel"
    return Verification(
        outcome=_worst(finding.outcome for finding in every),
        findings=every,
        labels=tuple(dict.fromkeys(detected.label for detected in labels)),
        cases=results,
        oracle=oracle if program is None else f"{oracle}+program",
        dropped_cases=(*evidence.dropped_cases, *usable.dropped),
        missing_checks=(*evidence.missing_checks, *missing),
    )


def _program_only(evidence: JudgeEvidence) -> VerificationResult:
    if evidence.program is None:
        return CannotJudge("there is no case to judge on", _REMEDY)
    every = (*evidence.findings, *evidence.program.findings, *_label_findings(list(evidence.labels)))
    return Verification(
        outcome=_worst(finding.outcome for finding in every),
        findings=every,
        labels=tuple(dict.fromkeys(detected.label for detected in evidence.labels)),
        cases=(),
        oracle="program",
        dropped_cases=evidence.dropped_cases,
        missing_checks=evidence.missing_checks,
    )


def _unless_program_fails(evidence: JudgeEvidence, verdict: CannotJudge) -> VerificationResult:
    """A program that plainly goes wrong is FAIL even where the kernel's cases cannot judge."""
    program = evidence.program
    if program is not None and any(finding.outcome is Outcome.FAIL for finding in program.findings):
        return _program_only(replace(evidence, missing_checks=(*evidence.missing_checks, verdict.reason)))
    return verdict


def _label_findings(labels: list[DetectedLabel]) -> tuple[VerificationFinding, ...]:
    first = {detected.label: detected for detected in reversed(labels) if detected.label in DECISION_LABELS}
    return tuple(VerificationFinding(d.label.value, Outcome.NEEDS_DECISION, d.message, line=d.line) for d in reversed(first.values()))


def _grouped(findings: list[VerificationFinding]) -> tuple[VerificationFinding, ...]:
    """The first finding of each code, kernel and buffer, saying in how many cases it occurs."""
    groups: dict[tuple[str, str | None, str | None], list[VerificationFinding]] = {}
    for finding in findings:
        groups.setdefault((finding.code, finding.kernel, finding.buffer), []).append(finding)
    result = list[VerificationFinding]()
    for group in groups.values():
        worst = max(group, key=lambda finding: _SEVERITY[finding.outcome])
        case_count = len({finding.case for finding in group})
        suffix = f", in {case_count} cases" if case_count > 1 else ""
        result.append(replace(worst, message=worst.message + suffix))
    return tuple(result)


def _worst(outcomes: Iterable[Outcome]) -> Outcome:
    return max(outcomes, key=_SEVERITY.__getitem__, default=Outcome.PASS)

"""The verdict on a candidate for an operator: PASS, NEEDS_DECISION or FAIL with findings, or that these inputs cannot judge. Pure.

Whether values are right is asked case by case, by the tolerance that kernels have (``verify.tolerance``); what else a candidate may not do
is asked once. Example::

    judge(evidence)     # Verification(outcome=Outcome.PASS, …)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
from assistant.operators.conduct import conduct_findings, library_findings
from assistant.operators.controls import weakness
from assistant.operators.evidence import CandidateCase, Evidence, Pass, ReferenceCase, layout_in_words
from assistant.operators.values import Difference, Rule, compare, compare_gradients, rules_of, unusable
from assistant.verify.problems import new_findings

__all__ = ["judge"]

_OF_CASES = frozenset({"wrong_value", "precision", "nan_behaviour", "refuses"})
"""What is found case by case."""
_WRONG = frozenset({"wrong_value", "raised"})
_OTHER_SIZES = frozenset({"size", "empty"})
_EDGE, _GIVEN = "edge", "given"
_WHERE = {
    "given": "on the task's own inputs", "scaled": "on the task's inputs times {scale:g}", "normal": "on other values of the same shapes",
    "layout": "on inputs that are not contiguous (make them so, or refuse them)", "size": "at other sizes", "empty": "on an empty batch",
    "edge": "where inputs are NaN, infinite, denormal or huge",
}  # fmt: skip
_LABELS = {
    "precision": Label.PRECISION, "nan_behaviour": Label.NAN_BEHAVIOUR, "library_call": Label.LIBRARY_CALL, "refuses": Label.ASSUMPTION,
    "layout": Label.ASSUMPTION, "non_determinism": Label.NON_DETERMINISM, "setting": Label.PRECISION, "hidden_code": Label.ASSUMPTION,
}  # fmt: skip
_NO_TIME = "speed: nothing is timed without a GPU"
_FIXED = "other values of {}: the model's constructor reads them, so that code for other sizes (a scalar path, a tail) may not have run"
_BLIND = "which kernels ran: PyTorch's profiler reports none on this machine"
_NO_GRADIENTS = "gradients: only what forward returns is compared without --backward"


def judge(evidence: Evidence) -> VerificationResult:
    """CannotJudge where the reference itself is not repeatable, or where a candidate that computes nothing would pass."""
    cannot = unusable(evidence.reference)
    if cannot is not None:
        return CannotJudge(Unjudgeable.ORIGINAL_INEXACT, cannot, "make the reference repeatable: eval(), no dropout, no random numbers")
    rules = rules_of(evidence.reference)
    weak = weakness(evidence.reference, rules)
    if weak is not None:
        return CannotJudge(Unjudgeable.WEAK_WORKLOAD, weak, "have get_inputs() draw values on which the result depends")
    findings = [*conduct_findings(evidence), *new_findings(evidence.seen.problems, (), None)]
    cases: list[CaseResult] = []
    if evidence.failure is not None:
        findings.insert(0, VerificationFinding(evidence.failure.kind, Outcome.FAIL, evidence.failure.message))
    else:
        for index, (case, left) in enumerate(zip(evidence.reference, evidence.candidate, strict=True)):
            mine = list(_case_findings(evidence, index, case, left, rules[index]))
            findings += mine
            cases.append(_result(case, left, rules[index], mine))
        findings += library_findings(evidence)
    findings = _each_once(_without_repetitions(evidence, findings))
    outcome = max((finding.outcome for finding in findings), key=lambda each: each.severity, default=Outcome.PASS)
    labels = dict.fromkeys(_LABELS[finding.code] for finding in findings if finding.code in _LABELS)
    missing = () if evidence.seen.is_on_gpu else (_NO_TIME,)
    missing = missing if evidence.is_backward else (*missing, _NO_GRADIENTS)
    missing = (*missing, _FIXED.format(", ".join(evidence.fixed_sizes))) if evidence.fixed_sizes else missing
    missing = (*missing, _BLIND) if evidence.seen.launch_count is None else missing
    return Verification(
        outcome=outcome,
        findings=tuple(findings),
        labels=tuple(labels),
        cases=tuple(cases),
        oracle="operator",
        dropped_cases=evidence.dropped,
        missing_checks=missing,
        caveats=evidence.caveats,
    )


def _case_findings(
    evidence: Evidence, index: int, case: ReferenceCase, left: CandidateCase, rules: tuple[Rule, ...]
) -> Iterator[VerificationFinding]:
    first, second = (list(_pass_findings(evidence, index, case, each, rules)) for each in (left.first, left.second))
    if first and not second and left.first.failure is None:
        message = f"{_in(case)} it is right on fresh tensors and wrong where the same tensors hold new values: it remembers earlier calls"
        yield VerificationFinding("remembered", Outcome.FAIL, message, case=index)
        return
    yield from first or second
    if first or second or left.first.failure is not None:
        return
    if [each.data for each in left.first.outputs] != [each.data for each in left.second.outputs]:
        message = f"{_in(case)} two calls on equal inputs leave other values, both right"
        yield VerificationFinding("non_determinism", Outcome.NEEDS_DECISION, message, case=index)
    skipped = _left_out(left)
    if skipped and not left.is_first_of_model:
        message = f"{_in(case)} the second call on equal inputs does less work ({skipped}): results are kept between calls"
        yield VerificationFinding("remembered", Outcome.FAIL, message, case=index)


def _pass_findings(
    evidence: Evidence, index: int, case: ReferenceCase, left: Pass, rules: tuple[Rule, ...]
) -> Iterator[VerificationFinding]:
    if left.failure is not None:
        yield _refusal(index, case, left)
        return
    wrong_form = _wrong_form(case, left)
    if wrong_form is not None:
        yield VerificationFinding("wrong_shape", Outcome.FAIL, f"{_in(case)} {wrong_form}", case=index)
        return
    for number, rule in enumerate(rules):
        difference = compare(rule, left.outputs[number], lowers_precision=evidence.lowers_precision)
        if difference is not None:
            yield _difference_finding(index, case, _named(case, number), difference)
            break
    yield from _manners(index, case, left)
    if evidence.is_backward and case.kind != _EDGE:
        wrong = compare_gradients(case, left, lowers_precision=evidence.lowers_precision)
        if wrong is not None:
            yield _difference_finding(index, case, wrong[0], wrong[1])


def _named(case: ReferenceCase, number: int) -> str:
    """What the result of this number is called."""
    return f"output {number}" if number < case.output_count else f"the state's {case.buffers[number - case.output_count]}"


def _manners(index: int, case: ReferenceCase, left: Pass) -> Iterator[VerificationFinding]:
    """What a call does to its inputs, and how long its outputs stay as they are."""
    if left.inputs_after != case.inputs_after:
        yield VerificationFinding(
            "changed_inputs", Outcome.FAIL, f"{_in(case)} it leaves the inputs other than the reference does", case=index
        )
    if left.is_late:
        message = f"{_in(case)} an output still changes after the call has returned: work goes on that nothing waits for"
        yield VerificationFinding("late_write", Outcome.FAIL, message, case=index)
    if left.shares_memory:
        message = f"{_in(case)} it returns memory that an earlier result still uses: a caller that keeps both finds them equal"
        yield VerificationFinding("shared_output", Outcome.FAIL, message, case=index)


def _refusal(index: int, case: ReferenceCase, left: Pass) -> VerificationFinding:
    """An error is wrong on the task's own inputs; elsewhere a clear refusal is an assumption that the candidate states and guards."""
    assert left.failure is not None
    if case.kind == _GIVEN or left.failure.kind != "raised":
        return VerificationFinding(left.failure.kind, Outcome.FAIL, f"{_in(case)} {left.failure.message}", case=index)
    message = f"{_in(case)} ({case.shape}) it refuses what the reference takes: {left.failure.message}"
    return VerificationFinding("refuses", Outcome.NEEDS_DECISION, message, case=index)


def _difference_finding(index: int, case: ReferenceCase, name: str, difference: Difference) -> VerificationFinding:
    shape = f" ({case.shape})" if case.kind in _OTHER_SIZES else ""
    where = f"{_in(case)}{shape} {name} {difference.words}"
    if case.kind == _EDGE:
        code, outcome = "nan_behaviour", Outcome.NEEDS_DECISION
    elif difference.is_tolerable:
        code, outcome = "precision", Outcome.NEEDS_DECISION
    else:
        code, outcome = "wrong_value", Outcome.FAIL
    return VerificationFinding(
        code, outcome, where, case=index, buffer=name, index=difference.index, expected=difference.expected, actual=difference.actual
    )


def _wrong_form(case: ReferenceCase, left: Pass) -> str | None:
    if left.output_count != case.output_count:
        return f"it returns {left.output_count} tensors and the reference {case.output_count}"
    for expected, actual in zip(case.outputs, left.outputs, strict=True):
        if (expected.dtype, expected.shape) != (actual.dtype, actual.shape):
            return f"it returns {layout_in_words(actual)} and the reference {layout_in_words(expected)}"
    return None


def _left_out(left: CandidateCase) -> str:
    """What the second pass did less often than the first."""
    again = dict(left.second.work)
    return ", ".join(f"{name} {again.get(name, 0)} times and not {count}" for name, count in left.first.work if again.get(name, 0) < count)


def _in(case: ReferenceCase) -> str:
    return _WHERE[case.kind].format(scale=case.scale)


def _result(case: ReferenceCase, left: CandidateCase, rules: tuple[Rule, ...], findings: list[VerificationFinding]) -> CaseResult:
    outcome = max((finding.outcome for finding in findings), key=lambda each: each.severity, default=Outcome.PASS)
    is_comparable = left.first.failure is None and _wrong_form(case, left.first) is None
    errors = [rule.errors(left.first.outputs[at]) for at, rule in enumerate(rules)] if is_comparable else []
    known = [error for error in errors if error is not None]
    worst = max((error.max for error in known), default=None)
    rms = max((error.rms for error in known), default=None)
    return CaseResult(case.kind, case.shape, case.scale, outcome, worst, rms, case.seed)


def _without_repetitions(evidence: Evidence, findings: list[VerificationFinding]) -> list[VerificationFinding]:
    """Where it is wrong on the task's own inputs, what it does on others says nothing more."""

    def is_given(finding: VerificationFinding) -> bool:
        return finding.case is not None and evidence.reference[finding.case].kind == _GIVEN

    if not any(finding.code in _WRONG and is_given(finding) for finding in findings):
        return findings
    return [finding for finding in findings if finding.code not in _OF_CASES or is_given(finding)]


def _each_once(findings: Iterable[VerificationFinding]) -> list[VerificationFinding]:
    """One of each code, the worst and first; wrong values also one for each kind of case, which its sentence begins with."""
    kept: dict[tuple[str, Outcome, str], VerificationFinding] = {}
    for finding in findings:
        kept.setdefault((finding.code, finding.outcome, finding.message[:24] if finding.code == "wrong_value" else ""), finding)
    return sorted(kept.values(), key=lambda finding: -finding.outcome.severity)

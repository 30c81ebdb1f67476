"""What one case, or a group of derived cases, says of B: findings, per-case results, labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from assistant.model.elements import ElementKind
from assistant.model.verification import CaseResult, Label, Outcome, VerificationFinding
from assistant.record import Record
from assistant.verify.compare import BufferVerdict, compare, leaves_same_values
from assistant.verify.evidence import CaseEvidence, DetectedLabel, JudgeEvidence, SideRun
from assistant.verify.measured_error import with_share
from assistant.verify.numbers import bits, floats, ieee, largest, largest_finite
from assistant.verify.outputs import find_outputs, matching_run
from assistant.verify.problems import run_failure
from assistant.verify.rules import PreparedOutput, Spreads, prepare
from assistant.verify.tolerance import MAX_ROUNDOFFS

__all__ = [
    "Variation",
    "case_result",
    "judge_case",
    "judge_injected",
    "read_outputs",
    "variation",
    "without_undefined",
    "worst",
]

_NEARLY_OVER = 2.0**-16
"""Share of the largest number from which on values may come of huge ones that were averaged or weighted."""
_OF_MAGNITUDE = frozenset({"huge", "zeros"})
_SIGN_CHANGED_KINDS = frozenset({"mirrored", "mixed"})
"""Kinds of cases with signs that the program need not have: roots and logarithms are undefined there."""
Variation = DetectedLabel | VerificationFinding | None


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """The most severe; PASS of none."""
    return max(outcomes, key=lambda outcome: outcome.severity, default=Outcome.PASS)


def judge_case(
    case: CaseEvidence, index: int, prepared: list[PreparedOutput], evidence: JudgeEvidence, is_precision_changed: bool
) -> tuple[list[VerificationFinding], list[BufferVerdict]]:
    findings, verdicts = list[VerificationFinding](), list[BufferVerdict]()
    right: dict[int, _Right] = {}
    for run in case.candidate:
        failure = run_failure(case, index, run)
        if failure is not None:
            findings.append(failure)
        if run.error is not None or not run.is_comparable:
            continue
        for output in prepared:
            after = run.contents(output.output.buffer.id)
            if after is None and run.is_repeat:
                continue  # the lab keeps only so much of what repeats left
            if after is None:
                findings.append(_missing_result(case, index, output))
                continue
            passed = right.get(output.output.buffer.id)
            if passed is not None and passed.after == after and passed.original == _original_of(output, run.fill):
                verdicts.append(passed.verdict)
                continue
            verdict = compare(output, after, run.fill, evidence.tolerance, is_precision_changed)
            if is_precision_changed:
                verdict = with_share(verdict, output)
            if verdict.code is None and verdict.outcome is Outcome.PASS and output.is_plain:
                right[output.output.buffer.id] = _Right(after, _original_of(output, run.fill), verdict)
            verdict = _unless_only_ordered_otherwise(verdict, output, (after, run.fill), evidence)
            verdict = _unless_unread(verdict, output, prepared)
            verdicts.append(verdict)
            if verdict.code is not None:
                findings.append(_value_finding(case, index, output, verdict, verdict.code))
    return findings, verdicts


class _Right(Record):
    """What one run left, and is right in a plain output: it is right whatever the output held before."""

    after: bytes
    original: bytes | None
    verdict: BufferVerdict


def _original_of(output: PreparedOutput, fill: int) -> bytes | None:
    return matching_run(output.runs, fill).contents(output.output.buffer.id)


def without_undefined(
    case: CaseEvidence, findings: list[VerificationFinding], is_precision_changed: bool
) -> tuple[list[VerificationFinding], list[DetectedLabel]]:
    """The findings without places where nothing is defined on changed signs, and the labels that stand for them.

    There the original itself gives NaN, or an edit in another precision meets a pole that the original passes at a hair's breadth
    (``0.8 + 0.25 * x`` at -3.2 is 0 in float, 1e-8 in double): that a person decides.
    """
    if case.origin.kind not in _SIGN_CHANGED_KINDS:
        return findings, []
    kept, labels = list[VerificationFinding](), list[DetectedLabel]()
    for finding in findings:
        if finding.code == "nan_position" and finding.expected == "nan":
            labels.append(DetectedLabel(Label.NAN_BEHAVIOUR, f"where the original gives NaN: {finding.message}"))
        elif finding.code == "nan_position" and is_precision_changed:
            labels.append(DetectedLabel(Label.NAN_BEHAVIOUR, f"in another precision, on other signs: {finding.message}"))
        else:
            kept.append(finding)
    return kept, labels


def _unless_only_ordered_otherwise(
    verdict: BufferVerdict, output: PreparedOutput, left: tuple[bytes, int], evidence: JudgeEvidence
) -> BufferVerdict:
    """The verdict on exact values, where B leaves A's in another order and code says that who comes first decides where they stand.

    Of A's code: then A's own order was luck. Of B's alone: then a person decides.
    """
    is_by_arrival = bool(evidence.order_before.arrivals or evidence.order_after.arrivals)
    if verdict.code != "wrong_value" or not output.is_exact or not is_by_arrival or not leaves_same_values(output, *left):
        return verdict
    if evidence.order_before.arrivals:
        return replace(verdict, outcome=Outcome.PASS, code=None)
    return replace(verdict, outcome=Outcome.NEEDS_DECISION, code="other_order")


def _unless_unread(verdict: BufferVerdict, output: PreparedOutput, prepared: list[PreparedOutput]) -> BufferVerdict:
    """The verdict on memory that serves the kernel alone in this program, where other memory shows what the kernel is for."""
    if verdict.outcome is not Outcome.FAIL or output in read_outputs(prepared):
        return verdict
    return replace(verdict, outcome=Outcome.NEEDS_DECISION, code="unread_value")


def read_outputs(prepared: Sequence[PreparedOutput]) -> list[PreparedOutput]:
    """Without memory that serves the kernel alone in this program (``BufferFacts.is_unread``); all where nothing else is written."""
    read = [p for p in prepared if not p.output.buffer.is_unread]
    return read if any(p.output.is_compared and p.output.written.any() for p in read) else list(prepared)


def _missing_result(case: CaseEvidence, index: int, output: PreparedOutput) -> VerificationFinding:
    """A buffer that the new kernel's run did not give back cannot have been right."""
    message = f"{output.output.name}: the new kernel's run returned no contents of it"
    return VerificationFinding("missing_result", Outcome.FAIL, message, case.kernel, case=index, buffer=output.output.name)


def _value_finding(case: CaseEvidence, index: int, output: PreparedOutput, verdict: BufferVerdict, code: str) -> VerificationFinding:
    at = f" at {case.origin.shape}" if case.origin.shape else ""
    place = output.output.name if verdict.index is None else output.output.buffer.place(verdict.index)
    what = {
        "wrote_outside_outputs": "the original leaves it unchanged",
        "not_written": "the original writes it, the new kernel does not",
        "nan_position": "NaN or infinity where the original has none, or the reverse",
        "other_order": "the original's values, in another order that depends on which thread comes first",
        "unread_value": "differs from what the original leaves there, which nothing else in this program reads",
    }.get(code, "wrong value")
    message = f"{place}{at}: {what}; expected {verdict.expected}, got {verdict.actual} ({verdict.detail})"
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


def case_result(case: CaseEvidence, findings: list[VerificationFinding], verdicts: list[BufferVerdict]) -> CaseResult:
    measured = [v.errors for v in verdicts if v.errors is not None]
    return CaseResult(
        kind=case.origin.kind,
        shape=case.origin.shape,
        scale=case.origin.scale,
        outcome=worst(finding.outcome for finding in findings),
        max_error=max((e.max for e in measured), default=None),
        rms_error=max((e.rms for e in measured), default=None),
        seed=case.origin.seed,
    )


def _repeats_differ(runs: tuple[SideRun, ...]) -> str | None:
    return next((run.repeat_difference for run in runs if run.repeat_difference is not None), None)


def variation(cases: tuple[CaseEvidence, ...], prepared: tuple[PreparedOutput, ...], evidence: JudgeEvidence) -> Variation:
    """What it means that B's repeats differ where A's do not.

    The source and the machine code say whether the order of threads may decide a result, and the values, which are judged run by run,
    whether it is still right. That repeats differ decides nothing alone where A's own code allows it; where no code of B explains it, it
    is a race.
    """
    for index, case in enumerate(cases):
        difference = _repeats_differ(case.candidate)
        mine = [p for p in prepared if p.output.case_index == index]
        if difference is None or _repeats_differ(case.original) is not None or any(p.is_unordered for p in mine):
            continue
        before, after = evidence.order_before, evidence.order_after
        if before.arrivals or (before.float_sums and not _all_exact(mine)) or (after.float_sums and not _all_exact(mine)):
            continue
        if after.arrivals:
            first = after.arrivals[0]
            message = f"{first.text}: which thread comes first decides, and repeats of the same call differ: {difference}"
            return DetectedLabel(Label.NON_DETERMINISM, message, first.line or None)
        values = "exact values" if _all_exact(mine) else "values, though nothing is added or exchanged atomically"
        message = f"repeats of the same call leave different {values}: {difference}"
        outcome = Outcome.FAIL if _all_exact(mine) else Outcome.NEEDS_DECISION
        return VerificationFinding("race", outcome, message, case.kernel, case=index)
    return None


def _all_exact(prepared: list[PreparedOutput]) -> bool:
    return all(p.is_exact for p in prepared if p.output.is_compared and p.output.written.any())


def judge_injected(
    cases: tuple[CaseEvidence, ...], ordinary: tuple[CaseEvidence, ...], evidence: JudgeEvidence, spreads: Spreads
) -> tuple[list[VerificationFinding], list[DetectedLabel]]:
    """Injected NaN, infinities, denormals and huge values: other values are only a label, a failing run is a failure.

    Which of several huge values overflow a sum depends on its order: where both versions overflow or nearly do, that only informs.
    What the original writes in ``ordinary`` cases is written here too: a huge value may happen to replace its like. ``spreads``: of those.
    """
    if not cases:
        return [], []
    prepared = _with_masks_of(ordinary, cases, prepare(cases, evidence.outputs, evidence.tolerance, spreads)[0], evidence)
    findings, labels = list[VerificationFinding](), list[DetectedLabel]()
    for index, case in enumerate(cases):
        read = read_outputs([p for p in prepared if p.output.case_index == index])
        mine = [p for p in read if not _is_conversion_only(case, p)]
        found, _ = judge_case(case, index, mine, evidence, is_precision_changed=False)
        findings.extend(replace(f, case=None) for f in found if f.buffer is None or f.code == "wrote_outside_outputs")
        is_huge = case.origin.kind == "huge"
        harmless = {p.output.name for p in mine if case.origin.kind in _OF_MAGNITUDE and _is_rounding_only(case, p, may_overflow=is_huge)}
        for finding in found:
            if finding.buffer in harmless and finding.code in ("nan_position", "wrong_value"):
                if not is_huge:
                    continue  # what the sign of a zero does shows in other zeros and in infinities
                labels.append(DetectedLabel(Label.REASSOCIATION, f"both overflow on huge input, with different results: {finding.message}"))
            elif finding.buffer is not None and finding.code != "wrote_outside_outputs":
                what = "zeros of both signs in the input:" if case.origin.kind == "zeros" else "NaN, infinite or huge input"
                labels.append(DetectedLabel(Label.NAN_BEHAVIOUR, f"on {what} {finding.message}"))
    decisive = [detected for detected in labels if detected.label is Label.NAN_BEHAVIOUR]
    return findings, (decisive or labels)[:1]


def _with_masks_of(
    ordinary: tuple[CaseEvidence, ...], cases: tuple[CaseEvidence, ...], prepared: tuple[PreparedOutput, ...], evidence: JudgeEvidence
) -> tuple[PreparedOutput, ...]:
    """Outputs of ``cases`` with what the original changes in any case of the same shape."""
    written = {(output.case_index, output.buffer.id): output.written for output in find_outputs((*cases, *ordinary), evidence.outputs)}
    return tuple(replace(one, output=replace(one.output, written=written[one.output.case_index, one.output.buffer.id])) for one in prepared)


def _is_conversion_only(case: CaseEvidence, prepared: PreparedOutput) -> bool:
    """Whether integers differ only where the original has the least number of their type.

    That is what the emulator's processor makes of NaN and of floats beyond the range; a GPU makes 0 and the nearest number of them.
    """
    output, element = prepared.output, prepared.output.element
    if not element.is_integer or not prepared.is_exact:
        return False
    least = 1 << (8 * element.scalar_bytes - 1) if element.kind is ElementKind.INT else 0
    for run in case.candidate:
        after, original = run.contents(output.buffer.id), matching_run(prepared.runs, run.fill).contents(output.buffer.id)
        if not run.is_comparable or after is None or original is None or len(after) != len(original):
            return False
        mine, theirs = (bits(data, element) for data in (after, original))
        differing = mine != theirs
        if (differing & ~output.written).any() or (theirs[differing] != least).any():
            return False
    return True


@ieee
def _is_rounding_only(case: CaseEvidence, prepared: PreparedOutput, *, may_overflow: bool) -> bool:
    """Whether nothing differs by more than rounding of the largest values, but, if it ``may_overflow``, for what is infinite, NaN or nearly
    overflows in both versions."""
    output, element = prepared.output, prepared.output.element
    if not element.is_floating:
        return False
    for run in case.candidate:
        if not run.is_comparable:
            continue
        after, original = run.contents(output.buffer.id), matching_run(prepared.runs, run.fill).contents(output.buffer.id)
        if after is None or original is None or len(after) != len(original):
            return False
        pair = [floats(data, element)[output.written] for data in (after, original)]
        is_over = [~(np.abs(values) < _NEARLY_OVER * largest_finite(element)) for values in pair]
        finite = np.concatenate([values[np.isfinite(values)] for values in pair])
        is_near = np.abs(pair[0] - pair[1]) <= MAX_ROUNDOFFS * (element.unit_roundoff or 0.0) * largest(finite)
        if not (is_near | (is_over[0] & is_over[1] & may_overflow)).all():
            return False
    return True

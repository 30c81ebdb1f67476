"""Cases of our own making: other sizes, and values of a kind that the program never has. Is B right only for what the program does?

A difference there is no failure but an assumption that B makes and A does not, or digits that it loses: a person decides. It counts only
where the original itself runs clean, and keeps its digits. The program's own kinds of values at another size tell right from wrong only
where both versions agree at that size at all (the *resized* case): then a difference is a failure as at the program's own sizes.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np

from assistant.model.verification import CaseResult, Outcome, VerificationFinding
from assistant.record import Record
from assistant.verify.cases import UsableCases, case_name
from assistant.verify.controls import check_controls
from assistant.verify.evidence import CaseEvidence, DetectedLabel, JudgeEvidence
from assistant.verify.judged_case import case_result, judge_case, read_outputs, without_undefined
from assistant.verify.kinds import RETUNED, Meaning, meaning_of
from assistant.verify.numbers import floats, ieee, largest, rms
from assistant.verify.problems import new_problems
from assistant.verify.rules import PreparedOutput, Spreads, prepare
from assistant.verify.tolerance import FLOAT_ROUNDOFF, MAX_FACTOR, RMS_FACTOR, Errors, errors_of, is_plausible_reference, without_marks

__all__ = ["ProbeVerdict", "judge_probes"]

_SHIFTED, _CANCELLING = "shifted", "cancelling"
_ROUNDED = "precision"
"""Code of a difference that a change of precision explains."""
_NUMERIC_FACTOR = 16.0
"""Multiple of the original's error within which digits count as kept on values that are chosen to lose them, or else half of the type's
digits. In honest edits (another order of additions, fused multiply-adds, shuffles, Welford's variance) errors differ by less; what is to
be found loses nearly all (benchmarks/false_alarms.py)."""


class ProbeVerdict(Record):
    """What the cases of our own making show."""

    results: tuple[CaseResult, ...]
    labels: tuple[DetectedLabel, ...]
    findings: tuple[VerificationFinding, ...]
    """Failures, of the program's kinds of values at a size at which both versions agree otherwise."""
    dropped: tuple[str, ...]
    unaligned_kernels: frozenset[str] = frozenset()
    """Those that do what the original does wherever their buffers begin."""
    wrong_sizes: frozenset[str] = frozenset()
    """Shapes of our own making at which B does something else, whatever the values."""


class _ProbeAnswer(Record):
    findings: tuple[VerificationFinding, ...]
    labels: tuple[DetectedLabel, ...]
    result: CaseResult


def judge_probes(
    usable: UsableCases, evidence: JudgeEvidence, is_precision_changed: bool, spreads: Spreads, *, is_rounded: bool = False
) -> ProbeVerdict:
    """Every probe that counts; one label for each meaning, of the first case on which B differs. Sizes come first.

    ``spreads``: how far the original's own runs are apart in the ordinary cases. ``is_rounded``: B has other last digits there already, so
    that such digits say nothing of what is special about a probe.
    """
    results, labels, failures, dropped = list[CaseResult](), list[DetectedLabel](), list[VerificationFinding](), list[str]()
    wrong_sizes: set[str] = set()
    untold: dict[str, list[str]] = {}
    are_shifted_right: dict[str, bool] = {}
    for case in sorted(usable.probes, key=lambda case: case.origin.kind != "resized"):
        if case.origin.shape in wrong_sizes:
            continue
        meaning = meaning_of(case.origin.kind)
        judged = _judge(case, usable.ordinary, evidence, is_precision_changed, meaning, spreads)
        if isinstance(judged, str):
            if meaning is None or not meaning.is_numeric:
                dropped.append(f"{case_name(case)}: {judged}")
            else:
                untold.setdefault(judged, []).append(case.origin.kind)
            continue
        labels.extend(judged.labels)
        if meaning is None:
            failures.extend(replace(finding, case=None) for finding in judged.findings)
            results.append(judged.result)
        else:
            wrong = tuple(one for one in judged.findings if not (is_rounded and one.code == _ROUNDED))
            is_wrong = judged.result.outcome is Outcome.FAIL and not is_precision_changed
            if is_wrong and case.origin.kind == RETUNED and case.kernel in evidence.well_read:
                failures.extend(_with_values(case, finding) for finding in judged.findings)
                results.append(judged.result)
                continue
            results.append(replace(judged.result, outcome=Outcome.NEEDS_DECISION if judged.findings else Outcome.PASS))
            if case.origin.kind == _SHIFTED:
                are_shifted_right[case.kernel] = are_shifted_right.get(case.kernel, True) and not wrong
            shown_by = len(usable.ordinary) + len(results) - 1
            labels.extend(_label(case, meaning, finding, shown_by) for finding in wrong[:1])
            if wrong and case.origin.kind == "resized":
                wrong_sizes.add(case.origin.shape)
    dropped.extend(f"values of kind {', '.join(dict.fromkeys(kinds))}: {reason}" for reason, kinds in untold.items())
    unaligned = frozenset(kernel for kernel, is_right in are_shifted_right.items() if is_right)
    return ProbeVerdict(tuple(results), _first_of_each(labels), tuple(failures), tuple(dropped), unaligned, frozenset(wrong_sizes))


def _with_values(case: CaseEvidence, finding: VerificationFinding) -> VerificationFinding:
    """As wrong, with the case in words: it is none of the ordinary ones."""
    return replace(finding, case=None, message=f"with {_where(case)}: {finding.message}")


def _where(case: CaseEvidence) -> str:
    return ", ".join(part for part in (case.origin.shape, case.origin.values) if part)


def _label(case: CaseEvidence, meaning: Meaning, finding: VerificationFinding, shown_by: int) -> DetectedLabel:
    message = f"{meaning.words}; with {_where(case)}, on which the original runs clean: {finding.message}"
    return DetectedLabel(meaning.label, message, finding.line, shown_by)


def _first_of_each(labels: list[DetectedLabel]) -> tuple[DetectedLabel, ...]:
    return tuple({detected.label: detected for detected in reversed(labels)}.values())[::-1]


def _judge(
    case: CaseEvidence,
    ordinary: tuple[CaseEvidence, ...],
    evidence: JudgeEvidence,
    is_precision_changed: bool,
    meaning: Meaning | None,
    spreads: Spreads,
) -> _ProbeAnswer | str:
    """What B did wrong, and the case's result; or why the case does not count."""
    prepared, unusable = prepare((case,), evidence.outputs, evidence.tolerance, spreads)
    if unusable:
        return unusable[0].reason
    prepared = tuple(read_outputs(prepared))
    if meaning is not None and meaning.is_numeric:
        lost = next((reason for output in prepared if (reason := _lost_digits(case, output)) is not None), None)
        if lost is not None:
            return lost
        if case.origin.kind == _CANCELLING:
            prepared = tuple(_by_reference(output, case) for output in prepared)
        prepared = tuple(_allowing_more(case, output) for output in prepared)
    elif meaning is not None and meaning.is_regular:
        prepared = tuple(replace(output, own=output.own.times(_NUMERIC_FACTOR)) for output in prepared)
    weak = check_controls((case,), prepared, evidence.tolerance)
    if weak and case.origin.kind == "resized":
        return weak[0][1].reason
    index = len(ordinary)
    every = new_problems((*ordinary, case), evidence.lines)
    usual = {finding.code for finding in every if finding.case != index}
    defects = [finding for finding in every if finding.case == index and finding.code not in usual]
    found, verdicts = judge_case(case, 0, list(prepared), evidence, is_precision_changed)
    found, undefined = without_undefined(case, found, is_precision_changed)
    findings = (*found, *defects)
    if weak and not findings:
        return weak[0][1].reason
    return _ProbeAnswer(findings, tuple(undefined), case_result(case, list(findings), verdicts))


@ieee
def _lost_digits(case: CaseEvidence, prepared: PreparedOutput) -> str | None:
    """Why the original's own result is no measure on these values: it overflows, or is itself far from the float64 values.

    Floats beyond the range of integers are converted otherwise by the emulator's processor than by a GPU.
    """
    output, element = prepared.output, prepared.output.element
    if not output.is_compared or not output.written.any():
        return None
    if not element.is_floating:
        return f"{output.name} holds integers" if case.origin.kind in ("extreme", _CANCELLING) else None
    values = floats(prepared.runs[0].contents(output.buffer.id) or b"", element)[output.written]
    if not np.isfinite(values).all():
        return f"the original's own {output.name} is not finite there"
    raw = dict(case.reference).get(output.buffer.id)
    is_cancelling = case.origin.kind == _CANCELLING
    if not is_cancelling and (prepared.is_exact or element.scalar_bytes == 8):
        return None
    if raw is None or len(raw) != output.written.size * 8:
        return f"nothing shows how exact {output.name} is there" if prepared.is_estimated or is_cancelling else None
    reference = np.frombuffer(raw, "<f8")[output.written]
    if not np.isfinite(reference).all() or not is_plausible_reference(errors_of(values, reference), _roundoff(case, prepared), reference):
        return f"the original itself loses its digits there ({output.name})"
    return None


@ieee
def _by_reference(prepared: PreparedOutput, case: CaseEvidence) -> PreparedOutput:
    """The rule with the original's own error alone, also where doubles hold what floats have added up."""
    raw = dict(case.reference).get(prepared.output.buffer.id)
    written = prepared.output.written
    if prepared.reference is None or raw is None or not written.any():
        return prepared
    reference = np.frombuffer(raw, "<f8")
    values = floats(prepared.runs[0].contents(prepared.output.buffer.id) or b"", prepared.output.element)
    return replace(prepared, reference=reference, own=errors_of(values[written], reference[written]), is_stand_in=False)


def _roundoff(case: CaseEvidence, prepared: PreparedOutput) -> float:
    """Roundoff of the output's type; of float at least for cancelling values, which are floats that doubles may add up."""
    own = prepared.output.element.unit_roundoff or 0.0
    return max(own, FLOAT_ROUNDOFF) if case.origin.kind == _CANCELLING else own


def _allowing_more(case: CaseEvidence, prepared: PreparedOutput) -> PreparedOutput:
    """The rule with ``_NUMERIC_FACTOR`` times the original's error, and at least √u of the output."""
    if prepared.reference is None:
        return prepared
    written = prepared.reference[prepared.output.written]
    finite = without_marks(written[np.isfinite(written)], prepared.output.element.unit_roundoff or 0.0)
    half_of_digits = sqrt(_roundoff(case, prepared))
    own = prepared.own.times(_NUMERIC_FACTOR)
    return replace(
        prepared, own=own.at_least(Errors(half_of_digits / RMS_FACTOR * rms(finite), half_of_digits / MAX_FACTOR * largest(finite)))
    )

"""What a judge found wrong with a candidate, in lines for a prompt. Seeds are left out, so that no edit can be tuned to them."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.model.verification import CaseResult, Outcome, VerificationFinding

__all__ = ["case_lines", "failure_lines"]

_MOST_FAILURES = 8
_MOST_CASES = 12


def failure_lines(findings: Iterable[VerificationFinding], cases: tuple[CaseResult, ...]) -> tuple[str, ...]:
    """``wrong_value, line 12, on n=65 (boundary values): … (buffer out, element 33: expected 1.5, but it is 0)``, failures first."""
    ordered = sorted(findings, key=lambda finding: finding.outcome is not Outcome.FAIL)
    return tuple(_failure(finding, cases) for finding in ordered[:_MOST_FAILURES])


def case_lines(cases: Iterable[CaseResult]) -> tuple[str, ...]:
    """``n=1000 (boundary values): FAIL, largest error 0.5``, those that failed first."""
    ordered = sorted(cases, key=lambda case: case.outcome is not Outcome.FAIL)
    return tuple(dict.fromkeys(_case(case) for case in ordered))[:_MOST_CASES]


def _failure(finding: VerificationFinding, cases: tuple[CaseResult, ...]) -> str:
    line = "" if finding.line is None else f", line {finding.line}"
    case = "" if finding.case is None or finding.case >= len(cases) else f", on {_values(cases[finding.case])}"
    place = "" if finding.buffer is None else f"buffer {finding.buffer}"
    place += "" if finding.index is None else f", element {finding.index}"
    is_said = finding.expected is None or finding.expected in finding.message
    values = "" if is_said else f": expected {finding.expected}, but it is {finding.actual}"
    detail = f" ({place.strip(', ')}{values})" if place or values else ""
    return f"{finding.code}{line}{case}: {finding.message}{detail}"


def _case(case: CaseResult) -> str:
    error = "" if case.max_error is None else f", largest error {case.max_error:.3g}"
    return f"{_values(case)}: {case.outcome.value}{error}"


def _values(case: CaseResult) -> str:
    return f"{case.shape or 'the recorded size'} ({case.kind} values)"

"""The program-level oracle: does the edited program give the host the same as the original does?

The original runs twice. What differs between its own two runs is masked and listed; numbers in text and floating data use the
tolerance; everything else must be equal. When nothing is left to compare, it cannot judge.

Example::

    compare_programs(ProgramTrace(…), ProgramTrace(…), ProgramTrace(…))    # ProgramVerdict or CannotJudge
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assistant.model.elements import ElementType
from assistant.model.verification import CannotJudge, Outcome, Unjudgeable, VerificationFinding
from assistant.model.workload import AutoTolerance, FixedTolerance, Tolerance
from assistant.verify.evidence import ProgramVerdict
from assistant.verify.numbers import BYTES, FloatArray, bits, element_of, floats, guessed_type, ieee
from assistant.verify.stdout import DEFAULT_RELATIVE, compare_texts, differ_in_words
from assistant.verify.tolerance import MAX_FACTOR, RMS_FACTOR
from assistant.verify.transfer_values import OTHER_LAYOUT, UNTYPED, FloatRule, TransferResult, compare_data
from assistant.verify.transfers import (
    SEEN_WHILE_WAITING,
    HostData,
    Part,
    ProgramTrace,
    kind_of,
    largest_growth,
    largest_roundoff,
    largest_sum_spread,
    parts_of,
    pooled_growth,
    pooled_spread,
)

__all__ = ["compare_programs"]

_OTHER_TRANSFER = "other_transfer"
"""Code of copies to the host that are others in number or size, where the program prints the same: NEEDS_DECISION."""
_OF_TEXT = {OTHER_LAYOUT: "wrong_value", _OTHER_TRANSFER: "wrong_transfer"}
"""Codes that rest on what the program prints, and what they are where it prints no number or other ones: FAIL."""
_AMPLIFIED = "amplified_rounding"
"""Code of a difference in numbers that a program makes of roundings, as an iteration does that does not converge: NEEDS_DECISION."""
_OF_NUMBERS = frozenset({"wrong_value", "wrong_output", UNTYPED})
_IN_THE_END = "managed memory in the end"
_SUM_ROUNDOFFS = 64.0
"""Roundoffs, relative to the sum of their magnitudes, by which results of blocks may add up to something else: regrouping a sum of 2^12
terms moves it by about √(2^12)·u (Higham, Accuracy and Stability, §4.2). One term that is left out of 100,000 is more."""
_PRINTED_ROUNDOFFS = 4.0
"""Roundoffs of what the host gets by which a number may move that it prints."""
_REMEDY = "print or copy back what the kernels compute, or declare a workload (kernelopt init FILE)"


@ieee
def compare_programs(
    original: ProgramTrace,
    again: ProgramTrace,
    candidate: ProgramTrace,
    tolerance: Tolerance | None = None,
    least_roundoff: float = 0.0,
    own_error: float = 0.0,
    rounded: ProgramTrace | None = None,
    of_few: float = 1.0,
) -> ProgramVerdict | CannotJudge:
    """B's run against two runs of A. ``least_roundoff``: of what the edited kernels compute in; doubles that follow from it move as far.

    ``own_error``: how far A's results are known to be from their float64 values, relative to their size; B's may be twice as far (as
    ``tolerance`` allows), on the other side. ``rounded``: a run of A that rounds otherwise; floats may move
    ``ROUNDED_FACTOR`` times as far, and where they move by a million roundoffs, any difference in numbers is for a person to decide, unless
    a tolerance is declared. ``of_few``: how many times as far as other floats those of a transfer of few may move.
    """
    apart = (1.0 + RMS_FACTOR) * own_error
    rule = tolerance or AutoTolerance()
    findings, masked = list[VerificationFinding](), list[str]()
    if original.exit_status is None:
        return CannotJudge(Unjudgeable.ORIGINAL_FAILS, "the original program crashes", "fix the original first")
    if original.exit_status != again.exit_status:
        masked.append(f"exit status (the original's own runs gave {original.exit_status} and {again.exit_status})")
    elif candidate.exit_status != original.exit_status:
        actual = "a signal" if candidate.exit_status is None else str(candidate.exit_status)
        findings.append(_finding("exit_status", "the program ends differently", str(original.exit_status), actual))
    relative = (
        rule.rtol if isinstance(rule, FixedTolerance) else max(DEFAULT_RELATIVE, apart, _PRINTED_ROUNDOFFS * largest_roundoff(original))
    )
    absolute = 0.0 if isinstance(rule, FixedTolerance) else MAX_FACTOR * largest_sum_spread(original, again)
    traces = (original, again, candidate, rounded or original)
    mine, repeat, theirs, moved = _common_texts(traces)
    text = compare_texts(mine, repeat, theirs, relative, absolute, None if rounded is None else moved)
    masked.extend(text.masked)
    if any(trace.is_truncated for trace in traces):
        masked.append("what the program prints beyond the limit of its output")
    if text.difference is not None:
        expected, actual = text.difference
        findings.append(_finding("wrong_output", "the program prints something else", expected, actual))
    compared = text.number_count
    results = _compare_transfers(traces, FloatRule(rule, least_roundoff, apart, of_few))
    wrong = [finding for finding, _, _ in results if finding is not None]
    if text.difference is not None or not text.number_count:
        wrong = [
            replace(finding, code=_OF_TEXT[finding.code], outcome=Outcome.FAIL) if finding.code in _OF_TEXT else finding
            for finding in wrong
        ]
    findings.extend(sorted(wrong, key=lambda finding: finding.code == UNTYPED)[:1])
    is_declared = isinstance(rule, FixedTolerance)
    grown = 0.0 if rounded is None or is_declared else largest_growth(original, rounded)
    if grown and not (text.difference is not None and differ_in_words(*text.difference)):
        findings = [_amplified(finding, grown) if finding.code in _OF_NUMBERS else finding for finding in findings]
    for _, hidden, count in results:
        masked.extend([hidden] if hidden is not None else [])
        compared += count
    if not compared and not findings:
        return CannotJudge(Unjudgeable.WEAK_WORKLOAD, "nothing that the kernels compute reaches the host in a reproducible way", _REMEDY)
    return ProgramVerdict(tuple(findings), tuple(masked))


_Traces = tuple[ProgramTrace, ProgramTrace, ProgramTrace, ProgramTrace]
"""The original, the original again, B, and the original rounded otherwise (or itself)."""


def _compare_transfers(traces: _Traces, rule: FloatRule) -> list[TransferResult]:
    """Copies one by one; memory that host and device share is looked at whenever the host waits.

    Where that happens at other times, only what managed memory holds in the end is compared: page-locked memory may serve the same
    copies in another way.
    """
    results = _compare_lists(*(_chosen(trace, False) for trace in traces), rule=rule)
    mine, repeat, theirs, rounded = (_chosen(trace, True) for trace in traces)
    if _shapes(mine) == _shapes(repeat) == _shapes(theirs):
        return [*results, *_compare_lists(mine, repeat, theirs, rounded, rule)]
    mine, repeat, theirs, rounded = (_last(shared) for shared in (mine, repeat, theirs, rounded))
    if _shapes(mine) == _shapes(repeat) == _shapes(theirs):
        results = [*results, *_compare_lists(mine, repeat, theirs, rounded, rule)]
    return [*results, (None, "memory shared with the host while the program runs (the host waits at other places)", 0)]


def _chosen(trace: ProgramTrace, is_shared: bool) -> list[HostData]:
    return [transfer for transfer in trace.transfers if (transfer.kind in SEEN_WHILE_WAITING) is is_shared]


def _shapes(transfers: Sequence[HostData]) -> list[tuple[str, int]]:
    return [(transfer.kind, len(transfer.data)) for transfer in transfers]


def _last(transfers: Sequence[HostData]) -> list[HostData]:
    """What each managed buffer holds in the end, in the order of their first use."""
    found = {
        transfer.buffer: replace(transfer, kind=_IN_THE_END, name=_IN_THE_END) for transfer in transfers if not transfer.is_page_locked
    }
    return list(found.values())


def _compare_lists(
    original: Sequence[HostData],
    again: Sequence[HostData],
    candidate: Sequence[HostData],
    rounded: Sequence[HostData],
    rule: FloatRule,
) -> list[TransferResult]:
    shapes, theirs = _shapes(original), _shapes(candidate)
    if shapes != _shapes(again):
        return [(None, "transfers to the host (their number or sizes differ between the original's own runs)", 0)]
    moved = rounded if _shapes(rounded) == shapes else original
    whole = list(zip(original, again, candidate, moved, strict=False))
    others: list[TransferResult] = []
    if shapes != theirs:
        others = [_of_other_size(a, c, i, rule) for i, (a, _, c, _) in enumerate(whole) if len(a.data) != len(c.data)]
        if [kind for kind, _ in shapes] != [kind for kind, _ in theirs]:
            return [(_other_transfer(f"{len(shapes)} transfers", f"{len(theirs)} transfers"), None, 0)]
        whole = [(a, b, c, d) for a, b, c, d in whole if len(a.data) == len(c.data)]
    parts = [part for a, b, c, d in whole for part in parts_of(Part(a, b.data, c.data, d.data))]
    pooled, grown = pooled_spread(parts), pooled_growth(parts)
    return others + [
        _unless_of_blocks(
            part, compare_data(part, replace(rule, own_error=max(rule.own_error, grown.get(kind, 0.0))), pooled.get(kind, 0.0)), rule
        )
        for part in parts
        for kind in (kind_of(part.original),)
    ]


def _unless_of_blocks(part: Part, result: TransferResult, rule: FloatRule) -> TransferResult:
    """Results of blocks that share the work otherwise are right where they add up to the same."""
    original = part.original
    element = element_of(original.element_type or guessed_type(original.data), len(original.data))
    if result[0] is None or not original.is_of_blocks or element is BYTES:
        return result
    mine, theirs = (_values(data, element) for data in (original.data, part.candidate))
    roundoff = max(element.unit_roundoff or 0.0, rule.least_roundoff if element.is_floating else 0.0)
    allowed = _SUM_ROUNDOFFS * roundoff * float(np.sum(np.abs(mine)))
    if not abs(float(np.sum(mine)) - float(np.sum(theirs))) <= allowed:
        return result
    return None, f"{original.name}: which part of the sum each block has; the sum is the same", 1


def _of_other_size(original: HostData, candidate: HostData, place: int, rule: FloatRule) -> TransferResult:
    """Partial sums, of which another grid leaves more or fewer, for the host to add up; anything else is another transfer."""
    sizes = f"{len(original.data)} bytes", f"{len(candidate.data)} bytes in transfer {place}"
    element = element_of(original.element_type or candidate.element_type or guessed_type(original.data), len(original.data))
    if element is not BYTES and not len(candidate.data) % element.scalar_bytes:
        mine, theirs = (float(np.sum(_values(item.data, element))) for item in (original, candidate))
        if abs(mine - theirs) <= rule.of_a_sum(element) * abs(mine):
            return None, f"{original.name}: how many partial sums it is; {sizes[0]} in A, {sizes[1]}, with the same sum", 1
    return _other_transfer(*sizes), None, 0


def _values(data: bytes, element: ElementType) -> FloatArray:
    return floats(data, element) if element.is_floating else bits(data, element).astype(np.float64)


def _other_transfer(expected: str, actual: str) -> VerificationFinding:
    found = _finding(_OTHER_TRANSFER, "the program copies something else to the host, and prints the same", expected, actual)
    return replace(found, outcome=Outcome.NEEDS_DECISION)


def _amplified(finding: VerificationFinding, share: float) -> VerificationFinding:
    message = f"rounding decides these numbers: the original's own move by up to {share:.1%} where it rounds otherwise; {finding.message}"
    return replace(finding, code=_AMPLIFIED, outcome=Outcome.NEEDS_DECISION, message=message)


def _finding(code: str, message: str, expected: str, actual: str) -> VerificationFinding:
    whole = f"{message}: expected {expected}, got {actual}"
    return VerificationFinding(code, Outcome.FAIL, whole, expected=expected, actual=actual)


def _common_texts(traces: _Traces) -> list[str]:
    """What they print; where an output was cut at its limit, as many lines of each as are whole in all that were cut."""
    texts = [trace.stdout.decode("utf-8", "replace") for trace in traces]
    whole = [text.count("\n") for text, trace in zip(texts, traces, strict=True) if trace.is_truncated]
    return ["\n".join(text.split("\n")[: min(whole)]) for text in texts] if whole else texts

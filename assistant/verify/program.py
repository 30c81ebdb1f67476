"""The program-level oracle: does the edited program tell the host the same as the original does?

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
from assistant.model.structs import ElementLayout, Member
from assistant.model.verification import CannotJudge, Outcome, Unjudgeable, VerificationFinding
from assistant.model.workload import AutoTolerance, FixedTolerance, Tolerance
from assistant.record import Record
from assistant.verify.evidence import ProgramVerdict
from assistant.verify.members import column, is_divisible
from assistant.verify.numbers import BYTES, Patterns, bits, element_of, floats, guessed_type, ieee, rms, shown
from assistant.verify.stdout import DEFAULT_RELATIVE, ROUNDED_FACTOR, compare_texts, differ_in_words
from assistant.verify.tolerance import MAX_FACTOR, RMS_FACTOR, SMALL_OUTPUT, errors_of, with_marks_of, without_marks

__all__ = ["REGROUPING_ROUNDOFFS", "SEEN_WHILE_WAITING", "UNTYPED", "HostData", "ProgramTrace", "compare_programs"]

REGROUPING_ROUNDOFFS = 1024.0
"""Roundoffs by which host data may move where no reference exists: regrouping a sum of 2^20 terms moves it by about √(2^20)·u
(Higham, Accuracy and Stability, §4.2)."""
UNTYPED = "untyped_value"
"""Code of a difference in host data whose type is not known: FAIL, unless the kernel's own cases show that B is right."""
_OTHER_LAYOUT = "other_layout"
"""Code of host data that holds the same values at other places, where the program prints the same of them: NEEDS_DECISION."""
_OTHER_TRANSFER = "other_transfer"
"""Code of copies to the host that are others in number or size, where the program prints the same: NEEDS_DECISION."""
_OF_TEXT = {_OTHER_LAYOUT: "wrong_value", _OTHER_TRANSFER: "wrong_transfer"}
"""Codes that rest on what the program prints, and what they are where it prints no number or other ones: FAIL."""
_AMPLIFIED = "amplified_rounding"
"""Code of a difference in numbers that a program makes of roundings, as an iteration does that does not converge: NEEDS_DECISION."""
_OF_NUMBERS = frozenset({"wrong_value", "wrong_output", UNTYPED})
_AMPLIFIED_ROUNDOFFS = 2.0**20
"""More than any sum or product of sums that this program may have on one path from its inputs to a result."""
SEEN_WHILE_WAITING = frozenset({"managed", "exit"})
"""Kinds of transfers that no call asks for."""
_IN_THE_END = "managed memory in the end"
_SMALL_COUNT = 4
"""Floats of a transfer that is too small to show a spread of its own, or a mean that differs from its largest."""
_PRINTED_ROUNDOFFS = 4.0
"""Roundoffs of what the host gets by which a number may move that it prints."""
_TURN_COUNT = 4
"""Transfers of one kind from which they are taken to be turns of one loop."""
_REMEDY = "print or copy back what the kernels compute, or declare a workload (kernelopt init FILE)"


class HostData(Record):
    """One transfer that reached the host."""

    kind: str
    data: bytes
    element_type: str | None
    name: str
    """For people: ``memcpy after launch 3``."""
    layout: ElementLayout | None = None
    """Of structs, where it is known."""
    member: Member | None = None
    """Of the column of a struct's member."""
    buffer: int | None = None
    """Id in its recording of what the bytes were taken from."""
    is_page_locked: bool = False
    """They are the host's own memory, seen when the host waited."""

    def place(self, index: int) -> str:
        return self.name + (f"[{index}]" if self.member is None else self.member.place(index))


class ProgramTrace(Record):
    """What one run of the whole program left."""

    exit_status: int | None
    """None when a signal ended it."""
    stdout: bytes
    transfers: tuple[HostData, ...]
    is_truncated: bool = False
    """Output was cut at the limit: only the common part is compared."""


class _Rule(Record):
    """How far floats may be apart."""

    tolerance: Tolerance
    least_roundoff: float
    """Of any element."""
    own_error: float
    """Relative distance that two results may have of which each is as far from the truth as the original is known to be."""
    of_few: float = 1.0
    """How many times as far a few floats may be apart, results of sums that either version may add up one by one."""

    def of_a_sum(self, element: ElementType) -> float:
        """Relative distance that two sums of the same terms may have."""
        if isinstance(self.tolerance, FixedTolerance):
            return self.tolerance.rtol
        return max(REGROUPING_ROUNDOFFS * max(element.unit_roundoff or 0.0, self.least_roundoff), self.own_error)


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
        rule.rtol if isinstance(rule, FixedTolerance) else max(DEFAULT_RELATIVE, apart, _PRINTED_ROUNDOFFS * _largest_roundoff(original))
    )
    text = compare_texts(_text(original), _text(again), _text(candidate), relative, None if rounded is None else _text(rounded))
    masked.extend(text.masked)
    if text.difference is not None:
        expected, actual = text.difference
        findings.append(_finding("wrong_output", "the program prints something else", expected, actual))
    compared = text.number_count
    results = _compare_transfers((original, again, candidate, rounded or original), _Rule(rule, least_roundoff, apart, of_few))
    wrong = [finding for finding, _, _ in results if finding is not None]
    if text.difference is not None or not text.number_count:
        wrong = [
            replace(finding, code=_OF_TEXT[finding.code], outcome=Outcome.FAIL) if finding.code in _OF_TEXT else finding
            for finding in wrong
        ]
    findings.extend(sorted(wrong, key=lambda finding: finding.code == UNTYPED)[:1])
    is_declared = isinstance(rule, FixedTolerance)
    grown = 0.0 if rounded is None or is_declared else _largest_growth(original, rounded)
    if grown and not (text.difference is not None and differ_in_words(*text.difference)):
        findings = [_amplified(finding, grown) if finding.code in _OF_NUMBERS else finding for finding in findings]
    for _, hidden, count in results:
        masked.extend([hidden] if hidden is not None else [])
        compared += count
    if not compared and not findings:
        return CannotJudge(Unjudgeable.WEAK_WORKLOAD, "nothing that the kernels compute reaches the host in a reproducible way", _REMEDY)
    return ProgramVerdict(tuple(findings), tuple(masked), compared)


_Traces = tuple[ProgramTrace, ProgramTrace, ProgramTrace, ProgramTrace]
"""The original, the original again, B, and the original rounded otherwise (or itself)."""
_TransferResult = tuple[VerificationFinding | None, str | None, int]
"""(what is wrong, what was masked, how many values were compared)"""


class _Part(Record):
    """One transfer, or the column of one member, in all runs."""

    original: HostData
    again: bytes
    candidate: bytes
    rounded: bytes


def _compare_transfers(traces: _Traces, rule: _Rule) -> list[_TransferResult]:
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
    rule: _Rule,
) -> list[_TransferResult]:
    shapes, theirs = _shapes(original), _shapes(candidate)
    if shapes != _shapes(again):
        return [(None, "transfers to the host (their number or sizes differ between the original's own runs)", 0)]
    moved = rounded if _shapes(rounded) == shapes else original
    whole = list(zip(original, again, candidate, moved, strict=False))
    others: list[_TransferResult] = []
    if shapes != theirs:
        others = [_of_other_size(a, c, i, rule) for i, (a, _, c, _) in enumerate(whole) if len(a.data) != len(c.data)]
        if [kind for kind, _ in shapes] != [kind for kind, _ in theirs]:
            return [(_other_transfer(f"{len(shapes)} transfers", f"{len(theirs)} transfers"), None, 0)]
        whole = [(a, b, c, d) for a, b, c, d in whole if len(a.data) == len(c.data)]
    parts = [part for a, b, c, d in whole for part in _parts(_Part(a, b.data, c.data, d.data))]
    pooled, grown = _pooled_spread(parts), _pooled_growth(parts)
    return others + [
        _compare_data(part, replace(rule, own_error=max(rule.own_error, grown.get(kind, 0.0))), pooled.get(kind, 0.0))
        for part in parts
        for kind in (_kind_of(part.original),)
    ]


def _of_other_size(original: HostData, candidate: HostData, place: int, rule: _Rule) -> _TransferResult:
    """Partial sums, of which another grid leaves more or fewer, for the host to add up; anything else is another transfer."""
    sizes = f"{len(original.data)} bytes", f"{len(candidate.data)} bytes in transfer {place}"
    element = element_of(original.element_type or candidate.element_type or guessed_type(original.data), len(original.data))
    if element is not BYTES and not len(candidate.data) % element.scalar_bytes:
        mine, theirs = (_total(item.data, element) for item in (original, candidate))
        if abs(mine - theirs) <= rule.of_a_sum(element) * abs(mine):
            return None, f"{original.name}: how many partial sums it is; {sizes[0]} in A, {sizes[1]}, with the same sum", 1
    return _other_transfer(*sizes), None, 0


def _total(data: bytes, element: ElementType) -> float:
    values = floats(data, element) if element.is_floating else bits(data, element).astype(np.float64)
    return float(np.sum(values))


def _other_transfer(expected: str, actual: str) -> VerificationFinding:
    found = _finding(_OTHER_TRANSFER, "the program copies something else to the host, and prints the same", expected, actual)
    return replace(found, outcome=Outcome.NEEDS_DECISION)


_Kind = tuple[str | None, str | None, int]
"""Element type, member and length in bytes."""


def _kind_of(item: HostData) -> _Kind:
    return item.element_type, None if item.member is None else item.member.path, len(item.data)


def _pooled_spread(parts: Sequence[_Part]) -> dict[_Kind, float]:
    """How far the original's own runs are apart in small transfers of one kind (a residual, copied back in each turn of a loop).

    A single number may be the same by luck where its neighbours are not.
    """
    found: dict[_Kind, float] = {}
    for original, again in ((part.original, part.again) for part in parts):
        element = element_of(original.element_type or guessed_type(original.data), len(original.data))
        if element.is_floating and len(original.data) <= _SMALL_COUNT * element.scalar_bytes:
            with np.errstate(invalid="ignore"):
                moved = np.abs(floats(again, element) - floats(original.data, element))
            kind = _kind_of(original)
            found[kind] = max(found.get(kind, 0.0), float(np.max(moved, where=np.isfinite(moved), initial=0.0)))
    return found


def _pooled_growth(parts: Sequence[_Part]) -> dict[_Kind, float]:
    """How far, relative to their size, floats that are copied back in each turn of a loop move where the original rounds otherwise.

    What iterates carries a rounding on and makes it larger; two runs that round otherwise do so in different turns.
    """
    found: dict[_Kind, list[float]] = {}
    for part in parts:
        element = element_of(part.original.element_type or guessed_type(part.original.data), len(part.original.data))
        if element.is_floating:
            mine, moved = floats(part.original.data, element), floats(part.rounded, element)
            usable = np.isfinite(mine) & np.isfinite(moved)
            size = rms(mine[usable])
            found.setdefault(_kind_of(part.original), []).append(errors_of(moved[usable], mine[usable]).rms / size if size else 0.0)
    return {kind: ROUNDED_FACTOR * max(moves) for kind, moves in found.items() if len(moves) >= _TURN_COUNT}


def _largest_growth(original: ProgramTrace, rounded: ProgramTrace) -> float:
    """How far, relative to their size, floats on the host move where the original rounds otherwise; 0 where that is what rounding does."""
    largest, theirs = 0.0, rounded.transfers
    if [(one.kind, len(one.data)) for one in original.transfers] != [(one.kind, len(one.data)) for one in theirs]:
        return largest
    for mine, moved in zip(original.transfers, theirs, strict=True):
        element = element_of(mine.element_type or guessed_type(mine.data), len(mine.data))
        if not element.is_floating:
            continue
        values, others = floats(mine.data, element), floats(moved.data, element)
        usable = np.isfinite(values) & np.isfinite(others)
        size = rms(values[usable])
        share = errors_of(others[usable], values[usable]).rms / size if size else 0.0
        if share > _AMPLIFIED_ROUNDOFFS * (element.unit_roundoff or 0.0):
            largest = max(largest, share)
    return largest


def _amplified(finding: VerificationFinding, share: float) -> VerificationFinding:
    message = f"rounding decides these numbers: the original's own move by up to {share:.1%} where it rounds otherwise; {finding.message}"
    return replace(finding, code=_AMPLIFIED, outcome=Outcome.NEEDS_DECISION, message=message)


def _parts(whole: _Part) -> list[_Part]:
    """It as it is, or a column per member of structs."""
    original, layout = whole.original, whole.original.layout
    if layout is None or not is_divisible(original.data, layout):
        return [whole]
    parts = list[_Part]()
    for member in layout.members:
        every = (original.data, whole.again, whole.candidate, whole.rounded)
        mine, repeat, other, moved = (column(data, layout, member) for data in every)
        parts.append(_Part(HostData(original.kind, mine, member.element.name, original.name, None, member), repeat, other, moved))
    return parts


def _compare_data(part: _Part, rule: _Rule, pooled: float) -> _TransferResult:
    original = part.original
    known = None if original.element_type is None else element_of(original.element_type, len(original.data))
    if known is not None and known is not BYTES:
        return _compare_as(part, known, rule, pooled)
    guessed = element_of(guessed_type(original.data), len(original.data))
    finding, hidden, count = _compare_as(part, guessed, rule, pooled)
    return None if finding is None else _untyped(finding, guessed), hidden, count


def _untyped(finding: VerificationFinding, guessed: ElementType) -> VerificationFinding:
    """A difference in data whose type no kernel parameter tells: floats read as anything else differ where they are right."""
    how = "bytes" if guessed is BYTES else f"{guessed.name}, which it looks like"
    return replace(finding, code=UNTYPED, message=f"{finding.message} (type unknown, compared as {how})")


def _compare_as(part: _Part, element: ElementType, rule: _Rule, pooled: float) -> _TransferResult:
    original = part.original
    mine, repeat, other = (bits(data, element) for data in (original.data, part.again, part.candidate))
    ordered = [np.sort(values) for values in (mine, repeat, other)]
    if not (mine == repeat).all() and (ordered[0] == ordered[1]).all():
        return _compare_sorted(original, ordered[0], ordered[2], element)
    if element.is_floating:
        return _compare_floats(part, element, rule, pooled)
    stable = mine == repeat
    hidden = None
    if not stable.all():
        hidden = f"{original.name}: {int((~stable).sum())} of {stable.size} elements differ between the original's own runs"
    wrong = stable & (mine != other)
    finding = _wrong_value(part, element, int(np.argmax(wrong)), "") if wrong.any() else None
    if finding is not None and stable.all() and (ordered[0] == ordered[2]).all():
        finding = _laid_out_otherwise(finding)
    return finding, hidden, int(stable.sum())


def _compare_sorted(original: HostData, mine: Patterns, other: Patterns, element: ElementType) -> _TransferResult:
    """Values that the original's own two runs leave in different orders: the same values must come, in whatever order."""
    hidden = f"{original.name}: the order of its {mine.size} values, which differs between the original's own runs"
    wrong = mine != other
    if not wrong.any():
        return None, hidden, mine.size
    index = int(np.argmax(wrong))
    expected, actual = (shown(values.tobytes(), element, index) for values in (mine, other))
    message = f"{original.name}: other values on the host, whatever their order; sorted, value {index} is {actual} instead of {expected}"
    return (
        VerificationFinding("wrong_value", Outcome.FAIL, message, buffer=original.name, expected=expected, actual=actual),
        hidden,
        mine.size,
    )


def _compare_floats(part: _Part, element: ElementType, rule: _Rule, pooled: float) -> _TransferResult:
    """All floats of one transfer: same NaN and infinity positions, deviations within the original's own spread and regrouping.

    ``pooled``: the spread of all transfers of its kind.
    """
    mine, repeat, other, moved = (floats(data, element) for data in (part.original.data, part.again, part.candidate, part.rounded))
    special = ~np.isfinite(mine) | ~np.isfinite(other)
    stable = np.isfinite(mine) == np.isfinite(repeat)
    same = np.where(np.isnan(mine), np.isnan(other), mine == other)
    wrong = special & stable & ~same
    if wrong.any():
        return _wrong_value(part, element, int(np.argmax(wrong)), "NaN or infinity"), None, mine.size
    places = ~special & np.isfinite(repeat)
    expected = np.where(places, mine, 0.0)
    deviation = np.abs(with_marks_of(expected, np.where(places, other, 0.0), element.unit_roundoff or 0.0) - expected)
    if isinstance(rule.tolerance, FixedTolerance):
        limit = rule.tolerance.atol + rule.tolerance.rtol * np.abs(expected)
        rms_allowed = float("inf")
    else:
        usable = places & np.isfinite(moved)
        spread = errors_of(repeat[places], mine[places]).at_least(errors_of(moved[usable], mine[usable]).times(ROUNDED_FACTOR))
        regrouped = REGROUPING_ROUNDOFFS * max(element.unit_roundoff or 0.0, rule.least_roundoff)
        regrouped *= rule.of_few if mine.size <= SMALL_OUTPUT else 1.0
        slack = max(regrouped, rule.own_error) * rms(without_marks(mine[places], element.unit_roundoff or 0.0))
        limit = np.full(mine.size, MAX_FACTOR * (max(spread.max, pooled) + slack))
        rms_allowed = RMS_FACTOR * max(spread.rms, pooled) + slack
    is_far = rms(deviation[places]) > rms_allowed and int(places.sum()) > _SMALL_COUNT
    wrong = deviation > limit if (deviation > limit).any() else (deviation == deviation.max()) & is_far
    if not wrong.any():
        return None, None, int(places.sum())
    finding = _wrong_value(part, element, int(np.argmax(wrong)), "")
    if places.all():
        apart = np.abs(np.sort(other) - np.sort(mine))
        if (apart <= limit).all() and rms(apart) <= rms_allowed:
            finding = _laid_out_otherwise(finding)
    return finding, None, int(places.sum())


def _laid_out_otherwise(finding: VerificationFinding) -> VerificationFinding:
    message = f"the same values stand at other places on the host, and what is printed of them is the same; {finding.message}"
    return replace(finding, code=_OTHER_LAYOUT, outcome=Outcome.NEEDS_DECISION, message=message)


def _wrong_value(part: _Part, element: ElementType, index: int, detail: str) -> VerificationFinding:
    original = part.original
    expected, actual = shown(original.data, element, index), shown(part.candidate, element, index)
    reason = f" ({detail})" if detail else ""
    message = f"{original.place(index)}: wrong value on the host; expected {expected}, got {actual}{reason}"
    return VerificationFinding("wrong_value", Outcome.FAIL, message, buffer=original.name, index=index, expected=expected, actual=actual)


def _finding(code: str, message: str, expected: str, actual: str) -> VerificationFinding:
    whole = f"{message}: expected {expected}, got {actual}"
    return VerificationFinding(code, Outcome.FAIL, whole, expected=expected, actual=actual)


def _largest_roundoff(trace: ProgramTrace) -> float:
    """Of floats that reach the host by copies whose type is known; 0 where none do."""
    known = (element_of(item.element_type, len(item.data)) for item in trace.transfers if item.element_type is not None)
    return max((element.unit_roundoff or 0.0 for element in known if element.is_floating), default=0.0)


def _text(trace: ProgramTrace) -> str:
    return trace.stdout.decode("utf-8", "replace")

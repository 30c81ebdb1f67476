"""Is one transfer to the host right? Its values in the original's two runs and in B's, by their type or by the one they look like.

Example::

    finding, masked, count = compare_data(part, rule, pooled=0.0)     # (None, None, 64)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assistant.model.elements import ElementType
from assistant.model.verification import Outcome, VerificationFinding
from assistant.model.workload import FixedTolerance, Tolerance
from assistant.record import Record
from assistant.verify.float_errors import piece_of, size_in_pieces
from assistant.verify.numbers import BYTES, MaskArray, Patterns, bits, chosen, element_of, floats, guessed_type, rms, sample_places, shown
from assistant.verify.stdout import ROUNDED_FACTOR
from assistant.verify.tolerance import (
    MARK_SAMPLES,
    MAX_FACTOR,
    NO_ERRORS,
    RMS_FACTOR,
    SMALL_OUTPUT,
    errors_of,
    may_have_marks,
    with_marks_of,
    without_marks,
)
from assistant.verify.transfers import IN_MEMORY, SMALL_COUNT, HostData, Part

__all__ = ["OTHER_LAYOUT", "REGROUPING_ROUNDOFFS", "UNTYPED", "FloatRule", "TransferResult", "compare_data"]

REGROUPING_ROUNDOFFS = 1024.0
"""Roundoffs by which host data may move where no reference exists: regrouping a sum of 2^20 terms moves it by about √(2^20)·u
(Higham, Accuracy and Stability, §4.2)."""
UNTYPED = "untyped_value"
"""Code of a difference in host data whose type is not known: FAIL, unless the kernel's own cases show that B is right."""
OTHER_LAYOUT = "other_layout"
"""Code of host data that holds the same values at other places, where the program prints the same of them: NEEDS_DECISION."""


class FloatRule(Record):
    """How far floats may be apart."""

    tolerance: Tolerance
    least_roundoff: float
    """Least roundoff of any element."""
    own_error: float
    """Relative distance that two results may have of which each is as far from the truth as the original is known to be."""
    of_few: float = 1.0
    """How many times as far a few floats may be apart, results of sums that either version may add up one by one."""

    def of_a_sum(self, element: ElementType) -> float:
        """Relative distance that two sums of the same terms may have."""
        if isinstance(self.tolerance, FixedTolerance):
            return self.tolerance.rtol
        return max(REGROUPING_ROUNDOFFS * max(element.unit_roundoff or 0.0, self.least_roundoff), self.own_error)


TransferResult = tuple[VerificationFinding | None, str | None, int]
"""(what is wrong, what was masked, how many values were compared)"""


def compare_data(part: Part, rule: FloatRule, pooled: float) -> TransferResult:
    original = part.original
    known = None if original.element_type is None else element_of(original.element_type, len(original.data))
    if known is not None and known is not BYTES:
        return _compare_as(part, known, rule, pooled)
    guessed = element_of(guessed_type(original.data), len(original.data))
    finding, hidden, count = _compare_as(part, guessed, rule, pooled)
    return None if finding is None else _untyped(finding, guessed), hidden, count


def _untyped(finding: VerificationFinding, guessed: ElementType) -> VerificationFinding:
    """A difference in data whose type no kernel parameter shows: floats read as anything else differ where they are right."""
    how = "bytes" if guessed is BYTES else f"{guessed.name}, which it looks like"
    return replace(finding, code=UNTYPED, message=f"{finding.message} (type unknown, compared as {how})")


def _compare_as(part: Part, element: ElementType, rule: FloatRule, pooled: float) -> TransferResult:
    original = part.original
    mine, repeat, other = (bits(data, element) for data in (original.data, part.again, part.candidate))
    if not (mine == repeat).all() and (np.sort(mine) == np.sort(repeat)).all():
        return _compare_sorted(original, np.sort(mine), np.sort(other), element)
    if element.is_floating:
        return _compare_floats(part, element, rule, pooled)
    stable = mine == repeat
    hidden = None
    if not stable.all():
        hidden = f"{original.name}: {int((~stable).sum())} of {stable.size} elements differ between the original's own runs"
    wrong = stable & (mine != other)
    finding = _wrong_value(part, element, int(np.argmax(wrong)), "") if wrong.any() else None
    if finding is not None and stable.all() and (np.sort(mine) == np.sort(other)).all():
        finding = _laid_out_otherwise(finding)
    return finding, hidden, int(stable.sum())


def _compare_sorted(original: HostData, mine: Patterns, other: Patterns, element: ElementType) -> TransferResult:
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


def _compare_floats(part: Part, element: ElementType, rule: FloatRule, pooled: float) -> TransferResult:
    """All floats of one transfer: same NaN and infinity positions, deviations within the original's own spread and regrouping.

    ``pooled``: the spread of all transfers of its kind.
    """
    if _is_surely_near(part, element, rule, pooled):
        return None, None, len(part.original.data) // element.scalar_bytes
    mine, other = (floats(data, element) for data in (part.original.data, part.candidate))
    repeat, moved = (mine if data == part.original.data else floats(data, element) for data in (part.again, part.rounded))
    is_number: MaskArray = np.isfinite(mine)
    special = ~is_number | ~np.isfinite(other)
    stable = is_number == np.isfinite(repeat)
    if special.any():
        same = np.where(np.isnan(mine), np.isnan(other), mine == other)
        wrong = special & stable & ~same
        if wrong.any():
            return _wrong_value(part, element, int(np.argmax(wrong)), "NaN or infinity"), None, mine.size
    places = ~special & np.isfinite(repeat)
    count = int(np.count_nonzero(places))
    if part.candidate == part.original.data:
        return None, None, count
    expected = mine if count == mine.size else np.where(places, mine, 0.0)
    actual = other if count == mine.size else np.where(places, other, 0.0)
    deviation = np.abs(with_marks_of(expected, actual, element.unit_roundoff or 0.0) - expected)
    if isinstance(rule.tolerance, FixedTolerance):
        limit = rule.tolerance.atol + rule.tolerance.rtol * np.abs(expected)
        rms_allowed = float("inf")
    else:
        usable = places & np.isfinite(moved)
        of_repeat = NO_ERRORS if repeat is mine else errors_of(chosen(repeat, places), chosen(mine, places))
        of_rounding = NO_ERRORS if moved is mine else errors_of(chosen(moved, usable), chosen(mine, usable))
        spread = of_repeat.at_least(of_rounding.times(ROUNDED_FACTOR))
        slack = _slack(rule, element, mine.size) * rms(without_marks(chosen(mine, places), element.unit_roundoff or 0.0))
        limit = np.full(mine.size, MAX_FACTOR * (max(spread.max, pooled) + slack))
        rms_allowed = RMS_FACTOR * max(spread.rms, pooled) + slack
    is_far = rms(chosen(deviation, places)) > rms_allowed and count > SMALL_COUNT
    wrong = deviation > limit if (deviation > limit).any() else (deviation == deviation.max()) & is_far
    if not wrong.any():
        return None, None, count
    finding = _wrong_value(part, element, int(np.argmax(wrong)), "")
    if places.all():
        apart = np.abs(np.sort(other) - np.sort(mine))
        if (apart <= limit).all() and rms(apart) <= rms_allowed:
            finding = _laid_out_otherwise(finding)
    return finding, None, count


def _is_surely_near(part: Part, element: ElementType, rule: FloatRule, pooled: float) -> bool:
    """Whether all are numbers within the bounds of `_compare_floats`, where the original's runs leave the same: found in pieces."""
    data = part.original.data
    if isinstance(rule.tolerance, FixedTolerance) or not part.again == data == part.rounded or len(part.candidate) != len(data):
        return False
    count = len(data) // element.scalar_bytes
    size = size_in_pieces(count, lambda places: piece_of(data, element, places))
    moved = size_in_pieces(count, lambda places: piece_of(part.candidate, element, places) - piece_of(data, element, places))
    some = bits(data, element)[sample_places(count, MARK_SAMPLES)]
    if size is None or moved is None or may_have_marks(floats(some.tobytes(), element), size.max, element.unit_roundoff or 0.0):
        return False
    slack = _slack(rule, element, count) * size.rms
    return moved.max <= MAX_FACTOR * (pooled + slack) and (count <= SMALL_COUNT or moved.rms <= RMS_FACTOR * pooled + slack)


def _slack(rule: FloatRule, element: ElementType, count: int) -> float:
    """How far ``count`` floats may move that are added in another order, relative to their size."""
    regrouped = REGROUPING_ROUNDOFFS * max(element.unit_roundoff or 0.0, rule.least_roundoff)
    return max(regrouped * (rule.of_few if count <= SMALL_OUTPUT else 1.0), rule.own_error)


def _laid_out_otherwise(finding: VerificationFinding) -> VerificationFinding:
    message = f"the same values are at other places on the host, and what is printed of them is the same; {finding.message}"
    return replace(finding, code=OTHER_LAYOUT, outcome=Outcome.NEEDS_DECISION, message=message)


def _wrong_value(part: Part, element: ElementType, index: int, detail: str) -> VerificationFinding:
    original = part.original
    expected, actual = shown(original.data, element, index), shown(part.candidate, element, index)
    reason = f" ({detail})" if detail else ""
    where = "in the GPU's memory" if original.kind == IN_MEMORY else "on the host"
    message = f"{original.place(index)}: wrong value {where}; expected {expected}, got {actual}{reason}"
    return VerificationFinding("wrong_value", Outcome.FAIL, message, buffer=original.name, index=index, expected=expected, actual=actual)

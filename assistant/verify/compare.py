"""One output of one case: is what B left there what the original left there?

``compare`` applies the rule that `rules.prepare` worked out to one run's bytes. The controls use the same function with made-up bytes.
"""

from __future__ import annotations

import numpy as np

from assistant.model.elements import ElementType
from assistant.model.verification import Outcome
from assistant.model.workload import AutoTolerance, FixedTolerance, Tolerance
from assistant.record import Record
from assistant.verify.float_errors import quick_errors
from assistant.verify.numbers import (
    FloatArray,
    MaskArray,
    Patterns,
    Places,
    bits,
    chosen,
    floats,
    ieee,
    is_rounding,
    largest,
    shown,
    unsigned_zeros,
)
from assistant.verify.outputs import OutputBuffer, matching_run
from assistant.verify.rules import PreparedOutput, finite_reference
from assistant.verify.tolerance import (
    MAX_FACTOR,
    MAX_ROUNDOFFS,
    NO_ERRORS,
    Errors,
    allowance,
    errors_of,
    grade,
    usual_errors,
    with_marks_of,
)

__all__ = ["BufferVerdict", "compare", "is_surely_wrong", "leaves_same_values"]


class BufferVerdict(Record):
    """What comparing one run's buffer gave."""

    outcome: Outcome
    code: str | None
    """``wrong_value``, ``wrote_outside_outputs``, ``not_written`` or ``nan_position``; None on PASS."""
    index: int | None
    """First differing component."""
    expected: str | None
    actual: str | None
    errors: Errors | None
    """Errors of floating outputs that got as far as being measured."""
    is_bitwise_equal: bool
    detail: str = ""
    share: float | None = None
    """The largest error over the largest value of the reference, where somebody asks how much a change of precision costs."""


@ieee
def compare(prepared: PreparedOutput, after: bytes, fill: int, tolerance: Tolerance, is_precision_changed: bool) -> BufferVerdict:
    """Judge what one run with poison ``fill`` left in the buffer."""
    output, element = prepared.output, prepared.output.element
    run = matching_run(prepared.runs, fill)
    original = run.contents(output.buffer.id) or b""
    if len(after) != len(original):
        return BufferVerdict(Outcome.FAIL, "wrong_value", None, f"{len(original)} bytes", f"{len(after)} bytes", None, False)
    if after == original and not prepared.is_unordered and (run.fill == fill or not output.buffer.is_poisoned):
        return BufferVerdict(Outcome.PASS, None, None, None, None, None if prepared.reference is None else NO_ERRORS, True)
    quick = quick_errors(prepared, after, fill, original)
    if quick is not None and isinstance(tolerance, AutoTolerance) and grade(quick, prepared.allowed, False) is Outcome.PASS:
        return BufferVerdict(Outcome.PASS, None, None, None, None, quick, False)
    before = output.before(fill)
    mine, theirs, initial = (unsigned_zeros(data, element) for data in (after, original, before))
    if prepared.is_unordered:
        mine, theirs = _in_order(mine, output.written), _in_order(theirs, output.written)
    is_all_written = bool(output.written.all())
    touched = output.written if is_all_written else ~output.written & (mine != initial)
    if not is_all_written and touched.any() and prepared.reference is not None and not output.buffer.is_poisoned:
        touched &= _deviation(before, after, element) > _largest_rounding(prepared, tolerance)
    if not is_all_written and touched.any():
        return _differs("wrote_outside_outputs", output, touched, before, after)
    if not output.is_compared or not ((mine != theirs) & output.written).any():
        errors = Errors(0.0, 0.0) if prepared.reference is not None else None
        is_equal = not output.is_compared or not ((bits(after, element) != bits(original, element)) & output.written).any()
        return BufferVerdict(Outcome.PASS, None, None, None, None, errors, is_equal)
    if output.buffer.is_poisoned:
        left = output.written & (mine == initial) & (theirs != initial)
        if left.any():
            return _differs("not_written", output, left, original, after)
    if output.is_untyped:
        return _compare_untyped(output, original, after)
    if prepared.reference is None:
        return _differs("wrong_value", output, output.written & (mine != theirs), original, after)
    return _compare_floats(prepared, original, after, tolerance, is_precision_changed)


@ieee
def is_surely_wrong(prepared: PreparedOutput, some: Patterns, places: slice | Places, tolerance: Tolerance) -> bool:
    """Whether ``some``, what a run left in the elements ``places``, are enough to know that `compare` would not pass the whole output.

    Never true where it would pass: each element that is looked at is held to the largest error that any element may have.
    """
    output, element = prepared.output, prepared.output.element
    if prepared.is_unordered or not output.is_compared:
        return False
    original = bits(prepared.runs[0].contents(output.buffer.id) or b"", element)[places]
    mine, theirs = (unsigned_zeros(part.tobytes(), element) for part in (some, original))
    written = output.written[places]
    if prepared.reference is None:
        return bool(((mine != theirs) & written).any())
    reference = prepared.reference[places]
    values = floats(some.tobytes(), element)
    usable = written & np.isfinite(floats(original.tobytes(), element)) & np.isfinite(reference)
    if isinstance(tolerance, FixedTolerance):
        most = tolerance.atol + tolerance.rtol * np.abs(reference)
    else:
        most = (MAX_FACTOR + prepared.is_stand_in) * prepared.own.max + MAX_ROUNDOFFS * (element.unit_roundoff or 0.0) * largest(
            prepared.reference
        )
    return bool((np.abs(values - reference) > most)[usable].any())


def _deviation(before: bytes, after: bytes, element: ElementType) -> FloatArray:
    """How far floats were moved; infinite where one is no number."""
    moved = np.abs(floats(after, element) - floats(before, element))
    return np.where(np.isfinite(moved), moved, np.inf)


def _largest_rounding(prepared: PreparedOutput, tolerance: Tolerance) -> float:
    """What elements may move by that the original leaves as they are: what is added there may cancel in one order of additions alone."""
    assert prepared.reference is not None
    if isinstance(tolerance, FixedTolerance):
        return tolerance.atol
    roundoff, reference = prepared.output.element.unit_roundoff or 0.0, finite_reference(prepared)
    return allowance(prepared.own, roundoff, reference, is_stand_in=prepared.is_stand_in).max


def leaves_same_values(prepared: PreparedOutput, after: bytes, fill: int) -> bool:
    """Whether what a run left where the original writes are the original's values, in whatever order."""
    output = prepared.output
    original = matching_run(prepared.runs, fill).contents(output.buffer.id) or b""
    pair = [np.sort(bits(data, output.element)[output.written]) for data in (original, after)]
    return len(after) == len(original) and bool((pair[0] == pair[1]).all())


def _in_order(values: Patterns, places: MaskArray) -> Patterns:
    """``values`` with those at ``places`` sorted among themselves."""
    ordered = values.copy()
    ordered[places] = np.sort(values[places])
    return ordered


def _compare_untyped(output: OutputBuffer, original: bytes, after: bytes) -> BufferVerdict:
    """Bytes that no type explains: what may well be floats rounded otherwise is for a person to decide."""
    places = output.written & (bits(after, output.element) != bits(original, output.element))
    detail = "type unknown, compared as bytes"
    if not is_rounding(original, after):
        return _differs("wrong_value", output, places, original, after, detail=detail)
    detail += "; as floats they would differ in the last digits only"
    return _differs("untyped_value", output, places, original, after, Outcome.NEEDS_DECISION, detail=detail)


def _compare_floats(
    prepared: PreparedOutput, original: bytes, after: bytes, tolerance: Tolerance, is_precision_changed: bool
) -> BufferVerdict:
    output, element = prepared.output, prepared.output.element
    assert prepared.reference is not None
    mine, theirs = floats(after, element), floats(original, element)
    is_number: MaskArray = np.isfinite(theirs)
    odd = output.written & ~_same_specials(mine, theirs, is_number)
    if odd.any():
        return _differs("nan_position", output, odd, original, after)
    places = output.written & is_number & np.isfinite(prepared.reference)
    reference = chosen(prepared.reference, places)
    values = with_marks_of(reference, chosen(mine, places), element.unit_roundoff or 0.0)
    errors = errors_of(values, reference)
    if isinstance(tolerance, FixedTolerance):
        most = tolerance.atol + tolerance.rtol * np.abs(reference)
        outcome = Outcome.FAIL if (np.abs(values - reference) > most).any() else Outcome.PASS
        detail = f"tolerance rtol {tolerance.rtol:g}, atol {tolerance.atol:g}"
    else:
        allowed = allowance(prepared.own, element.unit_roundoff or 0.0, reference, is_stand_in=prepared.is_stand_in)
        outcome = grade(errors, allowed, is_precision_changed)
        if outcome is not Outcome.PASS:
            outcome = grade(usual_errors(values, reference), allowed, is_precision_changed)
        most = allowed.max if errors.max > allowed.max else min(allowed.max, errors.max * 0.999)
        detail = (
            f"rms error {errors.rms:.3g} (allowed {allowed.rms:.3g}), "
            f"max error {errors.max:.3g} (allowed {allowed.max:.3g}); the original's own are "
            f"{prepared.own.rms:.3g} and {prepared.own.max:.3g}"
        )
    if outcome is Outcome.PASS:
        return BufferVerdict(outcome, None, None, None, None, errors, False, detail)
    code = "wrong_value" if outcome is Outcome.FAIL else "precision"
    wrong: MaskArray = np.zeros(mine.size, np.bool_)
    wrong[places] = np.abs(values - reference) > most
    return _differs(code, output, wrong, original, after, outcome, errors, detail)


def _differs(
    code: str,
    output: OutputBuffer,
    places: MaskArray,
    original: bytes,
    after: bytes,
    outcome: Outcome = Outcome.FAIL,
    errors: Errors | None = None,
    detail: str = "",
) -> BufferVerdict:
    index = int(np.argmax(places))
    count = f"{int(np.count_nonzero(places))} of {places.size} elements differ"
    return BufferVerdict(
        outcome,
        code,
        index,
        shown(original, output.element, index),
        shown(after, output.element, index),
        errors,
        False,
        f"{count}; {detail}" if detail else count,
    )


def _same_specials(mine: FloatArray, theirs: FloatArray, is_number: MaskArray) -> MaskArray:
    """NaN where NaN is, infinities of the same sign where infinities are; ``is_number``: where ``theirs`` are finite."""
    same: MaskArray = np.isfinite(mine) == is_number
    if is_number.all():
        return same
    return same & (is_number | (mine == theirs) | (np.isnan(mine) & np.isnan(theirs)))

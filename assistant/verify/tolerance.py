"""How far B may be from the truth: not further than the original itself is.

With r64 the float64 reference, E the original's error against it plus its run-to-run spread, and u the type's unit roundoff,
an output passes if ``rms error ≤ 2·E_rms + 2u·rms(r64)`` and ``max error ≤ 4·E_max + 8u·max|r64|``. Up to 100 times that,
together with a detected change of precision, is for a human to decide.

An output of few elements (a sum, a norm) is too small a sample of errors for the first bound: its only error may be tiny by luck.
There the second bound counts for both, E is pooled over the cases, relative to the output's size and to the size that it usually has on
that shape (a sum of random numbers may be near zero by luck, its error is not), the larger counting, and where the original was also run
on inputs moved by one ulp, E is at least that spread. In a trial of 300 × 5 sums of 2^14 normal floats in orders of comparable accuracy
(pairwise, strided, in 64 parts, one after the other; the edit's no less accurate), pooling refused 0 % of the honest pairs.

In a large output, too, the root-mean-square may be made of a few elements far from the rest (the one cell that half of all values are
added to), and vary from run to run as much as they do. So the first bound is held to the others: one element in a hundred, 64 at most,
may miss it, and has to meet the second like all.

Where what the original left stands for r64 (doubles, of which there is no better value), it is itself E away from the truth, on either
side: both bounds have one E more there.

A mark (``FLT_MAX`` where nothing was found) is no size that errors are measured by: next to it no other value would count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import hypot, log, sqrt
from statistics import median

import numpy as np
from numpy.typing import NDArray

from assistant.model.elements import ElementType
from assistant.model.verification import Outcome
from assistant.model.workload import CaseOrigin
from assistant.record import Record
from assistant.verify.numbers import FloatArray, MaskArray, bits, chosen, exponent_bits, ieee, largest, rms, rms_below, sample_places

__all__ = [
    "MARK_SAMPLES",
    "NO_ERRORS",
    "PERTURBATION_COUNT",
    "Allowance",
    "Errors",
    "allowance",
    "errors_of",
    "grade",
    "has_marks",
    "is_plausible_reference",
    "largest_of",
    "may_have_marks",
    "one_by_one",
    "one_ulp",
    "pooled",
    "regrouping",
    "typical_sizes",
    "usual_errors",
    "usual_spread",
    "with_marks_of",
    "without_marks",
    "worst_spread",
]

PERTURBATION_COUNT = 8
"""Runs of the original with inputs moved by one ulp, where there is no reference."""
RMS_FACTOR = 2.0
MAX_FACTOR = 4.0
RMS_ROUNDOFFS = 2.0
MAX_ROUNDOFFS = 8.0
FLOAT_ROUNDOFF = 2.0**-24
DECISION_FACTOR = 100.0
"""Up to this multiple of the allowance a detected precision change asks the human."""
SMALL_OUTPUT = 64
"""Below this many elements one case is too few errors to estimate E from."""


_MARK_RATIO = 2.0**-12
"""All other values over a mark, at most; half of a float's digits."""
MARK_SAMPLES = 1024
"""Values that are looked at before all are."""
_FEW = 100
"""One element of so many may miss the first bound."""


class Errors(Record):
    """Root-mean-square and largest deviation over one output."""

    rms: float
    max: float

    def at_least(self, other: Errors) -> Errors:
        """The larger of both, each."""
        return Errors(max(self.rms, other.rms), max(self.max, other.max))

    def beyond(self, other: Errors) -> Errors:
        """What they exceed ``other`` by, each; 0 where they do not."""
        return Errors(max(0.0, self.rms - other.rms), max(0.0, self.max - other.max))

    def times(self, factor: float) -> Errors:
        return Errors(factor * self.rms, factor * self.max)

    def __add__(self, other: Errors) -> Errors:
        return Errors(self.rms + other.rms, self.max + other.max)


NO_ERRORS = Errors(0.0, 0.0)


class Allowance(Record):
    """Largest deviations that pass."""

    rms: float
    max: float


@ieee
def errors_of(values: FloatArray, reference: FloatArray) -> Errors:
    """Deviation of ``values`` from ``reference``; both finite."""
    difference = values - reference
    top = largest(difference)
    return Errors(rms_below(difference, top), top)


@ieee
def usual_errors(values: FloatArray, reference: FloatArray) -> Errors:
    """As ``errors_of``, but the root-mean-square without the few elements of a large output that are furthest off."""
    deviations = np.abs(values - reference)
    few = min(SMALL_OUTPUT, deviations.size // _FEW)
    usual = np.partition(deviations, deviations.size - few)[: deviations.size - few] if few else deviations
    return Errors(rms(usual), largest(deviations))


def worst_spread(runs: list[FloatArray], centre: FloatArray, places: MaskArray) -> Errors:
    """Largest deviation of any run from ``centre`` over ``places``; a run that is not finite there counts nowhere."""
    spreads = [NO_ERRORS]
    for run in runs:
        usable = places & np.isfinite(run)
        spreads.append(errors_of(chosen(run, usable), chosen(centre, usable)))
    return Errors(max(s.rms for s in spreads), max(s.max for s in spreads))


def usual_spread(outputs: Sequence[tuple[Errors, float]]) -> Errors:
    """The usual spread of one buffer over several cases, as (spread, rms of its values): the median spread relative to the size.

    Two or three runs of one case may agree by luck, where others show that results vary; one case that cancels says little of the others.
    """
    relative = [spread.times(1.0 / size) for spread, size in outputs if size > 0.0]
    return Errors(median(one.rms for one in relative), median(one.max for one in relative)) if relative else NO_ERRORS


def allowance(own: Errors, unit_roundoff: float, reference: FloatArray, *, is_stand_in: bool = False) -> Allowance:
    """What an output may err by (docs/explanation/verification.md); ``own``: the original's error, ``reference``: its written elements.

    ``is_stand_in``: the reference is what the original left, which is as far from the truth as its error, on either side of it.
    """
    measure = without_marks(reference, unit_roundoff)
    top = largest(measure)
    largest_error = (MAX_FACTOR + is_stand_in) * own.max + MAX_ROUNDOFFS * unit_roundoff * top
    if reference.size < SMALL_OUTPUT:
        return Allowance(largest_error, largest_error)
    usual_error = (RMS_FACTOR + is_stand_in) * own.rms + RMS_ROUNDOFFS * unit_roundoff * rms_below(measure, top)
    return Allowance(usual_error, largest_error)


def has_marks(values: FloatArray, unit_roundoff: float) -> bool:
    """Whether some of the finite ``values`` stand for none (`without_marks`)."""
    return _marks(values, unit_roundoff) is not None


def without_marks(values: FloatArray, unit_roundoff: float) -> FloatArray:
    """Finite ``values`` without those that stand for none: one magnitude, more than once, next to which all others are tiny."""
    marks = _marks(values, unit_roundoff)
    return values if marks is None else values[~marks]


@ieee
def with_marks_of(reference: FloatArray, values: FloatArray, unit_roundoff: float) -> FloatArray:
    """``values`` with the marks of ``reference`` where they are the same up to some roundoffs of such a mark."""
    marks = _marks(reference, unit_roundoff)
    if marks is None:
        return values
    near = np.abs(values - reference) <= MAX_ROUNDOFFS * unit_roundoff * np.abs(reference)
    return np.where(marks & near, reference, values)


def may_have_marks(some: FloatArray, top: float, unit_roundoff: float) -> bool:
    """Whether values of which the largest is ``top`` may have some, by ``some`` of them: one other value of its size is enough."""
    sizes = np.abs(some)
    return not bool(((sizes > _largest_other(top, unit_roundoff)) & (sizes < top)).any())


def _largest_other(top: float, unit_roundoff: float) -> float:
    return min(sqrt(unit_roundoff), _MARK_RATIO) * top


def _marks(values: FloatArray, unit_roundoff: float) -> MaskArray | None:
    """Where they are; None where there are none."""
    top = largest(values)
    if not may_have_marks(values[sample_places(values.size, MARK_SAMPLES)], top, unit_roundoff):
        return None
    most = _largest_other(top, unit_roundoff)
    sizes = np.abs(values)
    found: MaskArray = sizes == top
    is_mark = np.count_nonzero(found) > 1 and 0.0 < largest(sizes[~found]) <= most
    return found if is_mark else None


_MOST_OF_ADDING = 1 / 32
"""Share of a sum that its own rounding may take, for the sum to be called the same as its float64 value."""


def regrouping(unit_roundoff: float, values: FloatArray, term_count: float) -> Errors:
    """Least E of an output with the given ``values``: what honest edits differ by that add, multiply or round in another order.

    Adding n terms one by one, in place of a tree, costs up to about √n roundoffs (Higham, Accuracy and Stability, §4.2); how many terms
    there are is estimated as inputs per output. Types of 16 bits are added up in float.
    """
    moved = sqrt(max(0.0, term_count - 1)) / RMS_FACTOR * min(unit_roundoff, FLOAT_ROUNDOFF)
    return _size_of(without_marks(values, unit_roundoff)).times(moved)


def largest_of(estimate: Errors, count: int) -> Errors:
    """An estimate for a single element, as the errors of ``count`` elements: the largest of n normal errors is √(2·ln n) times the usual.

    Measured errors include their largest already.
    """
    return Errors(estimate.rms, estimate.max * max(1.0, sqrt(2.0 * log(max(1, count)))))


def one_by_one(unit_roundoff: float, values: FloatArray, term_count: float) -> Errors:
    """What sums of ``term_count`` terms may err by, added one by one: half of Higham's bound of (n-1)·u (Accuracy and Stability, §4.2)."""
    share = max(0.0, term_count - 1) / 2 * min(unit_roundoff, FLOAT_ROUNDOFF)
    return _size_of(without_marks(values, unit_roundoff)).times(share)


def _size_of(values: FloatArray) -> Errors:
    top = largest(values)
    return Errors(rms_below(values, top), top)


def grade(errors: Errors, allowed: Allowance, is_precision_changed: bool) -> Outcome:
    """PASS, NEEDS_DECISION or FAIL of a floating output."""
    if errors.rms <= allowed.rms and errors.max <= allowed.max:
        return Outcome.PASS
    is_near = errors.rms <= DECISION_FACTOR * allowed.rms and errors.max <= DECISION_FACTOR * allowed.max
    return Outcome.NEEDS_DECISION if is_near and is_precision_changed else Outcome.FAIL


def is_plausible_reference(own: Errors, unit_roundoff: float, reference: FloatArray, term_count: float = 1.0) -> bool:
    """False when the original is further than √u from the reference: then they do not compute the same thing.

    √u is half of the type's digits; a rounding error of that size needs a condition number of 1/√u, or very many terms that are added one
    by one: such a sum of n terms errs by up to (n-1)·u (Higham, Accuracy and Stability, §4.2). ``term_count``: how many there can be.
    """
    of_adding = min(_MOST_OF_ADDING, (term_count - 1) * unit_roundoff / 2)
    return own.rms == 0.0 or own.rms <= max(sqrt(unit_roundoff), of_adding) * rms(reference)


def typical_sizes(outputs: Sequence[tuple[CaseOrigin, float]]) -> list[float]:
    """Per output of one buffer how large its values usually are on that shape; (case, rms of its values) each.

    The median over the shape's draws of scale 1, for other scales what it is at most where the output grows with the first or the second
    power of the input; at least the output's own.
    """
    plain: defaultdict[str, list[float]] = defaultdict(list)
    for origin, size in outputs:
        if abs(origin.scale) == 1.0:
            plain[origin.shape].append(size)
    usual = {shape: median(sizes) for shape, sizes in plain.items()}
    return [max(size, usual.get(origin.shape, 0.0) * max(abs(origin.scale), origin.scale**2)) for origin, size in outputs]


def pooled(own: list[Errors], scales: list[float], counts: list[int]) -> list[Errors]:
    """``own`` with the errors of small outputs replaced by those of all cases together, relative to each case's size.

    ``scales`` are rms(r64) per case or `typical_sizes`, ``counts`` the elements. No error is made smaller.
    """
    relative = [
        Errors(e.rms / scale, e.max / scale)
        for e, scale, count in zip(own, scales, counts, strict=True)
        if scale > 0 and count < SMALL_OUTPUT
    ]
    if not relative:
        return own
    together = Errors(hypot(*(e.rms for e in relative)) / sqrt(len(relative)), max(e.max for e in relative))
    return [
        Errors(max(e.rms, together.rms * scale), max(e.max, together.max * scale)) if count < SMALL_OUTPUT else e
        for e, scale, count in zip(own, scales, counts, strict=True)
    ]


def one_ulp(data: bytes, element: ElementType, seed: int) -> bytes:
    """``data`` with every finite nonzero float moved to a neighbour, up or down at random; other types unchanged."""
    if not element.is_floating:
        return data
    patterns = bits(data[: len(data) // element.scalar_bytes * element.scalar_bytes], element)
    moved = patterns + _random_signs(patterns.size, seed).astype(patterns.dtype)  # wraps around: -1 is all ones
    special = exponent_bits(element)
    stays = (patterns & special == special) | (patterns << 1 == 0) | (moved & special == special)
    np.copyto(moved, patterns, where=stays)
    return moved.tobytes() + data[patterns.nbytes :]


def _random_signs(count: int, seed: int) -> NDArray[np.int8]:
    """-1 or 1 each; a random bit is enough for one."""
    drawn = np.frombuffer(np.random.default_rng(seed).bytes(-(-count // 8)), np.uint8)
    return np.unpackbits(drawn, count=count).view(np.int8) * np.int8(2) - np.int8(1)

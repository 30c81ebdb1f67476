"""Floats of which large ones of both signs cancel among small ones: what a compensated sum keeps and a plain one loses.

Only floats of less than eight bytes, which a float64 twin can judge. One buffer has the large values, the others a single value, so that
products cancel as sums do. Example::

    [case.origin.values for case in with_cancelling(case, row_lengths=(), seed=7)]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from assistant.model.elements import ElementType
from assistant.workload.arrays import Array, doubles, encode, largest_finite
from assistant.workload.derive import contents_of, typed_buffers, with_contents
from assistant.workload.recordings import NewCase
from assistant.workload.resample import is_sorted, with_tail

__all__ = ["CANCELLING", "with_cancelling"]

CANCELLING = "cancelling"
"""The kind of these cases."""
_FEWEST = 64
"""Values of a buffer that has large ones."""
_PAIRS = 12
"""Of neighbours that cancel: few, so that hardly any lies across the end of a row, where it would cancel nothing."""
_LOST_DIGITS = 2
"""A small value is lost beside a large one with so many binary digits to spare."""
_KEPT = 2.0**12
"""What remains of two large values that stand far apart, in units of their last place: Kahan's sum errs by about one."""
_SHARE_OF_UNIT = 0.25
"""Small values between these, in the same unit: added one by one to the large value each is lost."""


def with_cancelling(case: NewCase, row_lengths: Sequence[int], seed: int) -> Iterator[NewCase]:
    """``case`` with large values next to each other, then with large ones at both ends of the rows, or of the buffer."""
    chosen = _largest(case)
    if chosen is None:
        return
    buffer, element = chosen
    small = np.abs(doubles(contents_of(case)[buffer], element))
    random = np.random.default_rng([seed, buffer])
    length = next((one for one in sorted(row_lengths) if one >= _FEWEST and small.size % one == 0), small.size)
    large = float(np.sqrt(np.mean(np.square(small)))) * 2.0 ** (_digits(element) + _LOST_DIGITS)
    if not 0 < large < largest_finite(element) / _PAIRS:
        return
    for values, words in ((_neighbours(small, large, random), "neighbours"), (_ends(small, large, length, element), "ends of rows")):
        contents = _others_alike(case, buffer) | {buffer: with_tail(encode(values, element), contents_of(case)[buffer])}
        shown = f"values of up to {np.abs(values).max():.3g} that cancel, among such of {np.median(np.abs(values)):.3g} ({words})"
        yield with_contents(case, contents, replace(case.origin, kind=CANCELLING, seed=seed, scale=1.0, weight=0.0, values=shown))


def _largest(case: NewCase) -> tuple[int, ElementType] | None:
    """The buffer with most floats, the first of several."""
    contents = contents_of(case)
    floating = {b: e for b, e in typed_buffers(case).items() if e.is_floating and e.components == 1 and e.scalar_bytes < 8}
    usable = {b: e for b, e in floating.items() if _is_usable(doubles(contents[b], e))}
    return max(usable.items(), key=lambda item: len(contents[item[0]]) // item[1].scalar_bytes, default=None)


def _is_usable(values: Array) -> bool:
    return values.size >= _FEWEST and bool(np.isfinite(values).all()) and bool(values.any()) and not is_sorted(values)


def _neighbours(small: Array, large: float, random: np.random.Generator) -> Array:
    values = small.copy()
    places = 2 * random.choice(small.size // 2, min(_PAIRS, small.size // 8), replace=False)
    values[places], values[places + 1] = large, -large
    return values


def _ends(small: Array, large: float, length: int, element: ElementType) -> Array:
    """Rows that begin with a large value and end with its opposite, but for a rest; what lies between is lost one by one."""
    unit = large * 2.0 ** (1 - _digits(element))
    typical = float(np.sqrt(np.mean(np.square(small))))
    values = (small / typical * unit * _SHARE_OF_UNIT / 2).clip(unit * _SHARE_OF_UNIT / 8, unit * _SHARE_OF_UNIT)
    values[::length] = large
    values[length - 1 :: length] = -(large - _KEPT * unit)
    return values


def _others_alike(case: NewCase, buffer: int) -> dict[int, bytes]:
    """The other buffers of floats, each with one value for all that are not zero."""
    made: dict[int, bytes] = {}
    for other, element in typed_buffers(case).items():
        data = contents_of(case)[other]
        values = doubles(data, element) if element.is_floating else np.zeros(0)
        if other != buffer and values.any() and np.isfinite(values).all():
            made[other] = with_tail(encode(np.where(values == 0, 0.0, np.abs(values[values != 0]).mean()), element), data)
    return made


def _digits(element: ElementType) -> int:
    """Significand bits, the hidden one included."""
    return round(-np.log2(element.unit_roundoff or 1.0))

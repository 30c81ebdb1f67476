"""Does a kernel compute what the user's own function computes? Asked of the original, before anything is held against it.

A function of the user's works in whatever precision it likes, so this is no question of rounding: values agree while they are not
further apart than √u of the type's unit roundoff u, half of its digits, relative to the larger of the value itself and the output's
root mean square (the same bound as ``tolerance.is_plausible_reference``, held for every element). Integers are equal, NaN and
infinities stand at the same places. Example::

    disagreement(kernel_bytes, float64_bytes, parse_element_type("float"))     # None, or Disagreement(index=7, …)
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from assistant.model.elements import ElementType
from assistant.record import Record
from assistant.verify.numbers import FloatArray, MaskArray, bits, floats, ieee, rms, shown

__all__ = ["Disagreement", "disagreement"]

_SHOWN_DIGITS = 9
"""Digits of a reference's value that are shown: as many as a float has."""


class Disagreement(Record):
    """The component that is furthest from the reference, and how many are too far."""

    index: int
    value: str
    expected: str
    count: int
    total: int

    def __str__(self) -> str:
        return f"[{self.index}] is {self.value}, the reference has {self.expected} ({self.count} of {self.total} values differ)"


@ieee
def disagreement(data: bytes, reference: bytes, element: ElementType) -> Disagreement | None:
    """None where both agree. ``reference``: float64 values of a floating type, else stored elements; as many as ``data`` holds."""
    unit_roundoff = element.unit_roundoff
    if unit_roundoff is None:
        differs = bits(data, element) != bits(reference, element)
        if not differs.any():
            return None
        index = int(np.argmax(differs))
        return Disagreement(index, shown(data, element, index), shown(reference, element, index), int(differs.sum()), int(differs.size))
    values, expected = floats(data, element), np.frombuffer(reference, np.float64)
    differs = _differs(values, expected, sqrt(unit_roundoff))
    if not differs.any():
        return None
    distance = np.where(differs, np.abs(values - expected), -1.0)
    index = int(np.argmax(np.where(differs & np.isnan(distance), np.inf, distance)))
    return Disagreement(index, shown(data, element, index), _number(float(expected[index])), int(differs.sum()), int(differs.size))


def _differs(values: FloatArray, expected: FloatArray, bound_ratio: float) -> MaskArray:
    """Where a value is further from the expected one than ``bound_ratio`` allows; NaN and infinities must be the same."""
    finite = np.isfinite(expected)
    scale = np.maximum(np.abs(expected), rms(expected[finite]))
    is_near = np.abs(values - expected) <= bound_ratio * scale
    is_same = (values == expected) | (np.isnan(values) & np.isnan(expected))
    return ~np.where(finite, is_near, is_same)


def _number(value: float) -> str:
    return f"{value:.{_SHOWN_DIGITS}g}"

"""Floats of a kind that the program never had: all negative, next to 1, tiny, denormal, halfway, far away, spread out.

Each kind makes other finite values of those of one buffer that are not 0; NaN, infinities and zeros stay where they are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assistant.model.elements import ElementKind, ElementType
from assistant.workload.arrays import Array, doubles, encode, largest_finite, significand_bits
from assistant.workload.derive import Change
from assistant.workload.resample import ordered_as, with_tail

__all__ = ["TELLING", "enlarged", "in_floats", "spread"]

_SPREAD_RATIOS = (1.0, 8.0)
"""Ratios of a value to the program's own."""
_FEWEST_DATA = 16
"""Fewer floats are numbers to compare others with, such as a box, rather than data."""
_HALVES = 32
"""k + 1/2 for k from -32 to 31; scaled down by powers of two, as kernels scale before they round."""
_SCALINGS = 5
_FLOAT_DIGITS = 24
_SPREAD = 3.0
"""Standard deviations that values around a mean stay within."""

_Floats = Callable[[Array, ElementType, np.random.Generator], Array]
"""Other finite values in place of nonzero ones (float64)."""


def _offset(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """A mean of the values' own size and a spread of √u of it."""
    return _rms(values) * _around_one(values, element)


def _raised(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """The values' own deviations around a mean of 1/√u of them: what is added to a variance, or compared with, keeps its meaning.

    Types of 16 bits are added up in float: their deviations are a few of their own steps there.
    """
    deviation: Array = values - float(np.mean(values))
    spread = _rms(deviation) if deviation.any() else _rms(values)
    mean = spread * 2.0 ** (max(significand_bits(element), _FLOAT_DIGITS) * 5 // 12)
    return deviation + min(mean, largest_finite(element) / 2)


def _below(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """All negative, where any is positive: a maximum among negative ones."""
    return -np.abs(values)


def spread(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """Each one up to 8 times as large: several lengths of a box away, where the box is a number that stays."""
    if not _is_data(values):
        return values
    return np.clip(values * random.uniform(*_SPREAD_RATIOS, values.size), -largest_finite(element), largest_finite(element))


def _near(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """All next to 1."""
    return _around_one(values, element)


def _tiny(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """So small that 1 + x keeps less than half of x's digits and 1 + x² nothing of it."""
    return values / _rms(values) * 2.0 ** -(significand_bits(element) * 7 // 12)


def _denormal(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """Around the smallest normal number, at all magnitudes from a third of the digits below it to 4 times it."""
    middle = np.log2(_smallest_normal(element))
    return np.sign(values) * 2.0 ** random.uniform(middle - significand_bits(element) / 3, middle + 2, values.size)


def _halves(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """Halfway between whole numbers, of both signs, also at finer steps: which way do ties go?"""
    return (random.integers(-_HALVES, _HALVES, values.size) + 0.5) * 0.5 ** random.integers(0, _SCALINGS, values.size)


def _far(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """Large but not overflowing: large arguments of trigonometric functions, exponentials beyond the range."""
    return values / _rms(values) * 2.0 ** min(15, np.log2(largest_finite(element)) / 2 - 1)


def _extreme(values: Array, element: ElementType, random: np.random.Generator) -> Array:
    """Finite, with squares beyond the range."""
    return np.sign(values) * np.sqrt(largest_finite(element)) * random.uniform(4, 32, values.size)


def enlarged(values: Array, element: ElementType, random: np.random.Generator, is_first_large: bool, seen: list[bool]) -> Array:
    """The values of every second array of data; ``seen``: which of those before were enlarged."""
    if not _is_data(values):
        return values
    seen.append(is_first_large == (len(seen) % 2 == 0))
    limit = largest_finite(element)
    return np.clip(values * 2.0 ** (significand_bits(element) // 2), -limit, limit) if seen[-1] else values


def in_floats(change: _Floats) -> Change:
    """The change of a buffer's bytes that makes other values of its floats."""

    def apply(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
        """Sorted floats stay sorted."""
        if not element.is_floating:
            return data
        values = doubles(data, element)
        places = np.isfinite(values) & (values != 0)
        if not places.any():
            return data
        made = values.copy()
        made[places] = ordered_as(values[places], change(values[places], element, random))
        # zeros that stay at one end of a sorted table would be out of order there
        return with_tail(encode(ordered_as(values, made), element), data)

    return apply


def _is_data(values: Array) -> bool:
    """Not a number or a few that data are held against."""
    return values.size >= _FEWEST_DATA and bool((values != values[0]).any())


def _around_one(values: Array, element: ElementType) -> Array:
    """1 with the values' own deviations, shrunk to √u."""
    deviation: Array = values - float(np.mean(values))
    scale = float(np.sqrt(np.mean(np.square(deviation)))) or 1.0
    return 1.0 + np.clip(deviation / scale, -_SPREAD, _SPREAD) * 2.0 ** -(significand_bits(element) * 5 // 12)


def _rms(values: Array) -> float:
    largest = float(np.abs(values).max())
    return largest * float(np.sqrt(np.mean(np.square(values / largest))))


def _smallest_normal(element: ElementType) -> float:
    return {2: 2.0**-14, 4: 2.0**-126, 8: 2.0**-1022}[element.scalar_bytes] if element.kind is ElementKind.FLOAT else 2.0**-126


TELLING: dict[str, _Floats] = {
    "below": _below,
    "tiny": _tiny,
    "near": _near,
    "offset": _offset,
    "raised": _raised,
    "halves": _halves,
    "denormal": _denormal,
    "far": _far,
    "extreme": _extreme,
}

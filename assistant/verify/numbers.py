"""Buffer bytes as numbers and as bit patterns, by element type."""

from __future__ import annotations

from math import fsum, isnan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.model.elements import ElementKind, ElementType, parse_element_type

__all__ = [
    "BYTES",
    "PIECE",
    "FloatArray",
    "MaskArray",
    "Patterns",
    "Places",
    "bits",
    "chosen",
    "element_of",
    "exponent_bits",
    "floats",
    "guessed_type",
    "ieee",
    "is_rounding",
    "largest",
    "rms",
    "rms_below",
    "sample_places",
    "shown",
]

FloatArray = NDArray[np.float64]
MaskArray = NDArray[np.bool_]
Places = NDArray[np.intp]
Patterns = NDArray[np.unsignedinteger]
"""Components as bit patterns: equal where the memory is equal."""

_EVERYDAY_EXPONENT = 40
"""Magnitudes 2^-40 … 2^40, about 1e-12 … 1e12."""
_EVERYDAY_SHARE = 0.5
"""Least share of the nonzero words that must be of everyday size."""
_USUAL_SHARE = 0.99
"""Least share that must be no larger than that and no denormal."""
_NEAR_FLOATS = 2.0**-14
_NEAR_DOUBLES = 2.0**-43
"""Relative distance that regrouping a sum of 2^20 terms explains: 1024 roundoffs (Higham, Accuracy and Stability, §4.2)."""
_GOLDEN_RATIO = (1.0 + sqrt(5.0)) / 2.0
BYTES = ElementType("unsigned char", ElementKind.UINT, 1, 1, 1)
"""What a buffer of unknown type is compared as."""
PIECE = 1 << 16
"""Values that are squared at a time: they stay in a core's cache, where a whole output's squares would each cost memory."""
ieee = np.errstate(over="ignore", invalid="ignore")
"""Decorator: overflow gives infinity and a signalling NaN a quiet one, as IEEE 754 says, without NumPy's warning. Buffers hold
anything, and the judge asks about infinities and NaN itself."""


def element_of(element_type: str | None, size_bytes: int) -> ElementType:
    """The element type; bytes when it is unknown or does not divide the buffer."""
    element = None if element_type is None else parse_element_type(element_type)
    return element if element is not None and size_bytes % element.scalar_bytes == 0 else BYTES


def guessed_type(data: bytes) -> str | None:
    """``float`` or ``double`` when most nonzero words are numbers of everyday size as that type and nearly all others tiny; else None.

    Small integers are denormal as floats, and random words and the halves of doubles are spread over all exponents, large ones too,
    so none of them passes for float. Probabilities, prices and the like fall off to tiny values without end.
    """
    for name, size, bias, shift in (("float", 4, 127, 23), ("double", 8, 1023, 52)):
        if not data or len(data) % size:
            continue
        words = np.frombuffer(data, np.dtype(f"<u{size}"))
        words = words[words != 0]
        exponents = (words >> shift & (2 * bias + 1)).astype(np.int64) - bias
        is_usual = (exponents > -bias) & (exponents <= _EVERYDAY_EXPONENT)
        is_everyday = is_usual & (exponents >= -_EVERYDAY_EXPONENT)
        if words.size and np.mean(is_usual) >= _USUAL_SHARE and np.mean(is_everyday) >= _EVERYDAY_SHARE:
            return name
    return None


def is_rounding(mine: bytes, theirs: bytes) -> bool:
    """Whether the words in which two equally long data differ are, as floats or as doubles, everyday numbers next to each other."""
    for size, bias, shift, limit in ((4, 127, 23, _NEAR_FLOATS), (8, 1023, 52, _NEAR_DOUBLES)):
        if not mine or len(mine) % size:
            continue
        words = [np.frombuffer(data, np.dtype(f"<u{size}")) for data in (mine, theirs)]
        differing = [values[words[0] != words[1]] for values in words]
        exponents = [(values >> shift & (2 * bias + 1)).astype(np.int64) - bias for values in differing]
        if all((np.abs(e) <= _EVERYDAY_EXPONENT).all() for e in exponents):
            a, b = (values.view(f"<f{size}").astype(np.float64) for values in differing)
            if (np.abs(a - b) <= limit * np.abs(a)).all():
                return True
    return False


def bits(data: bytes | memoryview, element: ElementType) -> NDArray[Any]:
    """One unsigned integer per component."""
    return np.frombuffer(data, np.dtype(f"<u{element.scalar_bytes}"))


def unsigned_zeros(data: bytes, element: ElementType) -> NDArray[Any]:
    """``bits`` with -0 as +0: equal numbers are equal."""
    patterns = bits(data, element)
    if not element.is_floating:
        return patterns
    is_negative = patterns == 1 << (8 * element.scalar_bytes - 1)
    return np.where(is_negative, 0, patterns).astype(patterns.dtype, copy=False) if is_negative.any() else patterns


@ieee
def floats(data: bytes | memoryview, element: ElementType) -> FloatArray:
    """One float64 per component; exact for all floating types and for integers below 2^53."""
    if element.kind is ElementKind.BFLOAT:
        return (bits(data, element).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    letter = {ElementKind.FLOAT: "f", ElementKind.INT: "i"}.get(element.kind, "u")
    return np.frombuffer(data, np.dtype(f"<{letter}{element.scalar_bytes}")).astype(np.float64)


@ieee
def rms(values: FloatArray) -> float:
    """Root of the mean square, scaled against overflow; 0 of nothing."""
    return rms_below(values, largest(values))


@ieee
def rms_below(values: FloatArray, top: float) -> float:
    """As ``rms``, of values whose `largest` is known: ``top``."""
    if top == 0.0 or not np.isfinite(top):
        return top
    pieces = (values[start : start + PIECE] for start in range(0, values.size, PIECE))
    total = fsum(float(np.add.reduce(np.square(piece / top))) for piece in pieces)
    return top * sqrt(total / values.size)


def largest(values: FloatArray) -> float:
    """Largest magnitude; 0 of nothing, NaN where one is NaN. Without a copy: outputs may have a hundred million elements."""
    if not values.size:
        return 0.0
    low, high = float(np.min(values)), float(np.max(values))
    return high if isnan(high) or high >= -low else -low


def chosen(values: NDArray[Any], places: MaskArray) -> NDArray[Any]:
    """``values[places]``; the values themselves, and no copy, where all are chosen."""
    return values if places.all() else values[places]


def sample_places(size: int, count: int) -> Places:
    """``count`` places of ``size``, ascending; all where there are no more. In no step: one of 4096 meets the same column in each row of a
    table of 4096, which may be a border that nobody writes. Multiples of the golden ratio, which spread evenly (Knuth 3, §6.4)."""
    if size <= count:
        return np.arange(size)
    return np.unique((np.arange(1, count + 1) * _GOLDEN_RATIO % 1.0 * size).astype(np.intp))


def largest_finite(element: ElementType) -> float:
    """The floating type's largest number: (2 - 2u)·2^e (IEEE 754, §3.3); bfloat16 has the exponents of float."""
    exponent = {2: 127 if element.kind is ElementKind.BFLOAT else 15, 4: 127, 8: 1023}[element.scalar_bytes]
    return (2.0 - 2.0 * (element.unit_roundoff or 0.0)) * 2.0**exponent


def shown(data: bytes, element: ElementType, index: int) -> str:
    """Component ``index`` for people, with all digits that its type has."""
    if element.is_floating:
        digits = {2: 5, 4: 9, 8: 17}[element.scalar_bytes]
        return f"{floats(data[index * element.scalar_bytes :][: element.scalar_bytes], element)[0]:.{digits}g}"
    letter = "i" if element.kind is ElementKind.INT else "u"
    return str(np.frombuffer(data, np.dtype(f"<{letter}{element.scalar_bytes}"), 1, index * element.scalar_bytes)[0])


def exponent_bits(element: ElementType) -> np.unsignedinteger[Any]:
    """The exponent's bits in a pattern of a floating type: all of them are set in infinities and NaN alone (IEEE 754, §3.4)."""
    fraction = {2: 7 if element.kind is ElementKind.BFLOAT else 10, 4: 23, 8: 52}[element.scalar_bytes]
    return np.dtype(f"<u{element.scalar_bytes}").type((1 << 8 * element.scalar_bytes - 1) - (1 << fraction))
